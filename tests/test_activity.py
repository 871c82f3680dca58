"""catalog/activity.py: what an event writes, and what a reader may say of an agent's work."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.activity import (
    ROUTABLE,
    TERMINAL,
    WORDS,
    Activity,
    derive,
    is_vouched,
    is_word,
    record_bytes,
)
from catalog.record import Record, parse
from catalog.seen import Content, Found, Missing, Unreadable
from catalog.windows import ABANDON_MS, COALESCE_MS, STALL_MS
from catalogs import T, claim, record

ROOT = Path(__file__).parent.parent


def stored(stamp_ms: int, word: str = "running") -> Content:
    return Content(record(word, stamp_ms), 0)


def at(age_ms: int, **options: object) -> Activity:
    """The activity of a session of this host whose last success is *age_ms* ago."""
    return seen(stored(T - age_ms), **options)


def seen(found: Found, **options: object) -> Activity:
    given: dict[str, object] = {"here": True, "host_beat_ms": None, "now_ms": T}
    whose = options.pop("claim", claim(started_ms=T - 10_000_000))
    answer = derive(found, whose, **{**given, **options})  # type: ignore[arg-type]
    assert answer is not None
    return answer


@pytest.mark.parametrize("word", ["available", "busy", "away", "dnd", "offline", "unknown"])
def test_who_is_there_and_may_be_disturbed_is_vouched_for(word: str) -> None:
    there = word in ("available", "busy", "away")
    for here, source in ((True, "record"), (True, "mtime"), (False, "record")):
        assert is_vouched(word, here=here, source=source) is there
    assert not is_vouched(word, here=False, source="mtime")


class TestReading:
    """Reference = activity, else the session's start; both windows close at their edge."""

    @pytest.mark.parametrize(
        ("age_ms", "state"),
        [
            (0, "progressing"),
            (360_000, "progressing"),
            (360_001, "stalled"),
            (600_000, "stalled"),
            (600_001, "idle"),
        ],
    )
    def test_work_stalls_after_360_000_and_idles_after_600_000_ms(
        self, age_ms: int, state: str
    ) -> None:
        """Case E1."""
        assert (at(age_ms).state, at(age_ms).age_ms) == (state, age_ms)

    @pytest.mark.parametrize(("age_ms", "state"), [(360_000, "progressing"), (600_001, "idle")])
    def test_without_a_record_the_session_s_start_is_measured(
        self, age_ms: int, state: str
    ) -> None:
        """Cases E2 and E17: a new session has no record of the one before."""
        found = seen(Missing(), claim=claim(started_ms=T - age_ms))
        assert (found.state, found.source, found.stamp_ms) == (state, "session", T - age_ms)

    def test_a_stamp_of_zero_is_a_value(self) -> None:
        """Case E3."""
        assert seen(stored(0), claim=claim(started_ms=T)).state == "idle"

    @pytest.mark.parametrize("age_ms", [90_001, 100_000, 130_000, 296_811])
    def test_a_deep_healthy_silence_is_progress(self, age_ms: int) -> None:
        """Case E4."""
        assert at(age_ms).state == "progressing"

    @pytest.mark.parametrize(("age_ms", "routable"), [(0, True), (400_000, True), (600_001, False)])
    def test_what_stalls_is_routed_to_and_what_idles_is_not(
        self, age_ms: int, routable: bool
    ) -> None:
        """Case E6."""
        assert at(age_ms).routable is routable

    def test_what_nothing_vouches_for_is_not_routed_to(self) -> None:
        assert at(0).routable
        found = at(0, vouched=False)
        assert (found.state, found.routable) == ("progressing", False)

    @pytest.mark.parametrize("word", TERMINAL)
    def test_the_word_counts_once_the_session_has_ended(self, word: str) -> None:
        """Case E11, and its other half: before that only the stamp counts."""
        ended = claim(ended_ms=T, end_reason="exited")
        assert seen(stored(T - 5, word), claim=ended).state == word
        assert seen(stored(T - 5, word)).state == "progressing"

    def test_an_ended_session_that_named_no_outcome_is_unknown_and_without_a_record_nothing(
        self,
    ) -> None:
        ended = claim(ended_ms=T, end_reason="lost")
        found = seen(stored(T - 5), claim=ended)
        assert (found.state, found.routable) == ("unknown", False)
        options = {"here": True, "host_beat_ms": None, "now_ms": T}
        assert derive(Missing(), ended, **options) is None  # type: ignore[arg-type]
        assert derive(stored(T), None, **options) is None  # type: ignore[arg-type]

    def test_a_lost_session_is_read_as_the_ended_one_that_it_is(self) -> None:
        """Nothing lands any more where the harness is gone, whoever has still to write the end."""
        assert seen(stored(T - 5), lost=True).state == "unknown"
        assert seen(stored(T - 5, "success"), lost=True).state == "success"
        options = {"here": True, "host_beat_ms": None, "now_ms": T, "lost": True}
        assert derive(Missing(), claim(), **options) is None  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        "found",
        [
            Unreadable("permission denied"),
            Content(b"", 0),
            Content(b"running\n", T),
            Content(b"running\nv2 5\n", 0),
            Content(b"available\nv1 5\n", 0),
            Content(b"running\nv1 05\n", 0),
        ],
        ids=repr,
    )
    def test_a_record_that_cannot_be_believed_is_unknown_and_never_the_start(
        self, found: Found
    ) -> None:
        answer = seen(found, claim=claim(started_ms=T))
        assert (answer.state, answer.stamp_ms, answer.routable) == ("unknown", None, False)

    @pytest.mark.parametrize(("ahead_ms", "state"), [(60_000, "progressing"), (60_001, "unknown")])
    def test_a_stamp_ahead_of_the_clock_is_allowed_by_the_skew_alone(
        self, ahead_ms: int, state: str
    ) -> None:
        found = at(-ahead_ms)
        assert (found.state, found.age_ms) == (state, 0 if state == "progressing" else -60_001)


class TestAnotherHost:
    """Its own clock on both sides: skew and lag cancel."""

    def test_it_is_judged_as_of_its_last_publish(self) -> None:
        """Case E14, the first half."""
        beat = T - 50_000
        found = seen(stored(beat - 350_000), here=False, host_beat_ms=beat)
        assert (found.state, found.age_ms, found.as_of_ms) == ("progressing", 350_000, beat)

    @pytest.mark.parametrize(
        ("silent_ms", "state"), [(899_999, "progressing"), (900_000, "unknown")]
    )
    def test_a_host_that_is_not_heard_says_nothing_of_its_work(
        self, silent_ms: int, state: str
    ) -> None:
        """Case E14, the second half."""
        beat = T - silent_ms
        found = seen(stored(beat - 350_000), here=False, host_beat_ms=beat)
        assert (found.state, found.routable) == (state, state == "progressing")

    def test_a_clock_ten_minutes_ahead_changes_nothing(self) -> None:
        """Case E15: the activity half."""
        beat = T + 600_000
        found = seen(stored(beat - 1_000), here=False, host_beat_ms=beat)
        assert (found.state, found.age_ms) == ("progressing", 1_000)

    @pytest.mark.parametrize(
        ("age_ms", "state"),
        [
            (480_000, "progressing"),
            (480_001, "stalled"),
            (720_000, "stalled"),
            (720_001, "idle"),
        ],
    )
    def test_without_a_beat_of_that_host_both_windows_are_wider_by_120_000_ms(
        self, age_ms: int, state: str
    ) -> None:
        found = at(age_ms, here=False)
        assert (found.state, found.age_ms, found.as_of_ms) == (state, age_ms, None)


class TestWriting:
    """Write iff absent or stored < t - 5 000; never backwards; a terminal word bypasses both."""

    @pytest.mark.parametrize(
        ("after_ms", "written"),
        [(-1, False), (0, False), (4_999, False), (5_000, False), (5_001, True)],
    )
    def test_a_running_session_writes_once_in_5_000_ms(self, after_ms: int, written: bool) -> None:
        """Case E8."""
        data = record_bytes(stored(T), "running", now_ms=T + after_ms)
        assert data == (record("running", T + after_ms) if written else None)

    def test_forty_events_within_4_000_ms_store_the_first(self) -> None:
        """Case E7."""
        found: Found = Missing()
        written = 0
        for event in range(40):
            data = record_bytes(found, "running", now_ms=T + event * 100)
            if data is not None:
                found, written = Content(data, 0), written + 1
        assert (found, written) == (stored(T), 1)

    def test_a_steady_stream_always_progresses_and_lags_5_000_ms_at_most(self) -> None:
        """Case E9."""
        found: Found = Missing()
        for now_ms in range(T, T + 30_001, 500):
            data = record_bytes(found, "running", now_ms=now_ms)
            found = found if data is None else Content(data, 0)
            answer = seen(found, now_ms=now_ms)
            assert answer.state == "progressing" and (answer.age_ms or 0) <= COALESCE_MS

    @pytest.mark.parametrize("word", TERMINAL)
    @pytest.mark.parametrize("after_ms", [-1, 0, 1, 5_001])
    def test_a_terminal_word_is_written_whatever_stands_there(
        self, word: str, after_ms: int
    ) -> None:
        data = record_bytes(stored(T), word, now_ms=T + after_ms)
        assert data == record(word, T + after_ms)

    @given(st.lists(st.tuples(st.sampled_from([0, 1]), st.integers(-200, 4_900)), max_size=11))
    def test_two_writers_never_go_back_and_write_once_in_5_000_ms(
        self, events: list[tuple[int, int]]
    ) -> None:
        """Case E10, as it looks under the agent's lock: the clocks of two processes interleave."""
        found: Found = Missing()
        stamps: list[int] = []
        clocks = [T, T]
        for who, step in events:
            clocks[who] += step
            data = record_bytes(found, "running", now_ms=clocks[who])
            if data is not None:
                found = Content(data, 0)
                stamps.append(clocks[who])
        assert all(b - a > COALESCE_MS for a, b in itertools.pairwise(stamps))

    @pytest.mark.parametrize(
        ("found", "data"),
        [
            (Content(b"running\nv2 5\n", 0), None),
            (Unreadable("is a symlink, not a file"), None),
            (Content(b"running\n", T), record("running", T)),
            (Content(b"\0\0", 0), record("running", T)),
            (stored(T + 60_000), None),
            (stored(T + 60_001), record("running", T)),
        ],
        ids=repr,
    )
    def test_what_is_broken_is_repaired_and_a_newer_version_is_left_alone(
        self, found: Found, data: bytes | None
    ) -> None:
        assert record_bytes(found, "running", now_ms=T) == data

    @given(st.sampled_from(WORDS), st.integers(0, 2**53))
    def test_what_is_written_reads_back(self, word: str, now_ms: int) -> None:
        data = record_bytes(Missing(), word, now_ms=now_ms)
        assert data is not None and parse(data, is_word) == Record(word, now_ms)


class TestConstants:
    """Case E16."""

    def test_they_are_the_ones_of_the_contract(self) -> None:
        assert (STALL_MS, ABANDON_MS, COALESCE_MS) == (360_000, 600_000, 5_000)
        assert ROUTABLE == ("progressing", "stalled")

    @pytest.mark.parametrize(
        ("name", "value", "sentence"),
        [
            ("STALL_MS", "301_811", "stall 301811 ms <= 296811 + 5000 ms of healthy silence"),
            ("ABANDON_MS", "360_000", "abandon 360000 ms <= 360000 ms stall"),
            ("ABANDON_MS", "539_999", "band 539999 - 360000 ms < 4 x 45000 ms looks"),
        ],
    )
    def test_a_sum_that_does_not_hold_fails_the_import(
        self, name: str, value: str, sentence: str
    ) -> None:
        source = (ROOT / "catalog/windows.py").read_text("utf-8")
        line = next(each for each in source.splitlines() if each.startswith(f"{name} = "))
        with pytest.raises(ImportError) as refused:
            exec(source.replace(line, f"{name} = {value}"), {"__name__": "windows"})
        assert str(refused.value) == sentence
