"""Killed at random moments: every record whole, every reading honest (case A9 and beyond).

ST2_KILLS multiplies the rounds; 10 makes it five hundred starts.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter

import pytest

from catalog.assess import Assessed, assess
from catalog.claim import Claim, UnreadableClaim
from catalog.record import Record, parse
from catalog.seen import Content, Missing
from catalog.system.processes import host_processes
from catalog.witness import Witness
from catalogs import now_ms
from support.wrapped import Wrapped, until

TIMES = int(os.environ.get("ST2_KILLS", "1"))
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600 * TIMES)]


class Eye:
    """Reads one agent as the commands do, without their start."""

    def __init__(self, wrapped: Wrapped) -> None:
        self.wrapped = wrapped
        self.witness = Witness(wrapped.reader, host_processes(), now_ms=now_ms)

    def claim(self) -> Claim | None:
        found = self.wrapped.reader.claim("h1", "w")
        assert not isinstance(found, UnreadableClaim), found.why
        return found

    def word(self) -> str | None:
        """The word of the record, which has to be whole."""
        found = self.wrapped.reader.record("h1", "w", "status")
        if isinstance(found, Missing):
            return None
        assert isinstance(found, Content)
        record = parse(found.raw)
        assert isinstance(record, Record), found.raw
        return record.word

    def row(self) -> Assessed:
        reader = self.wrapped.reader
        return assess(
            reader.layout,
            "h1",
            "w",
            status=reader.record("h1", "w", "status"),
            claim=self.claim(),
            host_beat_ms=None,
            look=self.witness.look,
            now_ms=int(time.time() * 1_000),
        )

    def free(self) -> bool:
        """Whether the next start would get the name at once."""
        claim = self.claim()
        if claim is None or claim.ended:
            return True
        return self.witness.verdict(claim) == "gone" and self.wrapped.reader.owner_free("w") is True


def killed_an_owner(wrapped: Wrapped) -> bool:
    """Kill the owner. One that a dead adopter left may leave by itself first: then adopt anew."""
    try:
        wrapped.kill_owner()
    except (AssertionError, OSError, IndexError, ValueError):
        wrapped.cli("session", "adopt", "h1.w")
        return False
    return True


def has_become(pid: int) -> bool:
    """Whether the wrapper has exec'd the harness (or is no more)."""
    try:
        return "python" not in os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return True


def watched(eye: Eye, pid: int, before: int, seconds: float | None) -> None:
    """See that no beat of a claim newer than *before* comes while the process is still the wrapper.

    For *seconds*; without any, until there is that beat.
    """
    limit = time.monotonic() + (seconds or 0)
    while True:
        claim = eye.claim()
        begun = claim is not None and claim.generation > before and eye.word() == "available"
        assert not begun or has_become(pid)
        if begun if seconds is None else time.monotonic() >= limit:
            return
        time.sleep(0.001)


def test_a_start_killed_at_any_moment_never_beat_as_a_wrapper_and_leaves_a_free_name(
    wrapped: Wrapped,
) -> None:
    """Case A9. However fast the machine is, each fifth is killed at once and each fifth running."""
    eye, dice, outcomes = Eye(wrapped), random.Random(9), Counter[str]()
    began = time.monotonic()
    wrapped.start("sleep", "60")
    until(lambda: eye.word() == "available")
    longest = (time.monotonic() - began) * 1.3
    wrapped.started[-1].kill()
    wrapped.ended()
    for number in range(50 * TIMES):
        claim = eye.claim()
        before = claim.generation if claim else 0
        process = wrapped.start("sleep", "60")
        any_moment = dice.uniform(0, longest)
        watched(eye, process.pid, before, {0: 0.0, 1: None}.get(number % 5, any_moment))
        process.kill()
        process.wait()
        until(eye.free)
        until(lambda: wrapped.reader.owner_free("w"))
        claim = eye.claim()
        assert claim is not None
        assert not claim.took_over or outcomes["replaceable"]
        if claim.generation == before:
            outcomes["no claim"] += 1
        elif not claim.ended:
            outcomes["replaceable"] += 1
        else:
            outcomes[f"{claim.end_reason} {claim.exit}"] += 1
        assert eye.row().presence.state == "offline"
    print(dict(outcomes))
    assert set(outcomes) <= {"no claim", "replaceable", "launch-error None", "exited signal 9"}
    assert outcomes["exited signal 9"] and len(outcomes) > 1


def test_owner_and_harness_killed_in_any_order_leave_whole_records_and_honest_readings(
    wrapped: Wrapped,
) -> None:
    eye, dice = Eye(wrapped), random.Random(11)
    for _ in range(20 * TIMES):
        process = wrapped.running("sleep", "60", beat_ms=20)
        owner = wrapped.owner_pid()
        victims = dice.choice([[owner], [process.pid], [owner, process.pid], [process.pid, owner]])
        time.sleep(dice.uniform(0, 0.06))
        for victim in victims:
            assert eye.row().presence.state == "available" or process.pid in victims[:1]
            os.kill(victim, signal.SIGKILL)
            time.sleep(dice.choice([0, 0, dice.uniform(0, 0.03)]))
        if process.pid in victims:
            process.wait()
            assert eye.row().presence.state == "offline"
            assert eye.word() in ("available", "offline")
        else:
            until(lambda: wrapped.reader.owner_free("w"))
            row = eye.row()
            assert row.presence.state == "available"
            assert [finding.code for finding in row.findings] == ["owner-lost"]
            process.kill()
            process.wait()
        until(eye.free)
        assert eye.row().presence.why in ("ended", "lost")


def test_an_adopter_killed_at_any_moment_leaves_the_session_to_be_adopted(
    wrapped: Wrapped,
) -> None:
    eye, dice = Eye(wrapped), random.Random(13)
    wrapped.running("sleep", "60")
    claim = eye.claim()
    for _ in range(10 * TIMES):
        until(lambda: killed_an_owner(wrapped))
        adopter = wrapped.cli.start("session", "adopt", "h1.w", stderr=subprocess.DEVNULL)
        time.sleep(dice.uniform(0, 0.25))
        adopter.kill()
        adopter.wait()
        assert eye.claim() == claim
        if wrapped.reader.owner_free("w"):
            # The adopter may have left an owner behind that has not locked yet: then it is held.
            code = wrapped.cli("session", "adopt", "h1.w").code
            assert code == 0 or wrapped.reader.owner_free("w") is False
        assert eye.row().presence.state == "available"
