"""`st2 driver hook`: real calls from below a process that looks like a harness."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from catalog.names import shown_token
from catalogs import agent, declared, record
from conftest import Cli
from drivers.hook_trace import failures
from support.hooked import Hooked
from support.wrapped import Wrapped, until


@pytest.fixture
def hooked(cli: Cli, tmp_path: Path) -> Hooked:
    return Hooked(cli, tmp_path)


def notice(thread: str) -> str:
    """Shell words: what codex calls at the end of a turn."""
    payload = shlex.quote(json.dumps({"type": "agent-turn-complete", "thread-id": thread}))
    return f'"$ST2" driver hook codex notify --identity h1.w {payload} >>"$SEEN" 2>&1'


class TestNobodyWrappedIt:
    """The hook registers, holds and ends the session of the harness that it finds above it."""

    def test_a_start_registers_the_harness_s_own_session(self, hooked: Hooked) -> None:
        assert hooked.events("SessionStart", session="s-1") == "SessionStart 0\n"
        claim = hooked.claim()
        told = (claim["session"], claim["harness"], claim["registered_by"], claim["generation"])
        assert told == ("s-1", "claude", "hook", 1)
        assert claim["took_over"] is False and claim["ended_ms"] is None
        assert hooked.record("held") == record("s-1", claim["started_ms"])
        assert hooked.record("status") == record("available", claim["started_ms"])
        assert hooked.record("activity") is hooked.record("seen") is None
        assert hooked.failures() == []

    def test_work_beats_and_moves_activity_and_a_second_start_keeps_the_claim(
        self, hooked: Hooked
    ) -> None:
        hooked.events("SessionStart", "PreToolUse")
        claim = hooked.claim()
        assert (hooked.record("activity") or b"").startswith(b"running\n")
        hooked.events("SessionStart")
        assert hooked.claim() == claim
        assert (hooked.record("activity") or b"").startswith(b"running\n")

    def test_an_end_is_a_success_and_ends_the_session(self, hooked: Hooked) -> None:
        hooked.events("SessionStart", "SessionEnd")
        claim = hooked.claim()
        assert (claim["end_reason"], claim["exit"]) == ("exited", None)
        assert (hooked.record("activity") or b"").startswith(b"success\n")
        assert (hooked.record("status") or b"").startswith(b"offline\n")

    def test_clear_ends_the_old_session_and_starts_another(self, hooked: Hooked) -> None:
        hooked.events("SessionStart", "SessionEnd", session="old")
        hooked.events("SessionStart", session="new")
        claim = hooked.claim()
        assert (claim["session"], claim["generation"], claim["took_over"]) == ("new", 2, False)
        assert hooked.record("activity") is None

    def test_a_notification_and_a_failed_turn_are_no_work(self, hooked: Hooked) -> None:
        hooked.events("SessionStart", "Notification", "StopFailure")
        assert hooked.record("activity") is None
        hooked.events("Stop")
        assert hooked.record("activity") is not None, "the same look does see a write"

    def test_a_subagent_s_event_is_ignored(
        self, hooked: Hooked, tree_hash: Callable[..., str]
    ) -> None:
        hooked.events("SessionStart")
        before = tree_hash()
        hooked.events("PostToolUse", more={"agent_id": "a-7"})
        assert tree_hash() == before and hooked.failures() == []
        hooked.events("PostToolUse", more={"agent_id": ""})
        assert tree_hash() != before

    def test_a_second_session_writes_nothing_and_leaves_a_trace(
        self, hooked: Hooked, tree_hash: Callable[..., str]
    ) -> None:
        """The first one's harness still runs: the name is its own."""
        hooked.script(
            'call SessionStart "--identity h1.w" \'{"session_id":"s-1"}\'\n'
            'find "$CATALOG/agents" -type f | sort | xargs cat > "$HOME/one"\n'
            "for event in SessionStart Stop SessionEnd; do\n"
            '  call $event "--identity h1.w" \'{"session_id":"s-2"}\'\n'
            "done\n"
            'find "$CATALOG/agents" -type f | sort | xargs cat > "$HOME/two"\n'
        )
        assert (hooked.cli.home / "one").read_bytes() == (hooked.cli.home / "two").read_bytes()
        assert hooked.claim()["session"] == "s-1"
        refused = "w: held by session s-1, called by s-2"
        conflict = "h1.w: held by the live session s-1, wanted a free name"
        assert sorted(hooked.whys()) == sorted([refused, refused, conflict])

    def test_one_process_is_not_the_session_of_two_agents(self, hooked: Hooked) -> None:
        """Two agents share a workspace, which then holds the hooks of both."""
        agent(hooked.cli.catalog, "v", kdl=declared("v"))
        hooked.script(
            'call SessionStart "--identity h1.w" \'{"session_id":"s-1"}\'\n'
            'call SessionStart "--identity h1.v" \'{"session_id":"s-1"}\'\n'
            'call UserPromptSubmit "--identity h1.v" \'{"session_id":"s-1"}\'\n'
        )
        assert sorted(os.listdir(hooked.cli.catalog / "agents/h1/v")) == ["agent.kdl"]
        assert any("is w's session already" in why for why in hooked.whys())

    def test_a_late_event_of_an_ended_session_writes_nothing_and_leaves_a_trace(
        self, hooked: Hooked, tree_hash: Callable[..., str]
    ) -> None:
        """Case E17."""
        hooked.events("SessionStart", "SessionEnd")
        before = tree_hash()
        hooked.events("PostToolUse", "SessionEnd")
        assert tree_hash() == before
        assert hooked.whys() == ["w: session s-1 has ended"] * 2

    def test_without_its_harness_above_it_a_hook_writes_nothing(
        self, hooked: Hooked, tree_hash: Callable[..., str]
    ) -> None:
        hooked.events("SessionStart")
        before = tree_hash()
        hooked.events("SessionStart", "Stop", name="bash")
        assert tree_hash() == before
        assert hooked.whys() == ["w: no claude among the processes above this hook"] * 2

    def test_the_end_of_a_turn_of_codex_registers_and_counts_as_work(self, hooked: Hooked) -> None:
        hooked.script(notice("t-1"), harness="codex")
        claim = hooked.claim()
        assert (claim["session"], claim["harness"]) == ("t-1", "codex")
        assert (hooked.record("activity") or b"").startswith(b"running\n")
        assert hooked.seen.read_text() == "" and hooked.failures() == []

    def test_every_thread_of_a_codex_works_for_the_session_that_the_first_one_registered(
        self, hooked: Hooked
    ) -> None:
        """Its terminal finds the title of a task in a thread of its own, which may end first."""
        forgotten = f"rm {hooked.folder}/activity"
        hooked.script(f"{notice('title')}\n{forgotten}\n{notice('t-1')}", harness="codex")
        assert hooked.claim()["session"] == "title"
        assert (hooked.record("activity") or b"").startswith(b"running\n")
        assert hooked.failures() == []

    def test_a_codex_that_registered_itself_by_command_is_one_session_too(
        self, hooked: Hooked
    ) -> None:
        itself = '"$ST2" session register w --session mine >/dev/null'
        hooked.script(f"{itself}\n{notice('t-1')}\n:", harness="codex")
        claim = hooked.claim()
        assert (claim["session"], claim["registered_by"]) == ("mine", "register")
        assert (hooked.record("activity") or b"").startswith(b"running\n")
        assert hooked.failures() == []

    def test_another_codex_is_another_session(self, hooked: Hooked) -> None:
        other = f"bash -c 'exec -a codex bash -c \"$0\"; :' {shlex.quote(notice('t-2') + '; :')}"
        hooked.script(f"{notice('t-1')}\n{other}\n:", harness="codex")
        assert hooked.claim()["session"] == "t-1"
        assert hooked.whys() == ["h1.w: held by the live session t-1, wanted a free name"]

    def test_a_burst_of_beats_is_written_once(self, hooked: Hooked) -> None:
        hooked.script(
            'call SessionStart "--identity h1.w" \'{"session_id":"s-1"}\'\n'
            "for n in 1 2 3 4 5; do\n"
            '  call Notification "--identity h1.w" \'{"session_id":"s-1"}\'\n'
            "done\n"
        )
        started_ms = hooked.claim()["started_ms"]
        assert hooked.record("held") == record("s-1", started_ms)
        assert hooked.record("status") == record("available", started_ms)


class TestWrapped:
    """The owner speaks for its presence; a hook records activity and nothing else."""

    SCRIPT = 'printf \'{"session_id":"x"}\' | "$ST2" driver hook claude "$1" --identity h1.w'

    def started(self, wrapped: Wrapped, script: str, **options: object) -> None:
        env = {"ST2": str(wrapped.cli.command)}
        wrapped.running("bash", "-c", f"{script}\nexec sleep 60", env=env, **options)

    def hooks(self, wrapped: Wrapped) -> list[str]:
        return [each.why for each in failures(wrapped.files, wrapped.layout.hook_log())]

    def test_it_records_activity_alone(self, wrapped: Wrapped) -> None:
        calls = "; ".join(
            f"set -- {event}; {self.SCRIPT}" for event in ("SessionStart", "Stop", "Notification")
        )
        self.started(wrapped, calls)
        activity = wrapped.folder() / "activity"
        until(activity.exists)
        assert activity.read_bytes().startswith(b"running\n")
        names = sorted(path.name for path in wrapped.folder().iterdir())
        assert names == ["activity", "agent.kdl", "session.json", "status"]
        assert wrapped.claim()["registered_by"] == "wrapper"
        assert self.hooks(wrapped) == []

    def test_another_agent_s_hook_does_nothing(self, wrapped: Wrapped) -> None:
        wrapped.declare("v")
        script = self.SCRIPT.replace("h1.w", "h1.v").replace("$1", "Stop")
        self.started(wrapped, f"{script}; touch done")
        until((wrapped.cli.home / "done").exists)
        assert not (wrapped.folder() / "activity").exists()
        assert [path.name for path in wrapped.folder("v").iterdir()] == ["agent.kdl"]
        assert self.hooks(wrapped) == []

    @pytest.mark.parametrize("ended", [False, True])
    def test_what_the_harness_left_behind_writes_nothing_and_leaves_a_trace(
        self, wrapped: Wrapped, ended: bool
    ) -> None:
        """A daemon of a harness carries its environment; the harness is not above it."""
        self.started(wrapped, ":")
        left_behind = wrapped.cli.home / "left.sh"
        wait = "while [ ! -e go ]; do sleep 0.05; done"
        left_behind.write_text(wait + "\n" + self.SCRIPT.replace("$1", "Stop"))
        process = wrapped.started[-1]
        environ = Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
        env = dict(os.fsdecode(e).split("=", 1) for e in environ if b"=" in e)
        left = subprocess.Popen(["bash", left_behind], cwd=wrapped.cli.home, env=env)
        if ended:
            process.kill()
            process.wait()
            wrapped.ended()
        (wrapped.cli.home / "go").touch()
        assert left.wait(timeout=90) == 0
        assert not (wrapped.folder() / "activity").exists()
        [why] = self.hooks(wrapped)
        token = shown_token(wrapped.claim()["session"])
        above = f"w: harness pid {process.pid} is not among the processes above this hook"
        assert why == (f"w: session {token} has ended" if ended else above)

    @pytest.mark.timeout(300)
    def test_a_burst_of_calls_writes_activity_once_in_five_seconds(self, wrapped: Wrapped) -> None:
        """Case E12. ST2_BURST=2000 is the whole of it; by default a twentieth."""
        calls = int(os.environ.get("ST2_BURST", "100"))
        log = wrapped.cli.home / "stamps"
        look = "tail -1 $CATALOG/agents/h1/w/activity >> stamps"
        loop = f"set -- PostToolUse; for n in $(seq {calls}); do {self.SCRIPT}; {look}; done"
        self.started(wrapped, f"{loop}; touch done")
        until((wrapped.cli.home / "done").exists, timeout=280)
        seen = log.read_text().split("\n")[:-1]
        assert len(seen) == calls and self.hooks(wrapped) == []
        stamps = sorted({int(line.split()[1]) for line in seen})
        assert all(b - a > 5_000 for a, b in pairwise(stamps))
        assert 1 <= len(stamps) <= 2 + calls // 20
