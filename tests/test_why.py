"""The evidence behind a row where the pages of `examples/why/` do not show it, and its edges."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.claim import UnreadableClaim
from catalog.declared import Broken, Declared
from catalog.offset import Interval
from catalog.presence import Presence
from catalog.roster import Entry, Row
from catalog.seen import Content, Missing, Unreadable
from catalog.survey import Place
from catalog.why import decided, explain
from catalog.witness import Sight
from catalogs import T, claim, record
from test_assess import told

MIN, HOUR, DAY = 60_000, 3_600_000, 86_400_000


def declaration(**changes: object) -> Declared:
    texts = ("name", "description", "desired_state_reason", "driver")
    fields: dict[str, Any] = {"desired_state": "running", "launch": "codex", **dict.fromkeys(texts)}
    fields |= {"path": "agents/h1/a1/agent.kdl", "host": "h1", "agent": "a1", "resources": ()}
    return Declared(**{**fields, "findings": (), **changes})


NONE = Missing()


def lines(
    status: Any = NONE,
    held: Any = None,
    *,
    host: str = "h1",
    known: Declared | None = None,
    broken: bool = False,
    beat_ms: int | None = None,
    looked: bool = True,
    activity: Any = None,
    sight: Sight | None = None,
    **more: Any,
) -> dict[str, str]:
    """What is said of a1 of *host*, each sentence by what it is about."""
    look = None if sight is None else lambda _: sight
    assessed = told(
        status, held, host, look=look, activity=activity, host_beat_ms=beat_ms, now_ms=T
    )
    entry = Entry()
    entry.place = Place(f"agents/{host}/a1", host, "a1", status=status)
    if broken:
        entry.broken.append(Broken("agents/h1/a1/agent.kdl", ()))
    row = Row(host, "a1", known, assessed, ())
    found = explain(row, entry, beat_ms, here=host == "h1", looked=looked, now_ms=T, **more)
    return {line.about: line.sentence for line in found}


@pytest.mark.parametrize(
    ("age_ms", "told"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (1_000, "1 s"),
        (10 * MIN - 1, "599 s"),
        (10 * MIN, "600 s (10 min)"),
        (2 * HOUR - 1, "7199 s (119 min)"),
        (2 * HOUR, "7200 s (2 h)"),
        (2 * DAY - 1, "172799 s (47 h)"),
        (2 * DAY, "172800 s (2 d)"),
    ],
)
def test_a_long_time_is_told_by_its_number_and_its_size(age_ms: int, told: str) -> None:
    fresh = Presence("busy", "busy", "fresh", "record", age_ms, T)
    assert decided(fresh) == f"busy: last beat or set {told} ago, stale at 900 s"
    assert lines(Content(b"busy\n", T - age_ms))["status"].endswith(f"{told} ago")
    ahead = {"status": Content(b"busy\n", T + age_ms)} if age_ms else {}
    assert lines(**ahead)["status"].endswith(f"file time {told} ahead" if age_ms else "no record")


class TestDecided:
    """The rule of each reason, with the number that decided."""

    def rule(self, why: str, age_ms: int | None) -> str:
        return decided(Presence("unknown", "busy", why, "record", age_ms, None))

    def test_a_host_whose_clock_is_ahead_is_stale_by_its_own(self) -> None:
        own = " by its host's clock, which is ahead"
        assert self.rule("stale", 900_000) == "unknown: no beat for 900 s (15 min), stale at 900 s"
        assert (
            self.rule("stale", 899_999)
            == f"unknown: no beat for 899 s (14 min){own}, stale at 900 s"
        )
        assert self.rule("stale", None) == f"unknown: no beat for 0 ms{own}, stale at 900 s"

    @pytest.mark.parametrize(("age_ms", "told"), [(-60_001, "61 s"), (-61_000, "61 s")])
    def test_a_stamp_that_lies_ahead_is_told_as_more_than_is_allowed(
        self, age_ms: int, told: str
    ) -> None:
        found = self.rule("future", age_ms)
        assert found.startswith(f"unknown: its stamp lies {told} ahead of this host's clock, 60 s ")

    def test_an_end_ahead_of_the_clock_is_told_as_such(self) -> None:
        after = "and no word was set since"
        assert self.rule("ended", 0) == f"offline: the session ended 0 ms ago, {after}"
        ahead = f"offline: the session ended 90 s ahead of the clock, {after}"
        assert self.rule("ended", -90_000) == ahead


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (Missing(), "no record"),
        (Unreadable("is a fifo, not a file"), "cannot be read: is a fifo, not a file"),
        (Content(b"busy\n", T - 5_000), "busy on one line, file time 5 s ago"),
        (Content(b"busy\nv2 x\n", T), "busy, in version 2 of the record"),
        (Content(b"unknown\n", T), "line one is unknown"),
        (Content(b"??\n", T), "3 bytes that are no record"),
        (
            Content(record("busy", T - 5_000), 0),
            f"busy, stamp {T - 5_000}, 5 s ago by this host's clock",
        ),
    ],
)
def test_a_record_is_told_as_it_was_found(status: Any, told: str) -> None:
    assert lines(status)["status"] == told


def test_who_has_no_folder_has_no_record() -> None:
    row = Row("h1", "a1", None, told(Missing()), ())
    found = explain(row, Entry(), None, here=True, looked=True, now_ms=T)
    assert {line.about: line.sentence for line in found}["status"] == "no record"


@pytest.mark.parametrize(
    ("known", "broken", "told"),
    [
        (None, False, "nowhere"),
        (None, True, "by a file that cannot be used"),
        (declaration(), False, "agents/h1/a1/agent.kdl: codex, running"),
        (declaration(launch=None), True, "agents/h1/a1/agent.kdl: nothing to launch, running"),
        (declaration(desired_state=None), False, "agents/h1/a1/agent.kdl: codex, state unknown"),
    ],
)
def test_a_declaration_is_told_by_its_file(known: Declared | None, broken: bool, told: str) -> None:
    assert lines(known=known, broken=broken)["declared"] == told


class TestProcess:
    """Whether a process was looked at, and what it showed."""

    @pytest.mark.parametrize(
        ("more", "told"),
        [
            ({"host": "h2", "looked": False}, "not looked at: it runs on another host"),
            ({"looked": False}, "not looked at: --now reads records alone"),
            ({}, "not looked at: no session"),
            ({"held": UnreadableClaim("x")}, "not looked at: whose it is cannot be told"),
            (
                {"held": claim(ended_ms=T, end_reason="exited")},
                "not looked at: the session has ended",
            ),
        ],
    )
    def test_why_none_was(self, more: dict[str, Any], told: str) -> None:
        assert lines(**more)["process"] == told

    @pytest.mark.parametrize(
        ("sight", "terminal", "told"),
        [
            (Sight("alive", 7, True), "one", "harness pid 7: alive; its owner runs"),
            (Sight("alive", 7, True), "", "harness pid 7: alive; its owner runs"),
            (
                Sight("alive", 7, False),
                "none",
                "harness pid 7: alive, without a terminal; no owner runs",
            ),
            (
                Sight("alive", 7, None),
                "gone",
                "harness pid 7: alive, its terminal is gone; its owner cannot be told",
            ),
            (Sight("gone", 7, False), "gone", "harness pid 7: gone; no owner runs"),
            (
                Sight("unknown", None, None),
                "none",
                "no pid was recorded: unknown; its owner cannot be told",
            ),
        ],
    )
    def test_what_it_showed(self, sight: Sight, terminal: str, told: str) -> None:
        assert lines(held=claim(), sight=sight, terminal=terminal)["process"] == told


class TestSession:
    """Who holds the name, since when, and how it ended."""

    @pytest.mark.parametrize(
        ("held", "told"),
        [
            (None, "none was ever registered"),
            (
                UnreadableClaim("no version 1"),
                "session.json cannot be believed: no version 1; the status record decides",
            ),
            (
                claim(started_ms=T - 5_000, took_over=True, previous="s0"),
                "s1, generation 1, started 5 s ago, taking over from s0, not ended",
            ),
            (
                claim(started_ms=T - 5_000, ended_ms=T - 2_000, end_reason="lost"),
                "s1, generation 1, started 5 s ago, ended 2 s ago: lost",
            ),
            (
                claim(started_ms=T, ended_ms=T + 2_000, end_reason="exited", exit="exit 3"),
                "s1, generation 1, started 0 ms ago, ended 2 s ahead: exited with exit 3",
            ),
        ],
    )
    def test_it_is_told(self, held: Any, told: str) -> None:
        assert lines(held=held)["session"] == told

    def test_refreshes_are_told_by_their_names(self) -> None:
        found = lines(
            refreshes={
                "held": Content(record("s1", T - 1_000), 0),
                "seen": Content(record("-", T - 2_000), 0),
            }
        )
        assert found["held"] == "refreshed by its holder s1, 1 s ago"
        assert found["seen"] == "last beat by a caller without a session, 2 s ago"
        unread = lines(refreshes={"held": Unreadable("x"), "seen": Content(b"x", 0)})
        assert "held" not in unread and "seen" not in unread


def test_another_host_and_its_clock_are_told() -> None:
    found = lines(host="h2", clock=Interval(-9_000, -6_000))
    assert found["host"] == "h2 never published here"
    assert found["clock"] == "h2's clock is 6 s to 9 s ahead by this host's clock"
    assert "clock" not in lines(host="h2") and "host" not in lines(clock=Interval(-9_000, -6_000))


def test_the_evidence_comes_in_the_order_of_the_rules() -> None:
    found = lines(
        Content(record("busy", T), 0),
        claim(host="h2", harness="exec", started_ms=T),
        host="h2",
        activity=Missing(),
        clock=Interval(0, 1),
        refreshes={"held": Content(record("s1", T), 0)},
    )
    wanted = "declared session held process status activity note host clock decided routed"
    assert list(found) == wanted.split()
