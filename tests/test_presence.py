"""The one word of a row: an end, then a loss, then the record, in this order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.claim import Claim
from catalog.offset import Interval
from catalog.presence import Presence, derive, name_silence
from catalog.reading import read_status
from catalog.record import render
from catalog.seen import Content, Found, Missing, Unreadable
from strategies import record_bytes

T = 1_800_000_000_000
END = T - 5_000


def session(ended_ms: int | None = None) -> Claim:
    reason = None if ended_ms is None else "exited"
    return Claim(session="A", generation=1, started_ms=0, ended_ms=ended_ms, end_reason=reason)


def v1(word: str, stamp_ms: int) -> Content:
    return Content(render(word, stamp_ms), 0)


def row(
    found: Found, claim: Claim | None = None, verdict: str | None = None, now_ms: int = T
) -> Presence:
    return derive(found, read_status(found, now_ms=now_ms), claim, verdict, now_ms=now_ms)


FOUND = st.builds(Content, record_bytes(), st.integers(0, 2 * T)) | st.just(Missing())


@given(FOUND)
def test_without_a_session_the_row_is_the_record(found: Found) -> None:
    reading, presence = read_status(found, now_ms=T), row(found)
    assert presence.state == presence.record == reading.state
    assert (presence.why, presence.source) == (reading.why, reading.source)
    assert (presence.age_ms, presence.stamp_ms) == (reading.age_ms, reading.stamp_ms)


@pytest.mark.parametrize("verdict", ["alive", "unknown", None])
def test_a_session_that_is_not_lost_leaves_the_row_to_the_record(verdict: str | None) -> None:
    assert row(v1("busy", T), session(), verdict) == row(v1("busy", T))


@pytest.mark.parametrize(("after", "state"), [(0, "offline"), (1, "busy")])
def test_a_word_counts_again_one_ms_after_the_end(after: int, state: str) -> None:
    """Case D8."""
    presence = row(v1("busy", END + after), session(END))
    assert (presence.state, presence.record) == (state, "busy")


def test_an_end_is_told_by_the_sessions_clock() -> None:
    ended = Presence("offline", "busy", "ended", "session", 5_000, END)
    assert row(v1("busy", END), session(END)) == ended


def test_offline_after_the_end_is_still_the_end() -> None:
    assert row(v1("offline", END + 1), session(END)).why == "ended"


def test_a_later_word_that_went_stale_is_read_as_stale() -> None:
    presence = row(v1("busy", END + 1), session(END), now_ms=T + 900_000)
    assert (presence.state, presence.why) == ("unknown", "stale")


@pytest.mark.parametrize(
    "found",
    [
        *(Missing(), Unreadable("permission denied"), Content(b"busy\nv1\n", T)),
        *(Content(b"busy\nv2 5\n", T), Content(b"Busy\n", T), Content(b"unknown\n", T)),
    ],
)
def test_a_record_without_a_stamp_says_nothing_after_the_end(found: Found) -> None:
    assert row(found, session(END)).why == "ended"


@pytest.mark.parametrize(("mtime", "why"), [(END, "ended"), (END + 1, "fresh")])
def test_one_line_counts_by_its_file_time_against_the_end(mtime: int, why: str) -> None:
    assert row(Content(b"busy\n", mtime), session(END)).why == why


def test_offline_on_one_line_after_the_end_is_still_the_end() -> None:
    assert row(Content(b"offline\n", END + 1), session(END)).why == "ended"


@pytest.mark.parametrize("verdict", ["alive", "gone", "unknown", None])
def test_no_verdict_changes_what_has_ended(verdict: str | None) -> None:
    assert row(v1("busy", END), session(END), verdict).why == "ended"


def test_a_harness_that_is_gone_is_offline_at_once_while_the_record_is_fresh() -> None:
    """Case A3: on this host."""
    lost = Presence("offline", "available", "lost", "process", None, None)
    assert row(v1("available", T), session(), "gone") == lost


def test_a_host_that_hears_nothing_more_says_unknown_from_900_000_ms_on() -> None:
    """Case A3: on a host that never hears a publish."""
    found = v1("available", T)
    states = [row(found, session(), now_ms=T + age).state for age in (899_999, 900_000, 10**12)]
    assert states == ["available", "unknown", "unknown"]


def test_a_lost_session_that_was_ended_never_reads_available_again() -> None:
    """Case A3, with a clock that was set back: the end is as late as the last stamp."""
    found = v1("available", T + 3_600_000)
    ended = session(T + 3_600_000)
    states = {row(found, ended, "gone", T + ms).state for ms in (0, 3_600_000, 3_600_001)}
    assert states == {"offline"}


def test_a_living_harness_behind_a_stale_record_is_unknown_and_not_dead() -> None:
    assert row(v1("available", T - 900_000), session(), "alive").state == "unknown"


@pytest.mark.parametrize(
    ("ahead", "shown"), [(-1, 1), (0, 0), (60_000, 0), (60_001, -60_001)], ids=str
)
def test_the_age_of_an_end_is_0_within_the_skew_and_negative_beyond(ahead: int, shown: int) -> None:
    assert row(Missing(), session(T + ahead)).age_ms == shown


STALE = row(v1("busy", T - 900_000))


@pytest.mark.parametrize(
    ("beat_after_stamp", "now_ms", "why"),
    [
        (900_000, T, "silent"),
        (899_999, T, "stale"),
        (899_999, T + 899_998, "stale"),
        (899_999, T + 899_999, "host-not-heard"),
        (0, T, "host-not-heard"),
    ],
)
def test_a_stale_record_says_whose_silence_it_is(
    beat_after_stamp: int, now_ms: int, why: str
) -> None:
    named = name_silence(STALE, T - 900_000 + beat_after_stamp, now_ms=now_ms)
    assert (named.why, named.state, named.stamp_ms) == (why, "unknown", T - 900_000)


def test_only_a_stale_record_of_a_host_with_a_beat_has_a_silence() -> None:
    fresh = row(v1("busy", T))
    assert name_silence(fresh, 0, now_ms=T) is fresh
    assert name_silence(STALE, None, now_ms=T) is STALE


class TestClockOfItsHost:
    """What is certain of another host's clock changes whose silence it is, to the millisecond."""

    def named(self, age_ms: int, clock: Interval, beat_age_ms: int | None = None) -> Presence:
        """A record stamped *age_ms* ago, by the clocks as they are."""
        beat_ms = None if beat_age_ms is None else T - beat_age_ms
        return name_silence(row(v1("busy", T - age_ms)), beat_ms, clock=clock, now_ms=T)

    @pytest.mark.parametrize(("low_ms", "why"), [(479_999, "fresh"), (480_000, "skew")])
    def test_a_clock_so_far_behind_that_a_fresh_word_would_flap_vouches_for_none(
        self, low_ms: int, why: str
    ) -> None:
        found = self.named(5_000, Interval(low_ms, 500_000))
        assert (found.why, found.record, found.age_ms) == (why, "busy", 5_000)
        assert (found.state, found.source) == ("busy" if why == "fresh" else "unknown", "record")
        assert found.stamp_ms == T - 5_000

    @pytest.mark.parametrize(("age_ms", "why"), [(299_999, "fresh"), (300_000, "stale")])
    def test_a_clock_ahead_ages_a_beat_by_what_is_certain(self, age_ms: int, why: str) -> None:
        found = self.named(age_ms, Interval(-700_000, -600_000))
        assert (found.why, found.record, found.age_ms) == (why, "busy", age_ms)
        assert found.state == ("busy" if why == "fresh" else "unknown")

    def test_a_clock_that_may_be_right_ages_nothing(self) -> None:
        assert self.named(899_999, Interval(-9_000, -5_000)).why == "fresh"
        assert self.named(899_999, Interval(None, 5_000)).why == "fresh"

    @pytest.mark.parametrize(("age_ms", "why"), [(909_999, "skew"), (910_000, "stale")])
    def test_a_clock_behind_may_be_all_of_a_silence(self, age_ms: int, why: str) -> None:
        found = self.named(age_ms, Interval(6_000, 10_000))
        assert (found.state, found.record, found.why) == ("unknown", "unknown", why)
        assert (found.age_ms, found.stamp_ms, found.source) == (age_ms, T - age_ms, "record")

    def test_a_clock_that_may_be_right_excuses_no_silence(self) -> None:
        assert self.named(900_000, Interval(-5_000, 5_000)).why == "stale"
        assert self.named(900_000, Interval(None, 10_000)).why == "stale"

    def test_a_session_that_was_silent_by_its_own_host_s_clock_stays_so(self) -> None:
        assert self.named(905_000, Interval(6_000, 10_000), 5_000).why == "silent"
        assert self.named(905_000, Interval(6_000, 10_000), 5_001).why == "skew"

    @pytest.mark.parametrize(
        ("clock", "edge_ms"),
        [
            (Interval(-1_000, 4_000), 904_000),
            (Interval(None, 4_000), 904_000),
            (Interval(-700_000, -600_000), 300_000),
        ],
    )
    def test_a_host_is_heard_by_this_host_s_clock(self, clock: Interval, edge_ms: int) -> None:
        for beat_age_ms, why in ((edge_ms - 1, "stale"), (edge_ms, "host-not-heard")):
            assert self.named(edge_ms + 100_000, clock, beat_age_ms).why == why

    @pytest.mark.parametrize("clock", [Interval(500_000, 600_000), Interval(-600_000, -500_000)])
    def test_what_is_no_beat_has_no_silence(self, clock: Interval) -> None:
        for found in (row(Missing()), row(Content(b"??", 0)), row(v1("busy", T + 90_000))):
            assert name_silence(found, T, clock=clock, now_ms=T) is found


@given(FOUND, st.none() | st.integers(0, 2 * T), st.sampled_from(("alive", "gone", None)))
def test_offline_by_session_or_process_never_hides_the_record(
    found: Found, ended_ms: int | None, verdict: str | None
) -> None:
    presence = row(found, session(ended_ms), verdict)
    assert presence.record == read_status(found, now_ms=T).state
    assert (presence.why in ("ended", "lost")) <= (presence.state == "offline")


@pytest.mark.parametrize(
    "found",
    [
        Missing(),
        Unreadable("permission denied"),
        Content(b"nonsense", T),
        v1("offline", T - 60_000),
    ],
    ids=["missing", "unreadable", "invalid", "older"],
)
def test_a_harness_that_is_seen_to_live_is_not_called_offline_for_want_of_a_beat(
    found: Found,
) -> None:
    """Cases A1 and A9: from the claim to the first beat, and where the record is lost."""
    started = session().with_(started_ms=T - 60_000)
    alive, unsure = row(found, started, "alive"), row(found, started, "unknown")
    reading = read_status(found, now_ms=T)
    told = (reading.state, "not-beaten", reading.source, reading.age_ms, reading.stamp_ms)
    assert alive == Presence("unknown", *told)
    assert unsure.state == "offline"


def test_offline_that_was_declared_while_the_session_runs_is_its_word() -> None:
    presence = row(v1("offline", T), session().with_(started_ms=T - 1), "alive")
    assert (presence.state, presence.why) == ("offline", "fresh")
