"""Life is the harness's, not its owner's: whole sessions, real processes (cases A1-A4, A8)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from itertools import pairwise

from support.wrapped import Wrapped, is_running, settled, until


def adopt(wrapped: Wrapped, *options: str) -> tuple[int, str]:
    done = wrapped.cli("session", "adopt", "h1.w", *options)
    return done.code, done.text + done.errors


def test_the_wrapper_becomes_the_harness_with_the_same_pid(wrapped: Wrapped) -> None:
    process = wrapped.running("sleep", "60")
    with open(f"/proc/{process.pid}/cmdline", "rb") as line:
        assert line.read() == b"sleep\x0060\x00"


def test_a_harness_whose_owner_was_killed_is_never_called_offline(wrapped: Wrapped) -> None:
    """Case A1."""
    process = wrapped.running("sleep", "60")
    wrapped.kill_owner()
    row = wrapped.row()
    assert row["status"] == "available"
    (finding,) = [f for f in row["findings"] if f["code"] == "owner-lost"]
    assert f"owner gone, harness pid {process.pid} alive" in finding["message"]
    assert "st2 session adopt h1.w" in wrapped.cli("why", "h1.w").text
    before = wrapped.claim()
    refused = wrapped.run("true")
    assert refused.code == 1
    assert f"harness pid {process.pid}" in refused.errors
    assert wrapped.claim() == before


def test_an_adopted_harness_is_beaten_for_again_under_its_old_claim(wrapped: Wrapped) -> None:
    """Case A1."""
    process = wrapped.running("sleep", "60")
    wrapped.kill_owner()
    claim, stamp_ms = wrapped.claim(), wrapped.stamp_ms()
    code, said = adopt(wrapped, "--beat", "200")
    assert (code, str(process.pid) in said) == (0, True), said
    assert wrapped.stamp_ms() > stamp_ms
    first_ms = wrapped.stamp_ms()
    until(lambda: wrapped.stamp_ms() >= first_ms + 200)
    assert wrapped.claim() == claim
    process.send_signal(signal.SIGTERM)
    assert wrapped.ended()["exit"] == "signal 15"


def test_a_second_adopt_is_refused_while_an_owner_holds_the_lock(wrapped: Wrapped) -> None:
    """Case A1."""
    wrapped.running("sleep", "60")
    code, said = adopt(wrapped)
    assert code == 1
    assert "an owner runs already" in said
    wrapped.kill_owner()
    assert adopt(wrapped)[0] == 0
    assert adopt(wrapped)[0] == 1


def test_of_two_adopts_at_once_one_owner_comes_out(wrapped: Wrapped) -> None:
    """Case A13: two adopts at once."""
    wrapped.running("sleep", "60")
    for _ in range(5):
        wrapped.kill_owner()
        racers = [
            wrapped.cli.start("session", "adopt", "h1.w", stderr=subprocess.PIPE) for _ in range(4)
        ]
        codes = sorted(racer.wait() for racer in racers)
        for racer in racers:
            racer.communicate()
        assert codes == [0, 1, 1, 1]


def test_a_killed_harness_is_ended_by_signal_9_within_a_second(wrapped: Wrapped) -> None:
    """Case A2."""
    process = wrapped.running("sleep", "60")
    owner = wrapped.owner_pid()
    process.kill()
    until(lambda: wrapped.claim().get("ended_ms"))
    claim = wrapped.claim()
    assert (claim["end_reason"], claim["exit"]) == ("exited", "signal 9")
    assert wrapped.word() == "offline"
    until(lambda: not is_running(owner))
    assert wrapped.row()["presence"]["why"] == "ended"


def test_when_both_are_killed_every_command_says_lost_at_once(wrapped: Wrapped) -> None:
    """Case A3, on this host."""
    process = wrapped.running("sleep", "60")
    wrapped.kill_owner()
    process.kill()
    process.wait()
    row = wrapped.row()
    assert (row["status"], row["presence"]["why"]) == ("offline", "lost")
    assert wrapped.cli("status", "h1.w").text == "offline\n"
    assert "lost" in wrapped.cli("why", "h1.w").text
    assert wrapped.cli("agents", "--status", "offline").text.startswith("h1.w\t")


def test_reading_a_lost_session_fifty_times_writes_nothing(
    wrapped: Wrapped, tree_hash: object
) -> None:
    """Case D5."""
    process = wrapped.running("sleep", "60")
    wrapped.kill_owner()
    process.kill()
    process.wait()
    before = tree_hash(mtimes=True)  # type: ignore[operator]
    for _ in range(17):
        wrapped.cli("agents")
        wrapped.cli("why", "h1.w")
        wrapped.cli("status", "h1.w")
    assert tree_hash(mtimes=True) == before  # type: ignore[operator]
    wrapped.cli("status", "h1.w", "--set", "busy")
    assert tree_hash(mtimes=True) != before  # type: ignore[operator]


def test_a_stopped_harness_is_not_refreshed_and_beats_once_when_it_runs_again(
    wrapped: Wrapped,
) -> None:
    """Case A4."""
    process = wrapped.running("sleep", "60", beat_ms=300)
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    stopped = settled(wrapped.stamp_ms)
    time.sleep(1.2)
    assert wrapped.stamp_ms() == stopped
    process.send_signal(signal.SIGCONT)
    until(lambda: wrapped.stamp_ms() > stopped)
    stamps = [wrapped.stamp_ms()]
    while len(stamps) < 4:
        stamps.append(until(lambda: (now := wrapped.stamp_ms()) > stamps[-1] and now))
    assert all(later - earlier >= 250 for earlier, later in pairwise(stamps))  # no burst


def test_a_silent_harness_stays_available_through_three_windows(wrapped: Wrapped) -> None:
    """Case A8: nothing calls us; the owner alone renews the record."""
    wrapped.running("sleep", "60", beat_ms=100)
    stamps: set[int] = set()

    def looked() -> bool:
        assert wrapped.row()["presence"]["record"] == "available"
        stamps.add(wrapped.stamp_ms())
        return len(stamps) > 5

    until(looked)
