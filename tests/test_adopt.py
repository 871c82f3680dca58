"""A living harness gets an owner: refusals, and the claim of a process that runs already."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from catalog.layout import Layout
from catalog.session_errors import HarnessUnusable
from catalog.store import Writer
from catalog.system.clock import Clock
from catalog.system.files import Files
from catalog.system.processes import host_processes
from catalog.system.procfs import is_kernel_thread
from conftest import Result
from drivers.adopt import claim_running
from support.nobody import as_nobody
from support.unwrapped import harness
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


@pytest.mark.parametrize("options", [[], ["--pid", "4711"]])
def test_where_an_owner_s_lock_cannot_be_asked_no_owner_is_made_up(
    wrapped: Wrapped, options: list[str]
) -> None:
    """Case F9: what lies in the place of the lock is no owner that runs."""
    wrapped.cli("session", "register", "h1.w", "--session", "A")
    layout = wrapped.layout
    Path(layout.absolute(layout.owner_lock("w"))).mkdir(parents=True)
    assert adopt(wrapped, *options).errors == (
        "st2: h1.w: whether an owner runs cannot be told, wanted none\n"
        "hint: st2 doctor says what lies in the way\n"
    )


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


class TestWhoseProcess:
    """What is refused with `--pid`, and why: nobody may speak for what is not his to speak for."""

    def refused(self, wrapped: Wrapped, pid: int, sentence: str) -> None:
        done = adopt(wrapped, "--pid", str(pid))
        assert done.code == 1
        first = done.errors.splitlines()[0]
        assert first == f"st2: h1.w: process {pid} {sentence}, wanted a harness of nobody else"
        assert wrapped.claim() == {}

    def test_an_owner_ends_with_its_harness(self, wrapped: Wrapped) -> None:
        wrapped.declare("other")
        wrapped.running("sleep", "60", agent="other")
        owner = wrapped.owner_pid("other")
        self.refused(wrapped, owner, "is an owner of st2's, which ends with its harness")

    def test_one_process_is_one_agent_s_session(self, wrapped: Wrapped) -> None:
        wrapped.declare("other")
        process = wrapped.running("sleep", "60", agent="other")
        self.refused(wrapped, process.pid, "is the harness of h1.other")

    @pytest.mark.skipif(not is_kernel_thread(2), reason="sees no thread of the kernel from here")
    def test_a_thread_of_the_kernel_runs_no_program(self, wrapped: Wrapped) -> None:
        self.refused(wrapped, 2, "is a thread of the kernel, which runs no program")

    def test_st2_itself_ends_with_the_command(self, wrapped: Wrapped) -> None:
        script = 'exec "$0" session adopt h1.w --pid $$'
        done = subprocess.run(
            ["sh", "-c", script, str(wrapped.cli.command)],
            env=wrapped.cli.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, wrapped.claim()) == (1, {})
        assert " is st2 itself, which ends with this command, wanted " in done.stderr

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root has processes that others have not")
    def test_another_user_s_process_is_that_user_s(self) -> None:
        def work(root: str) -> str:
            writer = Writer(Files(root), Layout(root, "h1"))
            try:
                claim_running(
                    "w",
                    os.getppid(),
                    writer=writer,
                    processes=host_processes(),
                    clock=Clock(),
                    node=None,
                    force=False,
                    beat_ms=300_000,
                    say=print,
                    transcript_of=lambda harness, pid: "",
                )
            except HarnessUnusable as refused:
                return refused.sentence.replace(str(os.getppid()), "N")
            return "claimed"

        told = as_nobody(work)
        assert told == (
            "process N belongs to uid 0, this is uid 65534, wanted a harness of nobody else"
        )

    def test_an_agent_may_have_its_own_harness_adopted(self, wrapped: Wrapped) -> None:
        """It is above the caller, and just the process that the session is about."""
        script = 'echo $$; "$ST2" session adopt h1.w --pid $$; "$ST2" session show h1.w --json; :'
        code, out, err = harness(wrapped.cli, script)
        pid, _, shown = out.splitlines()
        assert (code, err) == (0, "")
        found = json.loads(shown)
        assert found["process"] == {"pid": int(pid), "verdict": "alive"}
        assert (found["harness"], found["owner"]) == ("claude", {"running": True})
        assert wrapped.ended()["exit"] == "exit 0"
