"""Events between two looks: one a change, one notice an episode, none for what is held back."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.transitions import present, step
from catalog.windows import ABANDON_MS, STALE_MS, STALL_MS
from catalog.witness import Sight
from catalogs import T
from watched import Watched, begun


@pytest.fixture
def watched(catalog_dir: Path) -> Watched:
    return begun(catalog_dir)


class TestWords:
    def test_nothing_changed_is_no_event(self, watched: Watched) -> None:
        assert watched.kinds(1_000) == []

    def test_a_word_that_was_set_is_one_event_with_both_words(self, watched: Watched) -> None:
        watched.beat("busy")
        [event] = watched.look()
        assert (event.kind, event.identity, event.was, event.word, event.sentence) == (
            *("word", "h1.a1", "available", "busy"),
            "busy: last beat or set 0 ms ago, stale at 900 s",
        )
        assert event.host == "h1"

    def test_it_goes_stale_at_the_edge_without_any_file_changing(self, watched: Watched) -> None:
        watched.work()
        assert watched.kinds(STALE_MS - 1) == ["stalled"]
        [event] = watched.after(1)
        assert (event.kind, event.was, event.word, event.sentence) == (
            *("stale", "available", "unknown"),
            "unknown: no beat for 900 s (15 min), stale at 900 s",
        )
        assert watched.kinds(STALE_MS) == []

    def test_coming_back_from_silence_is_a_word(self, watched: Watched) -> None:
        watched.after(STALE_MS)
        watched.beat()
        [event] = watched.look()
        assert (event.kind, event.was, event.word) == ("word", "unknown", "available")

    def test_a_stamp_ahead_is_a_word_and_no_staleness(self, watched: Watched) -> None:
        watched.put("status", b"busy\nv1 %d\n" % (T + 60_001))
        [event] = watched.look()
        assert (event.kind, event.word) == ("word", "unknown")
        assert watched.kinds(1) == ["word"]

    def test_a_row_comes_and_goes(self, watched: Watched) -> None:
        watched.beat(who="a2")
        [event] = watched.look()
        assert (event.kind, event.identity, event.was, event.word) == (
            *("appeared", "h1.a2", None, "available"),
        )
        assert event.row in watched.rows()
        watched.forget("a2")
        [event] = watched.look()
        assert (event.kind, event.identity, event.was, event.word, event.row) == (
            *("gone", "h1.a2", "available", None, None),
        )
        assert (event.host, event.sentence) == ("h1", "no declaration and no record is left")
        assert watched.kinds() == []

    def test_where_a_watcher_begins_each_row_says_how_it_stands(self, watched: Watched) -> None:
        [event] = present(watched.rows())
        assert (event.kind, event.was, event.word) == ("present", None, "available")
        assert event.sentence == "available: last beat or set 0 ms ago, stale at 900 s"

    def test_who_is_not_seen_in_a_folder_that_cannot_be_looked_into_is_not_gone(
        self, watched: Watched
    ) -> None:
        assert step(watched.known, [], holding=False, unseen=("h1",)) == (watched.known, [])
        after, [event] = step(watched.known, [], holding=False, unseen=("h2",))
        assert (after, event.kind) == ({}, "gone")


class TestSessions:
    def test_an_end_says_how_and_takes_the_word_with_it(self, watched: Watched) -> None:
        watched.now_ms += 1_000
        watched.beat("offline")
        watched.claim(ended_ms=T + 1_000, end_reason="exited", exit="exit 7", started_ms=T)
        [event] = watched.look()
        assert (event.kind, event.was, event.word, event.sentence) == (
            *("ended", "available", "offline"),
            "session s1, generation 1: exited with exit 7",
        )
        assert watched.kinds(STALE_MS) == []

    def test_an_end_without_a_status_names_the_reason_alone(self, watched: Watched) -> None:
        watched.claim(ended_ms=T, end_reason="lost", started_ms=T)
        [event] = watched.look()
        assert (event.kind, event.sentence) == ("ended", "session s1, generation 1: lost")

    def test_offline_before_its_end_is_a_word_and_then_an_end(self, watched: Watched) -> None:
        watched.beat("offline")
        assert watched.kinds() == ["word"]
        watched.claim(ended_ms=T, end_reason="stopped", started_ms=T)
        assert watched.kinds() == ["ended"]

    def test_a_harness_that_is_gone_is_an_end_and_not_once_more_when_it_is_written(
        self, watched: Watched
    ) -> None:
        watched.sights["a1"] = Sight("gone", 4711, False)
        [event] = watched.look()
        assert (event.kind, event.word, event.sentence) == (
            *("ended", "offline", "the harness is gone, and nobody wrote the session's end"),
        )
        watched.claim(ended_ms=T + 5_000, end_reason="lost", started_ms=T)
        assert watched.kinds(5_000) == []

    def test_a_takeover_names_both_sessions(self, watched: Watched) -> None:
        watched.claim(session="s2", generation=2, took_over=True, previous="s1")
        [event] = watched.look()
        assert (event.kind, event.sentence) == (
            *("taken-over", "session s2, generation 2, took over from s1"),
        )

    def test_a_session_after_an_ended_one_is_started(self, watched: Watched) -> None:
        watched.claim(ended_ms=T, end_reason="exited")
        watched.look()
        watched.now_ms += 1_000
        watched.claim(session="s2", generation=2)
        watched.beat()
        assert watched.kinds() == ["started", "word"]

    def test_one_that_began_and_ended_between_two_looks_is_both(self, watched: Watched) -> None:
        watched.claim(session="s2", generation=2, ended_ms=T, end_reason="exited")
        assert watched.kinds() == ["started", "ended"]

    def test_so_is_one_after_an_ended_one(self, watched: Watched) -> None:
        watched.claim(ended_ms=T, end_reason="exited")
        watched.look()
        watched.claim(session="s2", generation=2, ended_ms=T, end_reason="exited")
        assert watched.kinds() == ["started", "ended"]

    def test_a_restart_that_nobody_saw_is_one_start(self, watched: Watched) -> None:
        watched.claim(session="s5", generation=5)
        assert watched.kinds() == ["started"]

    def test_a_claim_that_cannot_be_read_for_a_while_starts_and_ends_nothing(
        self, watched: Watched
    ) -> None:
        watched.work()
        watched.kinds(STALL_MS + 1)
        watched.put("session.json", b"<<<<<<< ours\n")
        assert watched.kinds() == []
        watched.claim(started_ms=T)
        assert watched.kinds() == []

    def test_a_word_that_is_set_after_the_end_is_a_word(self, watched: Watched) -> None:
        """Case D8, as it is watched."""
        watched.claim(ended_ms=T, end_reason="exited")
        watched.look()
        watched.now_ms += 1
        watched.beat("busy")
        assert watched.kinds() == ["word"]


class TestWork:
    def test_a_stall_is_one_notice_however_often_one_looks_and_a_new_one_another(
        self, watched: Watched
    ) -> None:
        """Case E13."""
        watched.work()
        assert watched.kinds(STALL_MS) == []
        [event] = watched.after(1)
        assert (event.kind, event.sentence) == (
            *("stalled", "no activity for 360 s; stalled after 360 s, idle after 600 s"),
        )
        for _ in range(10):
            watched.beat()
            assert watched.kinds(1_000) == []
        watched.work()
        [event] = watched.look()
        assert (event.kind, event.sentence) == ("moving", "work lands again, after 370 s without")
        watched.beat()
        assert watched.kinds(STALL_MS) == []
        watched.beat()
        assert watched.kinds(4_000) == ["stalled"]

    def test_work_that_lands_beside_what_cannot_be_measured_lands_again(
        self, watched: Watched
    ) -> None:
        watched.work()
        assert watched.kinds(STALL_MS + 1) == ["stalled"]
        watched.put("activity", b"??\n")
        assert watched.kinds() == []
        watched.work()
        [event] = watched.look()
        assert (event.kind, event.sentence) == ("moving", "work lands again")

    def test_a_stall_that_ends_with_an_older_stamp_was_0_s_long(self, watched: Watched) -> None:
        watched.work()
        assert watched.kinds(STALL_MS + 1) == ["stalled"]
        watched.now_ms = T + 999
        watched.put("activity", b"running\nv1 %d\n" % (T - 5_000))
        [event] = watched.look()
        assert (event.kind, event.sentence) == ("moving", "work lands again, after 0 s without")

    def test_a_stall_that_becomes_idle_is_the_same_episode(self, watched: Watched) -> None:
        watched.work()
        assert watched.kinds(STALL_MS + 1) == ["stalled"]
        assert watched.kinds(ABANDON_MS - STALL_MS) == []

    def test_the_sentence_counts_from_the_last_success(self, watched: Watched) -> None:
        watched.work()
        [event] = watched.after(412_345)
        assert event.sentence.startswith("no activity for 412 s; ")

    def test_a_stall_behind_a_silent_host_is_not_told_again_when_it_is_back(
        self, catalog_dir: Path
    ) -> None:
        watched = Watched(catalog_dir)
        watched.claim(host="h2")
        watched.beat(host="h2")
        watched.work(host="h2")
        watched.look()
        watched.now_ms += STALL_MS + 1
        watched.publish()
        assert watched.kinds() == ["stalled"]
        assert watched.kinds(STALE_MS) == ["stale", "host-not-heard"]
        watched.put("activity", b"running\nv1 %d\n" % (watched.now_ms - STALL_MS - 1), host="h2")
        watched.publish()
        assert watched.kinds() == ["host-back"]

    def test_a_stall_ends_unsaid_with_its_session(self, watched: Watched) -> None:
        watched.work()
        watched.after(STALL_MS + 1)
        watched.claim(ended_ms=watched.now_ms, end_reason="exited", started_ms=T)
        assert watched.kinds() == ["ended"]

    def test_a_new_session_that_stalls_is_a_new_episode(self, watched: Watched) -> None:
        watched.work()
        watched.after(STALL_MS + 1)
        watched.claim(session="s2", generation=2)
        watched.forget_work()
        assert watched.kinds() == ["started"]
        watched.beat()
        assert watched.kinds(STALL_MS) == []
        assert watched.kinds(1) == ["stalled"]

    def test_what_was_stalled_when_the_watcher_came_is_not_told_again(
        self, watched: Watched
    ) -> None:
        watched.work()
        watched.now_ms += STALL_MS + 1
        watched.known = {}
        assert watched.kinds() == ["appeared"]
        assert watched.kinds(1_000) == []
        watched.work()
        assert watched.kinds() == ["moving"]


def test_events_are_in_order_of_bus_ids(catalog_dir: Path) -> None:
    watched = Watched(catalog_dir)
    for who, host in (("b", "h1"), ("a", "h2"), ("a", "h1")):
        watched.beat(who=who, host=host)
    assert [event.identity for event in watched.look()] == ["h1.a", "h1.b", "h2.a"]
    watched.forget("b")
    watched.beat("away", who="a", host="h2")
    assert [event.identity for event in watched.look()] == ["h1.b", "h2.a"]
