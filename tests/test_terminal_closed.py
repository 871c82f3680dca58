"""A harness that goes on without the terminal that it was started in."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import sys
import termios
import time
from pathlib import Path

import pytest

from support.wrapped import Wrapped, settled, until

LONG = 60.0
STUBBORN = "trap '' HUP TERM; while :; do read -r line || sleep 0.2; done"


def ticks(pid: int) -> int:
    """Processor time that *pid* has used, in ticks of a hundredth of a second."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def process_line(wrapped: Wrapped) -> str:
    lines = wrapped.cli("why", "w").text.splitlines()
    return next(line for line in lines if line.startswith("  process"))


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells of terminals")
def test_a_harness_that_outlives_its_terminal_costs_us_nothing_and_why_says_so(
    wrapped: Wrapped,
) -> None:
    """Case F14."""
    leader, follower = pty.openpty()

    def take_terminal() -> None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    streams = dict.fromkeys(("stdin", "stdout", "stderr"), follower)
    popen = {**streams, "preexec_fn": take_terminal}
    harness = wrapped.running("sh", "-c", STUBBORN, popen=popen)
    os.close(follower)
    assert f"harness pid {harness.pid}: alive; its owner runs" in process_line(wrapped)
    owner = wrapped.owner_pid()
    os.close(leader)
    harness.terminate()
    until(lambda: "its terminal is gone" in process_line(wrapped), LONG)
    assert f"harness pid {harness.pid}: alive, its terminal is gone; its owner runs" in (
        process_line(wrapped)
    )
    before, switches = ticks(owner), settled(lambda: _switches(owner))
    time.sleep(2)
    assert ticks(owner) - before <= 1
    assert _switches(owner) - switches <= 3
    assert harness.poll() is None


def _switches(pid: int) -> int:
    """How often *pid* has gone to sleep: it was awake as often."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("voluntary_ctxt_switches"):
            return int(line.split()[1])
    raise AssertionError("no count of switches")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells of terminals")
def test_a_harness_that_never_had_a_terminal_is_said_to_have_none(wrapped: Wrapped) -> None:
    harness = wrapped.running("sleep", "600", popen={"start_new_session": True})
    assert f"harness pid {harness.pid}: alive, without a terminal; " in process_line(wrapped)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells of states")
def test_a_harness_that_is_stopped_is_said_to_be(wrapped: Wrapped) -> None:
    harness = wrapped.running("sleep", "600")
    harness.send_signal(signal.SIGSTOP)
    stopped = f"harness pid {harness.pid}: alive, stopped; its owner runs"
    until(lambda: stopped in process_line(wrapped))
    harness.send_signal(signal.SIGCONT)
    until(lambda: "stopped" not in process_line(wrapped))
