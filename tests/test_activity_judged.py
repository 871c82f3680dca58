"""The work of a session as the presence of its agent has it judged."""

from __future__ import annotations

import pytest

from catalog.activity import derive, judge
from catalog.presence import Presence
from catalog.seen import Content, Missing
from catalogs import T, claim, record

BEAT = T - 50_000
FOUND = Content(record("running", BEAT - 5), 0)
CLAIM = claim(started_ms=T - 10_000_000)


def presence(state: str, why: str = "fresh") -> Presence:
    return Presence(state, "busy", why, "record", 5, T)


@pytest.mark.parametrize(
    ("state", "here", "source", "vouched"),
    [
        *((state, True, "mtime", True) for state in ("available", "busy", "away")),
        *((state, True, "record", False) for state in ("dnd", "offline", "unknown")),
        ("busy", False, "record", True),
        ("busy", False, "mtime", False),
    ],
)
def test_who_is_there_and_may_be_disturbed_is_routed_to_while_work_lands(
    state: str, here: bool, source: str, vouched: bool
) -> None:
    told = {"here": here, "host_beat_ms": BEAT, "now_ms": T}
    found = judge(FOUND, CLAIM, presence(state), source=source, **told)  # type: ignore[arg-type]
    assert found == derive(FOUND, CLAIM, vouched=vouched, **told)  # type: ignore[arg-type]
    assert found is not None and (found.state, found.routable) == ("progressing", vouched)


@pytest.mark.parametrize(("why", "state"), [("lost", "unknown"), ("fresh", "progressing")])
def test_nothing_lands_any_more_where_the_session_is_lost(why: str, state: str) -> None:
    options = {"here": True, "source": "record", "host_beat_ms": None, "now_ms": T}
    found = judge(FOUND, CLAIM, presence("busy", why), **options)  # type: ignore[arg-type]
    assert found is not None and found.state == state
    nothing = judge(Missing(), CLAIM, presence("busy", why), **options)  # type: ignore[arg-type]
    assert (nothing is None) is (why == "lost")


def test_another_host_s_work_is_judged_as_of_its_last_publish() -> None:
    options = {"source": "record", "host_beat_ms": BEAT, "now_ms": T}
    far = judge(FOUND, CLAIM, presence("busy"), here=False, **options)  # type: ignore[arg-type]
    near = judge(FOUND, CLAIM, presence("busy"), here=True, **options)  # type: ignore[arg-type]
    assert far is not None and (far.age_ms, far.as_of_ms) == (5, BEAT)
    assert near is not None and (near.age_ms, near.as_of_ms) == (50_005, None)
