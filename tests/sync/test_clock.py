"""Another host's clock, told by when its publishes were seen, and the readings it causes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog import heard
from catalog.assess import assess_agent
from catalog.offset import Interval
from catalog.reader import Reader
from catalog.sync.collect import collect
from catalog.sync.publish import publish
from st2.table import Footing, table
from support.fleet import Fleet, a_snapshot
from support.pair import MINUTE_MS, Pair, rows_of, worked


@pytest.fixture
def pair(fleet: Fleet) -> Pair:
    shared = Fleet(fleet.folder, in_memory=True)
    made = Pair(shared, shared.host("h1"), shared.host("h2"))
    made.h2.site = replace(made.h2.site, now_ms=made.his_ms)
    return made


class TestCaseX16:
    """Polls far apart give wide bounds, and no skew is claimed of a healthy clock."""

    def test_a_sync_every_ten_minutes_claims_no_skew(self, pair: Pair) -> None:
        for _ in pair.rounds(8 * 60 * MINUTE_MS, 10 * MINUTE_MS):
            host = pair.look()
            assert host.clock is None or not host.clock.is_skewed
            assert host.findings == ()
        assert pair.look().clock is not None


class TestCaseF8:
    """A host ten minutes slow, its records delivered at once."""

    @pytest.fixture(autouse=True)
    def _slow(self, pair: Pair) -> None:
        pair.offset_ms = 10 * MINUTE_MS
        for _ in pair.rounds(2 * MINUTE_MS, 15_000, 30_000):
            pass

    def test_ten_looks_say_skew_and_no_silence_and_do_not_flap(self, pair: Pair) -> None:
        for _ in pair.rounds(10 * MINUTE_MS, MINUTE_MS):
            row = pair.row()
            assert (row.presence.state, row.presence.why) == ("unknown", "skew")
            assert [each.code for each in row.findings] == ["clock-behind"]

    def test_the_offset_is_shown(self, pair: Pair) -> None:
        host = pair.look()
        assert host.clock is not None
        low_ms = host.clock.low_ms or 0
        assert low_ms <= pair.offset_ms <= host.clock.high_ms
        assert low_ms >= pair.offset_ms - 46_000
        assert "s behind: its records look older than they are" in host.findings[0].message

    def test_a_session_that_is_silent_in_truth_is_called_so(self, pair: Pair) -> None:
        for _ in range(4):
            pair.wait(5 * MINUTE_MS)
            publish(pair.h2.site)
            collect(pair.h1.site)
        assert pair.row().presence.why == "silent"

    def test_a_host_that_is_not_heard_in_truth_is_called_so(self, pair: Pair) -> None:
        pair.wait(14 * MINUTE_MS)
        assert pair.row().presence.why == "skew"
        pair.wait(2 * MINUTE_MS)
        assert pair.row().presence.why == "host-not-heard"

    def test_a_clock_that_was_set_right_is_believed_with_its_next_publish(self, pair: Pair) -> None:
        pair.offset_ms = 0
        pair.publish()
        pair.wait(15_000)
        collect(pair.h1.site)
        assert (pair.row().presence.state, pair.look().findings) == ("busy", ())

    def test_now_reads_records_alone(self, pair: Pair) -> None:
        reader = Reader(pair.h1.site.files, pair.h1.site.layout)
        row = assess_agent(reader, "h2", "a1", look=None, now_ms=pair.now_ms)
        assert (row.presence.state, row.findings) == ("busy", ())


@pytest.mark.parametrize(("low_ms", "why"), [(479_999, "fresh"), (480_000, "skew")])
def test_a_fresh_record_reads_skew_from_480_s_behind_on(pair: Pair, low_ms: int, why: str) -> None:
    pair.publish()
    collect(pair.h1.site)
    one = heard.Heard(1, (Interval(low_ms, 700_000),))
    heard.save(pair.h1.site.files, pair.h1.site.layout, "h2", one)
    assert pair.row().presence.why == why


class TestCaseE15:
    """A foreign host's clock ten minutes ahead."""

    def test_one_publish_shows_it_and_the_status_is_future(self, pair: Pair) -> None:
        pair.offset_ms = -10 * MINUTE_MS
        pair.publish()
        collect(pair.h1.site)
        row = pair.row()
        assert (row.presence.state, row.presence.why) == ("unknown", "future")
        [told] = [each for each in row.findings if each.code == "clock-ahead"]
        assert told.message.startswith("h2: its clock is at least 599 s ahead: ")
        host = pair.look()
        assert host.clock is not None
        assert host.clock.is_ahead
        assert [each.code for each in host.findings] == ["clock-ahead"]

    def test_the_activity_is_right(self, pair: Pair) -> None:
        pair.offset_ms = -10 * MINUTE_MS
        row = worked(pair, 350_000)
        assert row.activity is not None
        assert (row.activity.state, row.activity.age_ms) == ("progressing", 350_000)

    def test_it_is_not_vouched_for_when_the_host_fell_silent(self, pair: Pair) -> None:
        pair.offset_ms = -10 * MINUTE_MS
        worked(pair, 350_000)
        pair.wait(900_000)
        found = rows_of(pair).activity
        assert found is not None
        assert found.state == "unknown"

    def test_a_record_that_is_fresh_by_its_stamp_alone_is_not_vouched_for(self, pair: Pair) -> None:
        pair.offset_ms = -10 * MINUTE_MS
        pair.publish()
        collect(pair.h1.site)
        pair.wait(12 * MINUTE_MS)
        assert (pair.row().presence.state, pair.row().presence.why) == ("busy", "fresh")
        pair.wait(4 * MINUTE_MS)
        assert (pair.row().presence.state, pair.row().presence.why) == ("unknown", "host-not-heard")
        publish(pair.h2.site)
        collect(pair.h1.site)
        assert (pair.row().presence.state, pair.row().presence.why) == ("unknown", "silent")

    def test_its_silence_is_measured_by_this_clock(self, pair: Pair) -> None:
        pair.offset_ms = -10 * MINUTE_MS
        pair.publish()
        pair.wait(5 * MINUTE_MS)
        publish(pair.h2.site)
        collect(pair.h1.site)
        pair.wait(21 * MINUTE_MS)
        assert pair.row().presence.why == "host-not-heard"


class TestCaseE14:
    """Judged as of the host's last publish, until the host is not heard any more."""

    def test_progressing_as_of_50_s_ago_then_unknown(self, pair: Pair) -> None:
        worked(pair, 350_000)
        beat_ms = pair.look().beat_ms
        assert beat_ms is not None
        pair.wait(beat_ms + 50_000 - pair.now_ms)
        row = rows_of(pair)
        assert row.activity is not None
        assert (row.activity.state, row.activity.age_ms) == ("progressing", 350_000)
        assert row.activity.as_of_ms == pair.now_ms - 50_000
        pair.wait(850_001)
        row = rows_of(pair)
        assert row.activity is not None
        assert (row.activity.state, row.presence.why) == ("unknown", "host-not-heard")


class TestBounds:
    """What is no bound, is none."""

    def test_the_first_publish_and_another_remote_bound_nothing_below(self, pair: Pair) -> None:
        pair.publish()
        collect(pair.h1.site)
        first = pair.look().clock
        assert first is not None
        assert first.low_ms is None
        pair.wait(60 * MINUTE_MS)
        collect(pair.h1.site)
        pair.wait(-30 * MINUTE_MS)
        pair.publish()
        pair.wait(30 * MINUTE_MS)
        moved = pair.h1.site.exchange
        moved.remote = replace(moved.remote, address="/another.git")
        collect(pair.h1.site)
        clock = pair.look().clock
        assert clock is not None
        assert not clock.is_skewed

    def test_a_ref_that_could_not_be_used_at_the_poll_before_bounds_nothing_below(
        self, fleet: Fleet
    ) -> None:
        reader = fleet.host("h1")
        fleet.forge("h2", a_snapshot("h2", seq=1, beat=fleet.now_ms))
        collect(reader.site)
        good = fleet.forge("h2", a_snapshot("h2", seq=2, beat=fleet.now_ms))
        fleet.forge("h2", b"broken")
        fleet.now_ms += 60 * MINUTE_MS
        collect(reader.site)
        fleet.point("h2", good)
        collect(reader.site)
        clock = heard.load(reader.site.files, reader.site.layout, "h2").clock
        assert clock is not None
        assert clock.low_ms is None

    def test_a_tip_that_did_not_change_tells_nothing(self, pair: Pair) -> None:
        pair.publish()
        collect(pair.h1.site)
        before = heard.load(pair.h1.site.files, pair.h1.site.layout, "h2")
        for site in (pair.h1.site, replace(pair.h1.site, boot="boot-2")):
            pair.wait(60 * MINUTE_MS)
            collect(site)
            assert heard.load(site.files, site.layout, "h2") == before

    def test_a_state_that_was_lost_bounds_nothing_below(self, pair: Pair) -> None:
        pair.publish()
        collect(pair.h1.site)
        pair.wait(60 * MINUTE_MS)
        collect(pair.h1.site)
        files, layout = pair.h1.site.files, pair.h1.site.layout
        files.remove(layout.collected("h2"))
        files.remove(layout.heard("h2"))
        collect(pair.h1.site)
        clock = pair.look().clock
        assert clock is not None
        assert clock.low_ms is None


@pytest.mark.parametrize(
    ("beat_ago_ms", "skew", "told"),
    [
        (40_000, None, "h2 as of 40 s ago"),
        (899_999, None, "h2 as of 14 min ago"),
        (900_000, None, "h2 not heard for 15 min"),
        (640_000, Interval(570_000, 601_000), "h2 as of 39 s ago (clock 570 s to 601 s behind)"),
        (1_501_000, Interval(570_000, 601_000), "h2 not heard for 15 min"
         " (clock 570 s to 601 s behind)"),
    ],
)  # fmt: skip
def test_the_last_line_of_the_roster_tells_when_a_host_was_heard_by_this_clock(
    beat_ago_ms: int, skew: Interval | None, told: str
) -> None:
    beats = {"h1": None, "h2": 2_000_000 - beat_ago_ms}
    footing = Footing("h1", beats, 2_000_000, clock_only=False, skews={"h2": skew})
    assert table([], footing, width=0).splitlines()[-1] == told
