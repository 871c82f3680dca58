"""The loop of a watcher: when it looks, what a sleep and a set clock do, and that it agrees."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.heard import Heard, save
from catalog.offset import Interval
from catalog.windows import REFRESH_MS, RESCAN_MS, STALE_MS
from catalogs import agent, claim, record
from followed import HOUR, Followed

Step = tuple[str, str, str, str, int, int]
AGENTS = [f"a{n}" for n in range(5)]


@pytest.fixture
def followed(catalog_dir: Path) -> Iterator[Followed]:
    """Five agents whose owners beat each 300 s, watched from just after a beat of each."""
    made = Followed(catalog_dir)
    for n, who in enumerate(AGENTS):
        made.beat(who)
        made.owner(who, first_ms=300_000 + n * 100)
    made.start()
    yield made
    made.following.close()


def test_it_begins_with_how_each_one_stands(catalog_dir: Path) -> None:
    followed = Followed(catalog_dir)
    followed.beat()
    assert [event.kind for event in followed.following.look().events] == ["present"]
    assert followed.following.look().events == []


class TestTime:
    def test_a_day_of_beats_is_no_event(self, followed: Followed) -> None:
        assert followed.run(HOUR) == []

    def test_an_agent_goes_stale_at_its_edge_to_the_millisecond(self, catalog_dir: Path) -> None:
        followed = Followed(catalog_dir)
        followed.beat()
        followed.clocks.run(12_345)
        followed.start()
        began = followed.clocks.boot
        assert followed.run(HOUR) == ["stale h1.a1"]
        [(at_ms, _)] = followed.events
        assert at_ms - began == STALE_MS - 12_345

    def test_a_change_without_a_hint_is_seen_after_a_while(self, followed: Followed) -> None:
        began = followed.clocks.boot
        followed.at(5_000, lambda: followed.beat("a1", "busy"), hint=False)
        assert followed.run(10 * RESCAN_MS) == ["word h1.a1"]
        assert followed.events[0][0] - began <= RESCAN_MS

    def test_a_change_with_a_hint_is_seen_at_once(self, followed: Followed) -> None:
        followed.at(5_000, lambda: followed.beat("a1", "busy"))
        assert followed.run(5_000) == ["word h1.a1"]

    def test_a_named_agent_alone_is_watched_also_after_it_was_gone(self, catalog_dir: Path) -> None:
        followed = Followed(catalog_dir, "a1")
        followed.beat("a1")
        followed.beat("a2")
        followed.start()
        status = catalog_dir / "agents/h1/a1/status"
        followed.at(1_000, status.unlink)
        followed.at(2_000, lambda: followed.beat("a2", "busy"))
        followed.at(3_000, lambda: followed.beat("a1"))
        assert followed.run(10_000) == ["gone h1.a1", "appeared h1.a1"]


class TestHosts:
    def test_a_host_whose_clock_is_behind_is_not_heard_as_late_as_the_table_says_so(
        self, catalog_dir: Path
    ) -> None:
        followed = Followed(catalog_dir)
        followed.beat("b", host="h2")
        beat = catalog_dir / "hosts/h2/beat"
        beat.parent.mkdir(parents=True)
        beat.write_bytes(record("0123456789abcdef", followed.clocks.wall))
        heard = Heard(followed.clocks.wall, (Interval(20_000, 47_000),))
        save(followed.context.files, followed.context.layout, "h2", heard)
        followed.start()
        began = followed.clocks.boot
        followed.run(HOUR)
        [at_ms] = [at_ms for at_ms, event in followed.events if event.kind == "host-not-heard"]
        assert at_ms - began == STALE_MS + 47_000


class TestSleep:
    """A host sleeps, with its watcher and its owners; the owners beat after waking."""

    def test_nobody_is_called_stale_before_its_owner_could_speak(self, followed: Followed) -> None:
        followed.hints.plan.clear()
        followed.at(10_000, lambda: followed.clocks.sleep(8 * HOUR), hint=False)
        for n, who in enumerate(AGENTS):
            followed.owner(who, first_ms=8 * HOUR + 250_000 + n * 100)
        assert followed.run(9 * HOUR) == ["slept h1"]

    def test_who_never_speaks_again_is_called_stale_when_the_time_is_over(
        self, followed: Followed
    ) -> None:
        followed.hints.plan.clear()
        followed.at(12_345, lambda: followed.clocks.sleep(HOUR), hint=False)
        followed.owner("a0", first_ms=HOUR + 13_000)
        told = followed.run(HOUR + 400_000)
        assert told == ["slept h1", *(f"stale h1.{who}" for who in AGENTS[1:])]
        slept_ms, stale_ms = followed.events[0][0], followed.events[1][0]
        assert stale_ms - slept_ms == REFRESH_MS

    def test_the_agents_of_other_hosts_are_given_the_same_time(self, followed: Followed) -> None:
        followed.beat("b", host="h2")
        followed.run(1_000)
        followed.hints.plan.clear()
        for who in AGENTS:
            followed.owner(who, first_ms=HOUR + 10_100)
        followed.at(10_000, lambda: followed.clocks.sleep(HOUR), hint=False)
        followed.at(HOUR + 200_000, lambda: followed.beat("b", host="h2"))
        assert followed.run(HOUR + 400_000) == ["slept h1"]

    def test_an_end_is_told_at_once_all_the_same(self, followed: Followed) -> None:
        over = claim(agent="a1", ended_ms=followed.clocks.wall, end_reason="exited")
        followed.at(1_000, lambda: followed.clocks.sleep(HOUR), hint=False)
        followed.at(HOUR + 2_000, lambda: agent(followed.catalog, "a1", session=over))
        assert followed.run(HOUR + 3_000)[:3] == ["slept h1", "started h1.a1", "ended h1.a1"]


class TestSetClock:
    """Case X10, as it is watched: honest, and no flood of events."""

    @pytest.mark.parametrize("step", [HOUR, -HOUR], ids=["forward", "back"])
    def test_it_is_one_event_and_owners_that_beat_on_are_none(
        self, followed: Followed, step: int
    ) -> None:
        def set_clock() -> None:
            followed.clocks.wall += step

        followed.at(10_000, set_clock, hint=False)
        assert followed.run(HOUR) == ["clock-set h1"]
        way = "forward" if step > 0 else "back"
        [(_, event)] = followed.events
        assert event.sentence.startswith(f"this host's clock was set {way} by 3600 s")

    def test_it_is_noticed_within_a_second(self, followed: Followed) -> None:
        def set_clock() -> None:
            followed.clocks.wall += HOUR

        followed.at(10_000, set_clock, hint=False)
        began = followed.clocks.boot
        followed.run(HOUR)
        assert followed.events[0][0] - began <= 11_000

    def test_who_stays_silent_is_called_so_in_the_end(self, followed: Followed) -> None:
        followed.hints.plan.clear()

        def set_clock() -> None:
            followed.clocks.wall += HOUR

        followed.at(10_000, set_clock, hint=False)
        assert followed.run(300_000) == ["clock-set h1"]
        assert followed.run(20_000) == [f"stale h1.{who}" for who in AGENTS]


class TestFoldersThatAreNotThere:
    def test_a_catalog_that_is_moved_away_for_a_while_makes_nobody_gone(
        self, followed: Followed
    ) -> None:
        agents, aside = followed.catalog / "agents", followed.catalog / "aside"
        followed.at(1_000, lambda: agents.rename(aside))
        followed.at(60_000, lambda: aside.rename(agents))
        assert followed.run(120_000) == []

    def test_a_host_folder_that_is_emptied_makes_its_agents_gone(self, followed: Followed) -> None:
        followed.at(1_000, lambda: [_remove(followed.catalog, who) for who in AGENTS])
        assert followed.run(2_000) == [f"gone h1.{who}" for who in AGENTS]


def _remove(catalog: Path, who: str) -> None:
    folder = catalog / "agents/h1" / who
    (folder / "status").unlink()
    folder.rmdir()


words = st.sampled_from(["available", "busy", "away", "dnd", "offline"])
steps = st.tuples(
    st.sampled_from(["status", "activity", "session", "end", "remove", "publish", "garbage"]),
    st.sampled_from(["h1", "h2"]),
    st.sampled_from(["a1", "a2"]),
    words,
    st.integers(-100_000, 1_000_000),
    st.integers(1, 700_000),
)


def _act(followed: Followed, step: Step) -> None:
    what, host, who, word, age_ms, _ = step
    at_ms = followed.clocks.wall - age_ms
    folder = followed.catalog / "agents" / host / who
    if what == "remove":
        for path in folder.glob("*"):
            path.unlink()
    elif what == "publish":
        beat = followed.catalog / "hosts" / host / "beat"
        beat.parent.mkdir(parents=True, exist_ok=True)
        beat.write_bytes(record("0123456789abcdef", at_ms))
    elif what in ("session", "end"):
        over = {"ended_ms": at_ms, "end_reason": "exited"} if what == "end" else {}
        number = followed.clocks.boot % 1_000 + 1
        one = claim(agent=who, host=host, started_ms=at_ms, generation=number, **over)
        agent(followed.catalog, who, host, session=one)
    else:
        agent(followed.catalog, who, host)
        raw = b"\0" * 9 if what == "garbage" else record(word, at_ms)
        raw = record("running", at_ms) if what == "activity" else raw
        (folder / ("activity" if what == "activity" else "status")).write_bytes(raw)


@settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
@given(script=st.lists(steps, min_size=1, max_size=8))
def test_a_watcher_and_a_roster_never_disagree_for_longer_than_a_step(
    script: list[Step],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "agents").mkdir()
        followed = Followed(Path(folder))
        followed.check = followed.agreed
        followed.start()
        at_ms = 0
        for step in script:
            at_ms += step[5]
            followed.at(at_ms, _acting(followed, step), hint=True)
        followed.run(at_ms + 1_000_000)
        followed.agreed()
        followed.following.close()


def _acting(followed: Followed, step: Step) -> Callable[[], object]:
    return lambda: _act(followed, step)
