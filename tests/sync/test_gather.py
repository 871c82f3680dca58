"""What a publish takes along: the records as they lie there, lost sessions ended first."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Self

import pytest

from catalog import claim as claims
from catalog.claim import Claim
from catalog.sync.publish import publish
from support.fleet import START_MS, Fleet

BUSY = b"busy\nv1 5\n"


def a_claim(agent: str = "a1") -> Claim:
    return Claim(
        agent=agent,
        host="h1",
        session="t1",
        generation=1,
        registered_by="st2",
        started_ms=START_MS,
        took_over=False,
    )


class TestCaseA3:
    """Owner and harness both killed: the publisher ends the session, everybody hears it."""

    def test_a_session_whose_harness_is_gone_is_ended_before_it_is_published(
        self, fleet: Fleet
    ) -> None:
        h1 = fleet.host("h1", verdict="gone")
        h1.put("a1", "session.json", claims.render(a_claim()))
        done = publish(h1.site)
        assert done.ended == ("a1",)
        [entry] = fleet.published("h1").entries
        ended = claims.parse(entry.raw)
        assert isinstance(ended, Claim)
        assert (ended.end_reason, ended.exit) == ("lost", None)
        assert publish(h1.site).ended == ()

    @pytest.mark.parametrize("verdict", ["alive", "unknown"])
    def test_no_other_session_is_ended(self, fleet: Fleet, verdict: str) -> None:
        h1 = fleet.host("h1", verdict=verdict)
        h1.put("a1", "session.json", claims.render(a_claim()))
        assert publish(h1.site).ended == ()

    def test_an_owner_that_still_runs_is_left_to_write_the_end(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1", verdict="gone")
        h1.put("a1", "session.json", claims.render(a_claim()))
        with h1.site.files.lock(h1.site.layout.owner_lock("a1"), wait_ms=0):
            assert publish(h1.site).ended == ()

    def test_another_hosts_session_is_never_ended(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1", verdict="gone")
        other = h1.root / "agents/h2/a1/session.json"
        other.parent.mkdir(parents=True)
        other.write_bytes(claims.render(a_claim().with_(host="h2")))
        before = other.read_bytes()
        publish(h1.site)
        assert other.read_bytes() == before


class ARound:
    """A round of looks that says one verdict of every session."""

    def __init__(self, verdict: str) -> None:
        self.said = verdict
        self.open = 0

    def __call__(self) -> Self:
        self.open += 1
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.open -= 1

    def verdict(self, claim: Claim) -> str:
        assert self.open == 1
        return self.said


@pytest.mark.parametrize(
    ("a_round", "alone", "ended"),
    [("gone", "gone", ("a1",)), ("gone", "alive", ()), ("unknown", "gone", ())],
)
def test_a_round_of_looks_says_whom_to_look_at_again_under_its_lock(
    fleet: Fleet, a_round: str, alone: str, ended: tuple[str, ...]
) -> None:
    h1 = fleet.host("h1", verdict=alone)
    h1.put("a1", "session.json", claims.render(a_claim()))
    looks = ARound(a_round)
    assert publish(replace(h1.site, looks=looks)).ended == ended  # type: ignore[arg-type]
    assert looks.open == 0


class TestOddRecords:
    """What cannot be carried is said, and keeps nobody else's records back."""

    def test_a_fifo_for_a_record_is_left_out_and_named(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        h1.put("a1", "seen", b"-\nv1 5\n")
        os.mkfifo(h1.root / "agents/h1/a1/status")
        done = publish(h1.site)
        assert [(f.code, f.message, f.path) for f in done.findings] == [
            ("unreadable", "not published: is a fifo, not a file", "agents/h1/a1/status")
        ]
        assert [e.path for e in fleet.published("h1").entries] == ["a1/seen"]

    def test_a_record_that_is_too_long_is_cut_and_named(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        h1.put("a1", "status", BUSY + b"x" * 300)
        done = publish(h1.site)
        assert [f.code for f in done.findings] == ["record-too-long"]
        assert len(fleet.published("h1").entries[0].raw) == 256

    @pytest.mark.parametrize("raw", [b"busy", b"x" * 255 + b"\nx", b"x" * 256 + b"\nx"])
    def test_what_is_one_line_once_it_is_cut_is_published_with_its_own_file_time(
        self, fleet: Fleet, raw: bytes
    ) -> None:
        h1 = fleet.host("h1")
        h1.put("a1", "seen", raw, mtime_ms=START_MS - 1_234)
        publish(h1.site)
        [entry] = fleet.published("h1").entries
        assert (entry.raw, entry.mtime_ms) == (raw[:256], START_MS - 1_234)

    def test_a_session_that_cannot_be_ended_is_named_and_the_rest_is_published(
        self, fleet: Fleet
    ) -> None:
        h1 = fleet.host("h1", verdict="gone")
        h1.put("a1", "session.json", claims.render(a_claim()))
        (h1.root / h1.site.layout.lock("a1")).mkdir(parents=True)
        done = publish(h1.site)
        assert [f.code for f in done.findings] == ["lost-not-ended"]
        assert fleet.tip("h1") == done.oid
