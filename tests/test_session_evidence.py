"""What `st2 session register` writes down of a process, and what an end by command does."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.system.ancestry import ancestors
from catalogs import agent, declared, now_ms
from conftest import Cli
from support.unwrapped import Unwrapped, harness


@pytest.fixture
def a1(cli: Cli) -> Unwrapped:
    """Agent a1 of h1, without a session."""
    return Unwrapped(cli)


class TestProcess:
    """What is written down of a harness: the one around the caller, never a shell."""

    def test_the_harness_above_the_caller_is_its_evidence(self, a1: Unwrapped) -> None:
        script = 'echo $$; "$ST2" session register a1 --session A; "$ST2" session show a1 --json; :'
        code, out, err = harness(a1.cli, script)
        pid, _, shown = out.splitlines()
        assert (code, err) == (0, "")
        found = json.loads(shown)
        assert found["process"] == {"pid": int(pid), "verdict": "alive"}
        assert (found["harness"], found["owner"]) == ("claude", {"running": False})
        # Its pid may rotate, as one that was learnt from a hook: for a while gone is not final.
        shown = json.loads(a1.cli("session", "show", "a1", "--json").out)
        assert shown["process"]["verdict"] == "unknown"
        a1.rewrite(started_ms=1)
        a1.put("held", "A", now_ms() - 600_001)
        assert a1.cli("status", "a1").text == "offline\n"

    def test_a_shell_is_no_evidence(self, a1: Unwrapped) -> None:
        script = 'env -u CLAUDECODE "$ST2" session register a1 --session A; :'
        code, _, _ = harness(a1.cli, script, name="deploy-bot")
        above = [each.split(b"\0")[0] for each in ancestors_argv()]
        if any(each.rpartition(b"/")[2] in (b"claude", b"codex", b"pi") for each in above):
            pytest.skip("a harness runs this test")
        assert (code, a1.evidence.exists()) == (0, False)

    def test_a_process_that_is_another_agent_s_vouches_for_no_second_one(
        self, a1: Unwrapped
    ) -> None:
        agent(a1.cli.catalog, "b", kdl=declared("b"))
        script = (
            '"$ST2" session register a1 --session A; "$ST2" session register b --session A;'
            ' "$ST2" session show b --json; :'
        )
        code, out, err = harness(a1.cli, script)
        assert code == 0 and "is h1.a1's harness already" in err
        assert json.loads(out.splitlines()[-1])["process"] is None

    def test_the_evidence_of_a_session_with_an_owner_stays_its_owner_s(self, a1: Unwrapped) -> None:
        a1.register("A")
        a1.rewrite(registered_by="wrapper")
        code, _, _ = harness(a1.cli, '"$ST2" session register a1 --session A; :')
        assert (code, a1.evidence.exists()) == (0, False)
        a1.rewrite(registered_by="hook")
        harness(a1.cli, '"$ST2" session register a1 --session A; :')
        assert a1.evidence.exists()


class TestEnd:
    def test_an_end_by_command_is_offline_and_stopped(self, a1: Unwrapped) -> None:
        a1.register("A")
        done = a1.cli("session", "end", "a1")
        assert (done.code, done.text) == (0, "h1.a1: session A ended: stopped\n")
        ended = a1.claim()
        assert (ended["end_reason"], ended["exit"]) == ("stopped", None)
        assert (a1.raw("status") or b"").startswith(b"offline\n")
        assert a1.cli("status", "a1").text == "offline\n"
        assert "ago: stopped" in a1.cli("session", "show", "a1").text

    def test_a_second_end_changes_nothing(
        self, a1: Unwrapped, tree_hash: Callable[..., str]
    ) -> None:
        a1.register("A")
        a1.cli("session", "end", "a1")
        before = tree_hash(mtimes=True)
        done = a1.cli("session", "end", "a1")
        assert (done.code, done.text) == (0, "h1.a1: its session had ended already\n")
        assert tree_hash(mtimes=True) == before

    def test_without_a_session_there_is_nothing_to_end(
        self, a1: Unwrapped, tree_hash: Callable[..., str]
    ) -> None:
        before = tree_hash()
        done = a1.cli("session", "end", "a1")
        assert (done.code, done.errors) == (
            *(
                1,
                "st2: h1.a1: no session was ever registered, wanted an open one\n"
                "hint: st2 session register claims one\n",
            ),
        )
        assert tree_hash() == before

    def test_a_session_that_lost_the_agent_cannot_end_its_successor(
        self, a1: Unwrapped, tree_hash: Callable[..., str]
    ) -> None:
        a1.register("A")
        a1.register("B", "--force")
        before = tree_hash()
        done = a1.cli("session", "end", env={"ST_AGENT": "h1.a1", "ST2_SESSION": "A"})
        assert (done.code, tree_hash()) == (1, before)
        assert done.errors.startswith("st2: h1.a1: held by session B, not by A\n")
        assert a1.cli("session", "end", env={"ST_AGENT": "a1", "ST2_SESSION": "B"}).code == 0

    def test_a_harness_that_lives_on_is_named(self, a1: Unwrapped) -> None:
        script = 'echo $$; "$ST2" session register a1 --session A; "$ST2" session end a1; :'
        _, out, err = harness(a1.cli, script)
        pid = out.splitlines()[0]
        sentence = f"h1.a1: its harness, pid {pid}, still runs, and nothing speaks for it now"
        assert err == f"warning: {sentence}\n"


def ancestors_argv() -> list[bytes]:
    """The command lines of every process above this one."""
    return [Path(f"/proc/{each.pid}/cmdline").read_bytes() for each in ancestors()]


class TestSilence:
    """Case A7 by the command: a pid that was not our own to start may have rotated."""

    @pytest.mark.parametrize("by", ["hook", "register"])
    @pytest.mark.parametrize("clock", ["held", "activity", "started_ms"])
    @pytest.mark.parametrize(("silent_ms", "lost"), [(540_000, False), (600_001, True)])
    def test_a_pid_that_is_gone_makes_a_session_lost_after_silence_alone(
        self, a1: Unwrapped, by: str, clock: str, silent_ms: int, lost: bool
    ) -> None:
        harness(a1.cli, '"$ST2" session register a1 --session A; :')
        (a1.folder / "held").unlink()
        since = now_ms() - silent_ms
        a1.rewrite(registered_by=by, started_ms=since if clock == "started_ms" else 1)
        if clock != "started_ms":
            a1.put(clock, "A" if clock == "held" else "running", since)
        found = json.loads(a1.cli("why", "a1", "--json").out)["presence"]
        wanted = ("offline", "lost") if lost else ("available", "fresh")
        assert (found["state"], found["why"]) == wanted

    def test_who_replaces_it_is_told_that_it_is_gone(self, a1: Unwrapped) -> None:
        harness(a1.cli, '"$ST2" session register a1 --session A; :')
        (a1.folder / "held").unlink()
        a1.rewrite(started_ms=now_ms() - 600_001)
        told = a1.cli("session", "register", "a1", "--session", "B").errors
        assert told.startswith("st2: h1.a1: replaced session A, whose harness pid ")
        assert told.endswith(" is gone\n")

    @pytest.mark.parametrize("by", ["wrapper", "adopt"])
    def test_one_that_we_started_or_adopted_is_lost_at_once(self, a1: Unwrapped, by: str) -> None:
        harness(a1.cli, '"$ST2" session register a1 --session A; :')
        a1.rewrite(registered_by=by)
        assert json.loads(a1.cli("why", "a1", "--json").out)["presence"]["why"] == "lost"


@pytest.mark.parametrize("age_s", [0, 7 * 86_400, None])
def test_a_session_file_of_the_harness_itself_is_no_presence(
    a1: Unwrapped, age_s: int | None
) -> None:
    """Case F5: old, new or missing, it changes neither word nor work."""

    def told() -> list[object]:
        [row] = json.loads(a1.cli("agents", "--json").out)
        return [row["status"], row["presence"]["why"], row["activity"]["state"]]

    a1.register("A")
    files = [
        a1.cli.home / ".claude/projects/-srv-work/A.jsonl",
        a1.cli.home / ".claude/sessions/4711.json",
        a1.cli.home / ".codex/sessions/2025/11/30/rollout-A.jsonl",
        a1.cli.home / ".pi/agent/sessions/--srv-work--/A.jsonl",
    ]
    before = told()
    for path in files:
        path.parent.mkdir(parents=True)
        path.write_text('{"sessionId":"A"}\n')
        if age_s is not None:
            then = time.time() - age_s
            os.utime(path, (then, then))
        else:
            path.unlink()
    assert told() == before == ["available", "fresh", "progressing"]
    a1.cli("session", "end", "a1")
    [row] = json.loads(a1.cli("agents", "--json").out)
    assert row["status"] == "offline"
