"""The numbers that an activity is told with, whole: which clock, which stamp, as of when."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.activity import Activity, derive
from catalog.seen import Content, Found, Missing, Unreadable
from catalogs import T, claim, record

HOUR_MS = 3_600_000
STARTED = T - HOUR_MS
BEAT = T - 60_000
"""When the other host last published."""


def told(found: Found, *, ended: bool = False, **more: Any) -> tuple[object, ...] | None:
    """State, source, stamp, age and moment of what is said at T; another host has published."""
    end = {"ended_ms": T, "end_reason": "exited"} if ended else {}
    given = {"here": False, "host_beat_ms": BEAT, "now_ms": T, **more}
    made = derive(found, claim(started_ms=STARTED, **end), **given)
    if made is None:
        return None
    return made.state, made.source, made.stamp_ms, made.age_ms, made.as_of_ms


def stamped(age_ms: int, word: str = "running") -> Content:
    return Content(record(word, T - age_ms), 0)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (stamped(90_000), ("progressing", "activity", T - 90_000, 30_000, BEAT)),
        (stamped(60_000), ("progressing", "activity", BEAT, 0, BEAT)),
        (stamped(0), ("progressing", "activity", T, 0, BEAT)),
        (stamped(-1), ("unknown", "activity", T + 1, -60_001, BEAT)),
        (Missing(), ("idle", "session", STARTED, HOUR_MS - 60_000, BEAT)),
        (Content(b"??", 0), ("unknown", "activity", None, None, BEAT)),
        (Unreadable("x"), ("unknown", "activity", None, None, BEAT)),
    ],
)
def test_another_hosts_work_is_measured_to_its_last_publish(
    found: Found, wanted: tuple[object, ...]
) -> None:
    assert told(found) == wanted


def test_a_host_that_was_not_heard_for_the_stale_window_says_nothing_of_work() -> None:
    beat = T - 900_000
    unheard = ("unknown", "activity", T - 910_000, 10_000, beat)
    assert told(stamped(910_000), host_beat_ms=beat) == unheard
    heard = ("progressing", "activity", T - 910_000, 10_001, beat + 1)
    assert told(stamped(910_000), host_beat_ms=beat + 1) == heard


def test_here_no_publish_is_asked() -> None:
    wanted = ("progressing", "activity", T - 90_000, 90_000, None)
    assert told(stamped(90_000), here=True) == wanted
    assert told(Content(b"??", 0), here=True) == ("unknown", "activity", None, None, None)


def test_without_a_publish_both_windows_are_wider_and_the_age_is_by_this_clock() -> None:
    for age_ms, state in ((480_000, "progressing"), (480_001, "stalled"), (720_001, "idle")):
        wanted = (state, "activity", T - age_ms, age_ms, None)
        assert told(stamped(age_ms), host_beat_ms=None) == wanted


@pytest.mark.parametrize("over", [{"ended": True}, {"lost": True}])
class TestOver:
    """A session that has ended, or whose harness is gone, left a word or none."""

    @pytest.mark.parametrize("word", ["success", "failure", "cancelled"])
    def test_an_outcome_is_told_with_its_age(self, over: dict[str, bool], word: str) -> None:
        assert told(stamped(90_000, word), **over) == (
            word,
            "activity",
            T - 90_000,
            30_000,
            BEAT,
        )
        assert told(stamped(90_000, word), here=True, **over) == (
            word,
            "activity",
            T - 90_000,
            90_000,
            None,
        )
        assert told(stamped(0, word), **over) == (word, "activity", T, 0, BEAT)

    def test_a_word_that_is_no_outcome_is_unknown(self, over: dict[str, bool]) -> None:
        running = ("unknown", "activity", T - 90_000, 30_000, BEAT)
        assert told(stamped(90_000), **over) == running
        assert told(stamped(0), **over) == ("unknown", "activity", T, -60_000, BEAT)

    @pytest.mark.parametrize("found", [Missing(), Content(b"??", 0), Unreadable("x")])
    def test_no_record_is_no_word(self, over: dict[str, bool], found: Found) -> None:
        assert told(found, **over) is None


@pytest.mark.parametrize("state", ["progressing", "stalled", "idle", "unknown", "success"])
@pytest.mark.parametrize("vouched", [True, False])
def test_work_that_lands_and_is_vouched_for_is_routable(state: str, vouched: bool) -> None:
    numbers: dict[str, Any] = {"source": "activity", "stamp_ms": T, "age_ms": 0, "as_of_ms": None}
    made = Activity(state, **numbers, vouched=vouched)
    assert made.routable is (vouched and state in ("progressing", "stalled"))
    assert Activity(state, **numbers).routable is (state in ("progressing", "stalled"))
