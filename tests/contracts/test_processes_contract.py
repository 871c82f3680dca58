"""What every Processes port promises, absence included."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from catalog.evidence import Evidence, verdict
from support.harnesses import Fake, MacOverProc, Real, RealForARound, RealWithoutPidfds


@pytest.fixture(params=["fake", "real", "real for a round", "real without pidfds", "macos"])
def harness(request: pytest.FixtureRequest, doll: Path) -> Iterator[Fake | Real]:
    """A living process and the port that looks at it."""
    made = {
        "fake": Fake,
        "real": lambda: Real(doll),
        "real for a round": lambda: RealForARound(doll),
        "real without pidfds": lambda: RealWithoutPidfds(doll),
        "macos": lambda: MacOverProc(doll),
    }[request.param]()
    yield made
    made.close()


def judged(harness: Any, evidence: Any) -> str:
    probe = harness.port.probe(evidence)
    return verdict(evidence, probe, token="t0", generation=1, owner_free=False)


def observed(harness: Any) -> Any:
    return harness.port.observe(harness.pid, token="t0", generation=1)


def test_a_living_process_is_written_down_and_recognised(harness: Any) -> None:
    evidence = observed(harness)
    assert (evidence.pid, evidence.token, evidence.generation) == (harness.pid, "t0", 1)
    assert judged(harness, evidence) == "alive"
    assert observed(harness) == evidence


def test_a_zombie_is_gone_and_cannot_be_written_down(harness: Any) -> None:
    """Case A6."""
    evidence = observed(harness)
    harness.end()
    assert judged(harness, evidence) == "gone"
    assert observed(harness) is None


def test_an_absent_process_is_gone_and_cannot_be_written_down(harness: Any) -> None:
    evidence = observed(harness)
    harness.end()
    harness.reap()
    assert judged(harness, evidence) == "gone"
    assert observed(harness) is None


def test_proof_of_life_is_given_for_a_process_that_lives_and_runs(harness: Any) -> None:
    start = observed(harness).start
    proof = harness.port.living(harness.pid, pidfd(harness), start)
    assert proof is not None and proof.pid == harness.pid
    assert not harness.port.is_gone(harness.pid, None, start)


def test_a_stopped_process_lives_and_gives_no_proof_until_it_runs_again(harness: Any) -> None:
    evidence = observed(harness)
    harness.stop()
    assert harness.port.living(harness.pid, pidfd(harness), evidence.start) is None
    assert not harness.port.is_gone(harness.pid, pidfd(harness), evidence.start)
    assert judged(harness, evidence) == "alive"
    harness.resume()
    assert harness.port.living(harness.pid, pidfd(harness), evidence.start) is not None


def test_a_process_that_ended_is_gone_and_its_status_is_known_before_it_is_reaped(
    harness: Any,
) -> None:
    start, fd = observed(harness).start, pidfd(harness)
    harness.end()
    assert harness.port.living(harness.pid, fd, start) is None
    assert harness.port.is_gone(harness.pid, fd, start)
    told = harness.port.exit_status(harness.pid, fd, start, wait_ms=0)
    assert told == (None if is_formatted(harness) else 9), "only a parent is told on macOS"


def test_another_process_under_the_same_number_is_not_the_one_that_was_seen(harness: Any) -> None:
    """Where only a formatted time is shown, a different one proves nothing: never gone by it."""
    other = replaced(observed(harness), start="~Sat_Nov_29_19:45:00_2025", pidfd="")
    if not is_formatted(harness):
        other = replaced(observed(harness), start="7", pidfd="")
    assert harness.port.living(harness.pid, None, other.start) is None
    assert harness.port.is_gone(harness.pid, None, other.start) is not is_formatted(harness)
    assert judged(harness, other) == ("unknown" if is_formatted(harness) else "gone")


def test_another_boot_is_the_end_of_every_process_before_it(harness: Any) -> None:
    """Case A6."""
    assert judged(harness, replaced(observed(harness), boot="another")) == "gone"


def test_a_slow_look_proves_nothing(harness: Any) -> None:
    """Case A6."""
    evidence = observed(harness)
    probe = harness.port.probe(evidence)
    for took_ms, wanted in ((1_000, "alive"), (1_001, "unknown")):
        probe.took_ms = took_ms
        assert verdict(evidence, probe, token="t0", generation=1, owner_free=True) == wanted


def test_a_look_says_how_long_it_took(harness: Any) -> None:
    assert harness.port.probe(observed(harness)).took_ms >= 0


def test_a_number_that_is_nobody_s_is_absent(harness: Any) -> None:
    free = 2**22 + 1
    assert harness.port.observe(free, token="t0", generation=1) is None
    assert judged(harness, replaced(observed(harness), pid=free)) == "gone"
    assert harness.port.living(free, None, "1") is None


def replaced(evidence: Evidence, **changes: object) -> Evidence:
    fields = {name: getattr(evidence, name) for name in Evidence.__slots__}
    return Evidence(**{**fields, **changes})


def is_formatted(harness: Any) -> bool:
    """Whether only a formatted start time is known there."""
    return isinstance(harness, MacOverProc)


def pidfd(harness: Any) -> int | None:
    """A real pidfd, or what the port has in its place."""
    opened: int | None = harness.port.open(harness.pid)
    if opened is not None and opened < 1_000_000:
        _OPENED.append(opened)
    return opened


_OPENED: list[int] = []


def teardown_function() -> None:
    while _OPENED:
        os.close(_OPENED.pop())
