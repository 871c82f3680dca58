"""The clock of a reader is set while it goes on: nobody is vouched for, or blamed, for that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import heard
from catalog.assess import assess_agent
from catalog.heard import Heard
from catalog.offset import Interval
from catalog.reader import Reader
from catalog.sync import polled
from catalog.sync.collect import collect
from catalog.sync.polled import Reading
from catalog.sync.stepped import moved, reading, step_ms
from support.fleet import START_MS, Fleet, Member, a_snapshot
from support.looped import Looped, Until, kinds
from support.pair import MINUTE_MS, Pair, nobody

HOUR_MS, DAY_MS = 60 * MINUTE_MS, 24 * 60 * MINUTE_MS


@dataclass
class Stepped(Pair):
    """h1's clock shows ``set_ms`` more than the time; what counts since its boot cannot be set."""

    set_ms: int = 0

    @property
    def now_ms(self) -> int:
        return self.fleet.now_ms + self.set_ms

    def tick(self) -> int:
        self.fleet.now_ms += 1
        return self.now_ms

    def set(self, by_ms: int) -> None:
        """Set h1's clock; its next look comes a few seconds later."""
        self.set_ms += by_ms
        self.wait(5_000)
        collect(self.h1.site)

    def told(self) -> tuple[str, str, list[str]]:
        row = self.row()
        return row.presence.state, row.presence.why, [each.code for each in row.findings]


FINE = ("busy", "fresh", [])


@pytest.fixture
def pair(fleet: Fleet) -> Stepped:
    """h2 has published three times, and h1 has seen each within 15 s."""
    made = Stepped(fleet, fleet.host("h1"), fleet.host("h2"))
    made.h2 = Member(replace(made.h2.site, now_ms=made.his_ms), made.h2.root)
    site = replace(
        made.h1.site, now_ms=made.tick, boot_ms=lambda: made.fleet.now_ms - START_MS + 9_000
    )
    made.h1 = Member(site, made.h1.root)
    for _ in made.rounds(45_000, 15_000, publish_ms=15_000):
        pass
    assert made.told() == FINE
    return made


class TestBack:
    """An hour back: what fell silent an hour ago is not fresh again."""

    def test_a_host_that_fell_silent_is_not_vouched_for_again(self, pair: Stepped) -> None:
        """It read `busy`, fresh, for a quarter of an hour."""
        for _ in range(4):
            pair.wait(15 * MINUTE_MS)
            collect(pair.h1.site)
        assert pair.told()[:2] == ("unknown", "host-not-heard")
        pair.set(-HOUR_MS)
        for _ in range(70):
            state, why, codes = pair.told()
            assert (state, why) == ("unknown", "host-not-heard")
            assert codes == ["clock-ahead"]
            pair.wait(MINUTE_MS)
            collect(pair.h1.site)

    def test_its_activity_is_not_either(self, pair: Stepped) -> None:
        pair.wait(HOUR_MS)
        collect(pair.h1.site)
        pair.set(-HOUR_MS)
        observed = heard.load(pair.h1.site.files, pair.h1.site.layout, "h2")
        assert observed.clock is not None
        assert -HOUR_MS - 60_000 <= observed.clock.high_ms <= -HOUR_MS + 60_000
        assert observed.heard_ms <= pair.now_ms - HOUR_MS

    def test_one_that_lives_is_believed_at_once_when_it_is_set_right(self, pair: Stepped) -> None:
        pair.set(-HOUR_MS)
        assert pair.told()[0] == "unknown"
        pair.publish()
        pair.wait(15_000)
        collect(pair.h1.site)
        assert pair.told()[:2] == ("unknown", "future")
        pair.set(HOUR_MS)
        assert pair.told() == FINE


class TestForward:
    """A day forward, and back: nothing is held against anybody."""

    def test_one_that_lives_is_unknown_for_the_clock_and_not_for_silence(
        self, pair: Stepped
    ) -> None:
        pair.set(DAY_MS)
        assert pair.told() == ("unknown", "skew", ["clock-behind"])

    def test_it_is_believed_at_once_when_it_is_set_right(self, pair: Stepped) -> None:
        """Though it has published nothing meanwhile."""
        pair.set(DAY_MS)
        pair.set(-DAY_MS)
        assert pair.told() == FINE

    def test_what_it_publishes_meanwhile_is_taken(self, pair: Stepped) -> None:
        pair.set(DAY_MS)
        pair.publish(b"away")
        pair.wait(15_000)
        assert collect(pair.h1.site).refused == ()
        assert pair.told()[:2] == ("unknown", "skew")
        pair.set(-DAY_MS)
        assert pair.told() == ("away", "fresh", [])
        pair.publish(b"dnd")
        pair.wait(15_000)
        assert collect(pair.h1.site).refused == ()
        assert pair.told()[0] == "dnd"


@given(st.lists(st.sampled_from((0, -HOUR_MS, HOUR_MS, DAY_MS, -DAY_MS, -4_999, 30_000))))
def test_however_it_is_set_the_true_offset_is_stated(steps: list[int]) -> None:
    """Pure: an offset that was certain stays certain, by the clock that is there now."""
    true_ms, wall, boot = 0, START_MS, 5
    last, known = Reading(wall, "b", boot), Heard(wall, (Interval(-30_000, 20_000),))
    for step in steps:
        wall, boot, true_ms = wall + step + 15_000, boot + 15_000, true_ms + step
        now = Reading(wall, "b", boot)
        assert step_ms(last, now) == step
        last, known = now, moved(known, step_ms(last, now))
        assert known.clock == Interval(true_ms - 30_000, true_ms + 20_000)


@pytest.mark.parametrize(
    ("last", "now"),
    [
        (Reading(1), Reading(9_000_000, "b", 9)),
        (Reading(1, "b", 9), Reading(9_000_000)),
        (Reading(1, "b", 9), Reading(9_000_000, "c", 9)),
    ],
)
def test_over_another_boot_nothing_is_known(last: Reading, now: Reading) -> None:
    assert step_ms(last, now) == 0


@pytest.mark.parametrize(("by_ms", "is_moved"), [(4_999, False), (5_000, True), (-5_000, True)])
def test_a_clock_that_runs_a_little_differently_was_not_set(
    pair: Stepped, by_ms: int, is_moved: bool
) -> None:
    files, layout = pair.h1.site.files, pair.h1.site.layout
    before = heard.load(files, layout, "h2")
    # The wall clock is read a millisecond after the other one, at each look.
    pair.set(by_ms)
    assert (heard.load(files, layout, "h2").heard_ms != before.heard_ms) is is_moved


def test_two_clocks_that_could_not_be_read_at_one_moment_tell_nothing(pair: Stepped) -> None:
    """The process was stopped between the two."""
    moments = [1_000, 2_000]
    site = replace(pair.h1.site, boot_ms=lambda: moments.pop(0))
    assert reading(site).boot == ""
    moments = [1_000, 1_999]
    assert (reading(site).boot, reading(replace(site, boot="")).boot) == ("boot-1", "")


def test_a_look_at_another_remote_knows_the_clock_all_the_same(pair: Stepped) -> None:
    files, layout = pair.h1.site.files, pair.h1.site.layout
    last = polled.last(files, layout)
    assert last is not None
    polled.save(files, layout, last[0], remote="another")
    pair.wait(HOUR_MS)
    pair.set(-HOUR_MS)
    assert pair.told()[0] == "unknown"


class Walled(Fleet):
    """A fleet whose wall clock goes with the loop's, and may be set."""

    changes = Until()
    set_ms = 0

    def host(self, name: str, **options: object) -> Member:
        made = super().host(name)
        site = replace(made.site, now_ms=self.wall_ms, boot_ms=lambda: self.changes.ms)
        return Member(site, made.root)

    def wall_ms(self) -> int:
        return START_MS + self.changes.ms + self.set_ms


@pytest.mark.parametrize("by_ms", [-HOUR_MS, DAY_MS], ids=["back", "forward"])
def test_a_loop_goes_on_over_it_and_vouches_for_nobody(tmp_path: Path, by_ms: int) -> None:
    fleet = Walled(tmp_path, in_memory=True)
    one = Looped(fleet)
    fleet.changes = one.changes
    at = fleet.wall_ms()
    raw = a_snapshot("h2", b"a1/status\tbusy\\nv1 %d\\n" % at, seq=at, beat=at)
    fleet.refs["h2"] = ("1" * 40, raw)
    one.put()
    one.settle()
    reader = Reader(one.member.site.files, one.member.site.layout)

    def state() -> tuple[str, str]:
        row = assess_agent(reader, "h2", "a1", look=nobody, now_ms=fleet.wall_ms())
        return row.presence.state, row.presence.why

    assert state() == ("busy", "fresh")
    one.run(HOUR_MS)
    fetches, pushes = one.line.fetches, one.line.pushes
    assert state() == ("unknown", "host-not-heard")
    fleet.set_ms += by_ms
    told = one.run(20_000)
    assert state()[0] == "unknown"
    # Of one publish that was there at the first look it is not known how far a clock is behind.
    assert kinds(told).count("Warned") == (by_ms < 0)
    told = one.run(HOUR_MS - 20_000)
    assert 10 <= one.line.pushes - pushes <= 15
    assert one.line.fetches - fetches >= HOUR_MS // 18_000
    assert set(kinds(told)) == {"DidPublish"}
    assert state()[0] == "unknown"
    fleet.set_ms -= by_ms
    one.run(20_000)
    assert state() == ("unknown", "host-not-heard")
    assert heard.load(reader.files, reader.layout, "h2").clock == Interval(None, 0)
