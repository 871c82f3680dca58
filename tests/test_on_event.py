"""The command of `watch --exec`: its bounds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from st2.serve.on_event import OnEvent
from support.wrapped import is_running, until


def environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath)}


def test_one_that_takes_too_long_is_ended_with_all_that_it_started(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    runner = OnEvent(f"sleep 600 & echo $! > {tmp_path}/pid; wait", environment(), limit_ms=5_000)
    runner.put("{}\n", "h1.a1 stale")
    runner.finish()
    assert capfd.readouterr().err == (
        "warning: --exec: h1.a1 stale: took more than 5 s and was ended\n"
    )
    until(lambda: not is_running(int((tmp_path / "pid").read_text())), 60)


def test_the_next_event_is_served_after_one_that_failed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    runner = OnEvent(f"cat >> {tmp_path}/got; kill -9 $$", environment())
    for n in range(3):
        runner.put(f"{n}\n", f"h{n}")
    runner.finish()
    assert (tmp_path / "got").read_text() == "0\n1\n2\n"
    assert capfd.readouterr().err.count("ended by signal 9\n") == 3


def test_one_that_does_not_read_is_no_fault(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    runner = OnEvent("exec true", environment())
    runner.put("x" * 1_000_000, "h1.a1 stale")
    runner.finish()
    assert capfd.readouterr().err == ""


def test_more_than_may_wait_are_not_run_and_that_is_said(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    runner = OnEvent(f"cat {gate} > /dev/null; cat > /dev/null", environment())
    for n in range(1_002):
        runner.put(f"{n}\n", f"event {n}")
    said = capfd.readouterr().err
    runner.stop()
    told = [line.rpartition(": ")[2] for line in said.splitlines()]
    # The first one may have left the queue already, or not yet.
    assert told in [["not run, 1000 events wait already"] * n for n in (1, 2)]
