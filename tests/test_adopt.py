"""A living harness gets an owner: refusals, and the claim of a process that runs already."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from conftest import Result
from support.wrapped import Wrapped, is_running, until


def adopt(wrapped: Wrapped, *options: str) -> Result:
    return wrapped.cli("session", "adopt", "h1.w", *options)


@pytest.fixture
def stranger(wrapped: Wrapped, doll: Path) -> subprocess.Popen[bytes]:
    """A process that runs already and that nobody wrapped."""
    process = subprocess.Popen([doll, "sleep"], stdout=subprocess.DEVNULL)
    wrapped.started.append(process)
    return process


def test_without_a_session_there_is_nothing_to_adopt(wrapped: Wrapped) -> None:
    done = adopt(wrapped)
    assert (done.code, done.errors) == (
        1,
        "st2: h1.w: no session, wanted one that lives\n"
        "hint: st2 session adopt AGENT --pid N claims a process that runs\n",
    )
    assert wrapped.claim() == {}


def test_an_ended_session_cannot_be_adopted(wrapped: Wrapped) -> None:
    wrapped.run("true")
    wrapped.ended()
    done = adopt(wrapped)
    assert done.code == 1
    assert done.errors.startswith("st2: h1.w: its session has ended (exited), wanted one that")


def test_a_session_whose_harness_is_gone_cannot_be_adopted(wrapped: Wrapped) -> None:
    process = wrapped.running("sleep", "60")
    wrapped.kill_owner()
    process.kill()
    process.wait()
    before = wrapped.claim()
    done = adopt(wrapped)
    assert done.code == 1
    assert f"harness pid {process.pid} is gone, wanted one that lives" in done.errors
    assert wrapped.claim() == before


def test_a_session_without_evidence_cannot_be_adopted(wrapped: Wrapped) -> None:
    wrapped.running("sleep", "60")
    wrapped.kill_owner()
    (wrapped.cli.catalog / ".st2/h1/process/w").unlink()
    done = adopt(wrapped)
    assert done.code == 1
    assert "no process is recorded for its session" in done.errors


def test_a_broken_claim_cannot_be_adopted(wrapped: Wrapped) -> None:
    (wrapped.folder() / "session.json").write_bytes(b"{")
    done = adopt(wrapped)
    assert done.code == 1
    assert "agents/h1/w/session.json: found not one JSON object" in done.errors


def test_a_process_that_runs_already_can_be_claimed_by_its_pid(
    wrapped: Wrapped, stranger: subprocess.Popen[bytes]
) -> None:
    done = adopt(wrapped, "--pid", str(stranger.pid), "--beat", "100")
    assert done.code == 0, done.errors
    claim = wrapped.claim()
    assert (claim["registered_by"], claim["generation"]) == ("adopt", 1)
    assert wrapped.word() == "available"
    stamp = wrapped.stamp_ms()
    until(lambda: wrapped.stamp_ms() > stamp)
    assert wrapped.run("true").code == 1
    stranger.terminate()
    assert wrapped.ended()["exit"] == "signal 15"
    assert wrapped.word() == "offline"


def test_a_claimed_process_that_is_killed_with_its_owner_is_lost_at_once(
    wrapped: Wrapped, stranger: subprocess.Popen[bytes]
) -> None:
    assert adopt(wrapped, "--pid", str(stranger.pid)).code == 0
    wrapped.kill_owner()
    stranger.kill()
    stranger.wait()
    assert wrapped.row()["presence"]["why"] == "lost"


def test_a_name_that_a_living_session_holds_is_not_claimed_for_another_process(
    wrapped: Wrapped, stranger: subprocess.Popen[bytes]
) -> None:
    process = wrapped.running("sleep", "60")
    before = wrapped.claim()
    assert adopt(wrapped, "--pid", str(stranger.pid)).code == 1
    wrapped.kill_owner()
    refused = adopt(wrapped, "--pid", str(stranger.pid))
    assert refused.code == 1
    assert f"harness pid {process.pid}" in refused.errors
    assert wrapped.claim() == before


@pytest.mark.parametrize("pid", ["0", "-1", "4194304"])
def test_a_pid_that_is_no_process_is_refused(wrapped: Wrapped, pid: str) -> None:
    assert adopt(wrapped, "--pid", pid).code in (1, 2)
    assert wrapped.claim() == {}


def test_a_zombie_cannot_be_claimed(wrapped: Wrapped, stranger: subprocess.Popen[bytes]) -> None:
    stranger.kill()
    until(lambda: not is_running(stranger.pid))
    done = adopt(wrapped, "--pid", str(stranger.pid))
    assert done.code == 1
    assert f"process {stranger.pid} cannot be seen to live" in done.errors


def test_adopting_says_pid_session_and_generation_and_show_agrees(wrapped: Wrapped) -> None:
    process = wrapped.running("sleep", "60")
    wrapped.kill_owner()
    shown = json.loads(wrapped.cli("session", "show", "h1.w", "--json").out)
    assert shown["process"] == {"pid": process.pid, "verdict": "alive"}
    assert shown["owner"] == {"running": False}
    done = adopt(wrapped)
    assert str(process.pid) in done.text
    shown = json.loads(wrapped.cli("session", "show", "h1.w", "--json").out)
    assert shown["owner"] == {"running": True}
