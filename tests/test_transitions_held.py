"""Hosts that fall silent, and silence that is held back after a sleep or a set clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.transitions import about_clocks
from catalog.watch import Gap
from catalog.windows import STALE_MS, STALL_MS
from catalogs import T
from watched import Watched, begun


@pytest.fixture
def watched(catalog_dir: Path) -> Watched:
    return begun(catalog_dir)


class TestHosts:
    def test_silence_and_return_of_a_host_are_one_event_each(self, watched: Watched) -> None:
        watched.publish()
        assert watched.kinds(STALE_MS - 1) == ["stalled"]
        events = watched.after(1)
        assert [(e.kind, e.host, e.identity, e.sentence) for e in events if e.host == "h2"] == [
            ("host-not-heard", "h2", None, "no publish for 900 s")
        ]
        assert watched.kinds(1_000) == []
        watched.publish()
        [event] = watched.after(3_000)
        told = ("host-back", "h2", "published 3 s ago")
        assert (event.kind, event.host, event.sentence) == told

    def test_a_host_that_is_first_heard_of_is_no_event(self, watched: Watched) -> None:
        watched.look()
        watched.publish()
        assert watched.kinds() == []

    def test_this_host_is_not_watched_by_its_publishes(self, watched: Watched) -> None:
        watched.publish("h1")
        watched.look()
        assert "host-not-heard" not in watched.kinds(STALE_MS)


class TestHeldBack:
    """After this host slept, or its clock was set, silence is not told for a while."""

    def test_nobody_goes_stale_or_stalls_and_afterwards_who_still_is(
        self, watched: Watched
    ) -> None:
        watched.work()
        watched.beat(who="a2")
        watched.publish()
        watched.look()
        watched.holding = True
        assert watched.kinds(8 * 3_600_000) == []
        watched.beat(who="a2")
        assert watched.kinds(1_000) == []
        watched.holding = False
        told = [(event.kind, event.identity or event.host) for event in watched.look()]
        assert told == [("stale", "h1.a1"), ("stalled", "h1.a1"), ("host-not-heard", "h2")]

    def test_what_is_no_silence_is_told_at_once(self, watched: Watched) -> None:
        watched.holding = True
        watched.after(3_600_000)
        watched.claim(ended_ms=watched.now_ms, end_reason="exited", started_ms=T)
        assert watched.kinds() == ["ended"]

    def test_what_was_silent_before_stays_so_and_its_return_is_told(self, watched: Watched) -> None:
        watched.after(STALE_MS)
        watched.holding = True
        assert watched.kinds(3_600_000) == []
        watched.beat()
        assert watched.kinds() == ["word"]

    def test_a_clock_that_was_set_back_calls_nobody_future(self, watched: Watched) -> None:
        watched.holding = True
        assert watched.kinds(-3_600_000) == []
        watched.beat()
        watched.holding = False
        assert watched.kinds() == []

    def test_an_old_stall_is_not_told_twice_for_a_sleep(self, watched: Watched) -> None:
        watched.work()
        assert watched.kinds(STALL_MS + 1) == ["stalled"]
        watched.holding = True
        assert watched.kinds(3_600_000) == []
        watched.holding = False
        assert watched.kinds() == ["stale"]

    def test_a_silence_or_a_stall_alone_takes_no_agent_out_of_routing(
        self, watched: Watched
    ) -> None:
        watched.work()
        watched.look()
        watched.holding = True
        watched.now_ms += STALE_MS
        watched.work()
        assert watched.look() == []
        silent = watched.known["h1.a1"]
        assert (silent.word, silent.activity, silent.routable) == ("available", "progressing", True)
        watched.now_ms += STALE_MS
        watched.beat()
        assert watched.look() == []
        still = watched.known["h1.a1"]
        assert (still.word, still.activity, still.routable) == ("available", "progressing", True)

    def test_work_of_a_host_that_is_not_heard_is_held_as_well(self, catalog_dir: Path) -> None:
        watched = Watched(catalog_dir)
        watched.claim(host="h2")
        watched.beat(host="h2")
        watched.work(host="h2")
        watched.publish()
        watched.look()
        watched.holding = True
        assert watched.kinds(STALE_MS) == []
        assert watched.known["h2.a1"].activity == "progressing"

    def test_a_stall_that_was_told_goes_on_as_it_is(self, watched: Watched) -> None:
        watched.work()
        assert watched.kinds(STALL_MS + 1) == ["stalled"]
        watched.holding = True
        watched.beat()
        assert watched.kinds(STALL_MS) == []
        assert (watched.known["h1.a1"].activity, watched.known["h1.a1"].routable) == ("idle", False)

    def test_a_word_that_is_set_is_told_at_once(self, watched: Watched) -> None:
        watched.holding = True
        watched.beat("busy")
        assert watched.kinds() == ["word"]

    def test_another_session_is_told_as_it_is(self, watched: Watched) -> None:
        watched.holding = True
        watched.now_ms += STALE_MS
        watched.claim(session="s2", generation=2)
        assert watched.kinds() == ["started", "stale"]

    def test_sleep_and_a_set_clock_are_told_in_words(self) -> None:
        rest = "nobody is called silent for the next 300 s"
        assert [
            (e.kind, e.host, e.sentence) for e in about_clocks("h1", Gap(28_800_000, -3_600_000))
        ] == [
            ("slept", "h1", f"this host slept for 28800 s; {rest}"),
            ("clock-set", "h1", f"this host's clock was set back by 3600 s; {rest}"),
        ]
        [event] = about_clocks("h1", Gap(0, 3_600_000))
        assert event.sentence.startswith("this host's clock was set forward by 3600 s; ")
