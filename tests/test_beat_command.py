"""`st2 beat` as it is installed: whose beat counts, and what it may change."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from catalog.evidence import render_lines
from catalog.system.processes import host_processes
from catalogs import now_ms, record
from conftest import Cli
from support.unwrapped import Unwrapped, harness, told
from support.wrapped import until

KEPT = ("session.json", "status", "held", "activity")


@pytest.fixture
def a1(cli: Cli) -> Unwrapped:
    """Agent a1 of h1, held by session A."""
    made = Unwrapped(cli)
    assert made.register("A").code == 0
    return made


@pytest.mark.parametrize("by_variable", [True, False])
def test_a_stranger_s_beat_is_seen_and_changes_nothing_else(
    a1: Unwrapped, by_variable: bool
) -> None:
    """Cases B3, B4 and B6; the control: the same look sees the holder's own beat."""
    before, began = a1.bytes(*KEPT), now_ms()
    assert a1.register("B").code == 1
    done = a1.beat("B") if by_variable else a1.cli("beat", "a1", "--session", "B")
    assert (done.code, done.out, a1.bytes(*KEPT)) == (0, b"", before)
    assert done.errors == ("st2: h1.a1: held by session A, called by B: only seen was written\n")
    word, stamp = (a1.raw("seen") or b"").split(b"\nv1 ")
    assert (word, began <= int(stamp) <= now_ms()) == (b"B", True)
    assert told(a1.register("B"))["existing_session_id"] == "A"
    assert a1.bytes(*KEPT) == before
    assert a1.beat("A").code == 0 and a1.bytes(*KEPT) != before


def test_a_beat_of_nobody_is_noted_as_nobody_s(a1: Unwrapped) -> None:
    before = a1.bytes(*KEPT)
    done = a1.beat(None)
    assert (done.code, a1.bytes(*KEPT)) == (0, before)
    assert (a1.raw("seen") or b"").startswith(b"-\nv1 ")
    assert "called by nobody that named a session" in done.errors


def test_the_holder_s_beat_renews_held_and_status_and_no_claim(a1: Unwrapped) -> None:
    a1.put("status", "busy", 5)
    a1.put("held", "A", 5)
    before = a1.bytes("session.json", "activity")
    done = a1.beat("A")
    assert (done.code, done.out, done.err, a1.bytes(*before)) == (0, b"", b"", before)
    for name, word in (("status", "busy"), ("held", "A"), ("seen", "A")):
        found, stamp = (a1.raw(name) or b"").decode().split("\nv1 ")
        assert found == word and int(stamp) > now_ms() - 60_000, name


def test_the_holder_s_beat_renews_no_dnd_but_held(a1: Unwrapped) -> None:
    """Case C15 for whoever beats by hand."""
    a1.put("status", "dnd", 5)
    a1.put("held", "A", 5)
    assert a1.beat("A").code == 0
    assert a1.raw("status") == record("dnd", 5)
    assert a1.raw("held") != record("A", 5)


def test_a_harness_tells_its_session_by_its_variables(a1: Unwrapped) -> None:
    env = {"ST_AGENT": "h1.a1", "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "A"}
    assert a1.cli("beat", env=env).err == b""
    broken = {**env, "CLAUDE_CODE_SESSION_ID": "not a token"}
    assert "called by nobody" in a1.cli("beat", env=broken).errors


@pytest.mark.parametrize("over", ["no claim", "ended", "unreadable"])
def test_without_an_open_claim_nothing_is_written(
    a1: Unwrapped, tree_hash: Callable[..., str], over: str
) -> None:
    """Case B13; the control: before that the same call was seen to write."""
    before = tree_hash(mtimes=True)
    assert a1.beat("A").code == 0 and tree_hash(mtimes=True) != before
    if over == "no claim":
        (a1.folder / "session.json").unlink()
    elif over == "ended":
        assert a1.cli("session", "end", "a1").code == 0
    else:
        (a1.folder / "session.json").write_bytes(b"{}")
    before = tree_hash(mtimes=True)
    for token in ("A", "B", None):
        done = a1.beat(token)
        assert (done.code, done.out, tree_hash(mtimes=True)) == (1, b"", before)
    assert (
        done.errors
        == {
            "no claim": "st2: h1.a1: no session was ever registered, wanted an open one\n"
            "hint: st2 session register claims one\n",
            "ended": "st2: h1.a1: session A has ended (stopped), wanted an open one\n"
            "hint: st2 session register claims one\n",
            "unreadable": "st2: agents/h1/a1/session.json: found no version 1, "
            "wanted a claim of version 1\nhint: look at the file; "
            "st2 run or st2 session register replaces it with --force\n",
        }[over]
    )


READING = [
    *(["agents"], ["agents", "--json"], ["agents", "--routable"], ["status", "a1"], ["hosts"]),
    *(["why", "a1"], ["why", "a1", "--json"], ["session", "show", "a1", "--json"], ["tasks"]),
    *(["validate"], ["doctor"], ["driver", "list"], ["agents", "--json", "--enrich"]),
]
TWENTY_TIMES = """
import json, sys
from st2.__main__ import main
for args in json.loads(sys.argv[1]):
    assert {main(args) for _ in range(20)} <= {0, 1}, args
"""


@pytest.mark.parametrize("declared", ["B", None])
def test_reading_commands_move_no_byte_of_a_live_session(
    a1: Unwrapped, tree_hash: Callable[..., str], declared: str | None
) -> None:
    """Cases B5 and B6: twenty times each, with another session declared, and with none."""
    before, cli = tree_hash(mtimes=True), a1.cli
    env = {"ST_AGENT": "h1.a1", "ST2_SESSION": declared}
    for args in READING:
        assert cli(*args, env=env).code in (0, 1), args
    words = [sys.executable, "-c", TWENTY_TIMES, json.dumps(READING)]
    done = subprocess.run(
        words, env=cli.environment(env), cwd=cli.home, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert tree_hash(mtimes=True) == before
    assert a1.beat(declared).code == 0
    assert tree_hash(mtimes=True) != before, "the same look sees a beat"


class TestHarness:
    """A beat is no word for a harness that was seen to be gone, or that stands still."""

    @pytest.fixture
    def process(self, a1: Unwrapped) -> subprocess.Popen[bytes]:
        """A harness of its own, as the evidence of session A has it."""
        started = subprocess.Popen(["sleep", "600"])
        seen = host_processes().observe(started.pid, token="A", generation=1)
        assert seen is not None
        a1.evidence.parent.mkdir(exist_ok=True)
        a1.evidence.write_bytes(render_lines([seen]))
        return started

    def test_one_that_runs_is_beaten_for(
        self, a1: Unwrapped, process: subprocess.Popen[bytes]
    ) -> None:
        a1.put("held", "A", 5)
        try:
            assert a1.beat("A").err == b"" and a1.raw("held") != record("A", 5)
        finally:
            process.kill()
            process.wait()

    def test_one_that_is_stopped_is_not(
        self, a1: Unwrapped, process: subprocess.Popen[bytes]
    ) -> None:
        before = a1.bytes(*KEPT)
        try:
            os.kill(process.pid, signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
            done = a1.beat("A")
            assert (done.code, a1.bytes(*KEPT)) == (0, before)
            assert done.errors == (
                "st2: h1.a1: its harness is gone or stopped: only seen was written\n"
            )
            assert (a1.raw("seen") or b"").startswith(b"A\n")
            os.kill(process.pid, signal.SIGCONT)
            until(lambda: a1.beat("A").err == b"")
            assert a1.bytes(*KEPT) != before
        finally:
            process.kill()
            process.wait()

    def test_one_that_is_gone_is_not_and_coming_again_is_the_way_out(
        self, a1: Unwrapped, process: subprocess.Popen[bytes]
    ) -> None:
        """Gone counts after 600 000 ms of silence, and for a wrapper's own at once."""
        process.kill()
        process.wait()
        assert a1.beat("A").err == b"", "a pid that may have rotated, and no silence yet"
        a1.rewrite(started_ms=1)
        a1.put("held", "A", now_ms() - 600_001)
        before = a1.bytes(*KEPT)
        done = a1.beat("A")
        assert (done.code, a1.bytes(*KEPT)) == (0, before)
        assert "its harness is gone or stopped" in done.errors
        [row] = json.loads(a1.cli("agents", "--json").out)
        assert row["presence"]["why"] == "lost"
        assert told(a1.register("A"))["created"] is False
        assert a1.beat("A").err == b""

    def test_a_beat_of_the_holder_below_its_own_harness(self, a1: Unwrapped) -> None:
        script = (
            '"$ST2" session register a1 --session A; export ST2_SESSION=A ST_AGENT=a1;'
            ' "$ST2" beat; "$ST2" beat; :'
        )
        code, _, err = harness(a1.cli, script)
        assert (code, err) == (0, "")


def test_two_beats_in_one_moment_are_told_apart(a1: Unwrapped) -> None:
    """Case C3 for `held`: a stamp that lies ahead within the skew is passed by one."""
    ahead = now_ms() + 50_000
    a1.put("held", "A", ahead)
    a1.put("status", "busy", ahead)
    assert a1.beat("A").code == 0
    assert a1.raw("held") == record("A", ahead + 1)
    assert a1.raw("status") == record("busy", ahead + 1)
