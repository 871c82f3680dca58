"""`st2 driver hook` never disturbs its harness: exit 0, silence, a bounded wait, and a trace."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from catalog.system.files import Files
from catalogs import agent, declared
from conftest import Cli
from drivers.hook_trace import failures
from support.hooked import Hooked
from support.wrapped import until

HASTY = f"""#!{sys.executable}
from st2.serve import hook
hook.LIMIT_S = 2.0
from st2.__main__ import start
start()
"""
"""The command with another limit; the real one is waited for once."""


@pytest.fixture
def hooked(cli: Cli, tmp_path: Path) -> Hooked:
    return Hooked(cli, tmp_path)


def is_drained(pipe: int) -> bool:
    """Say whether nothing that was written into *pipe* is still to be read."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), "little") == 0


class TestFailsOpen:
    """Case F19: exit 0, silence, and a trace that doctor reads."""

    def call(
        self, hooked: Hooked, *args: str, stdin: bytes = b'{"session_id":"s"}', **env: str | None
    ) -> None:
        done = hooked.run(*args, stdin=stdin, env=env)
        assert (done.code, done.out, done.err) == (0, b"", b"")

    def whys(self, hooked: Hooked) -> list[str]:
        own = Files(str(hooked.cli.home / ".local/state/st2"))
        return hooked.whys() + [each.why for each in failures(own, "hooks")]

    def test_a_missing_catalog_is_told_in_the_user_s_own_folder(self, hooked: Hooked) -> None:
        gone = str(hooked.cli.home / "nowhere")
        self.call(hooked, "claude", "Stop", "--identity", "h1.w", CATALOG=gone)
        assert self.whys(hooked) == [f"{gone}: no such folder, wanted a catalog"]
        assert not Path(gone).exists()

    @pytest.mark.parametrize(
        ("args", "why"),
        [
            (("claude",), "hook: found 1 words, wanted a harness and an event"),
            ((), "hook: found 0 words, wanted a harness and an event"),
            (("claude", "Nope", "--identity", "h1.w"), "Nope: no event of claude that is known"),
            (("nope", "Stop", "--identity", "h1.w"), "Stop: no event of nope that is known"),
            (
                ("claude", "Stop", "--identity", "h2.w"),
                "h2.w: no such agent in this catalog, wanted a bus id or a bare name",
            ),
            (
                ("claude", "Stop", "--identity", "h1.w"),
                "w: no claude among the processes above this hook",
            ),
            (("claude", "--bogus", "Stop"), "hook: found 3 words, wanted a harness and an event"),
        ],
    )
    def test_what_cannot_be_served_leaves_a_trace(
        self, hooked: Hooked, args: tuple[str, ...], why: str
    ) -> None:
        self.call(hooked, *args)
        assert self.whys(hooked) == [why]

    @pytest.mark.parametrize(
        ("stdin", "found"),
        [(b"", "0 bytes"), (b"[1]", "3 bytes"), (b"{", "1 bytes"), (b"\xff{}", "3 bytes")],
    )
    def test_a_payload_that_is_no_object_leaves_a_trace(
        self, hooked: Hooked, stdin: bytes, found: str
    ) -> None:
        self.call(hooked, "claude", "Stop", "--identity", "h1.w", stdin=stdin)
        assert self.whys(hooked) == [f"payload: found {found} that are no JSON object, wanted one"]

    def test_a_payload_without_end_is_read_and_refused(self, hooked: Hooked) -> None:
        self.call(hooked, "claude", "Stop", "--identity", "h1.w", stdin=b" " * 16_777_217)
        assert self.whys(hooked) == ["payload: found more than 16777216 bytes, wanted fewer"]

    @pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
    def test_an_unreadable_claim_leaves_a_trace(self, hooked: Hooked) -> None:
        (hooked.folder / "session.json").write_bytes(b"{}")
        (hooked.folder / "session.json").chmod(0)
        hooked.events("Stop")
        assert self.whys(hooked) == ["w: no session was registered that could be read"]

    def test_a_claim_that_is_no_file_leaves_a_trace(self, hooked: Hooked) -> None:
        (hooked.folder / "session.json").mkdir()
        hooked.events("SessionStart", "Stop")
        assert len(self.whys(hooked)) == 2
        assert "is a directory, not a file" in self.whys(hooked)[0] + self.whys(hooked)[1]

    def test_a_local_folder_that_is_not_ours_to_trust_is_not_used(self, hooked: Hooked) -> None:
        local = hooked.cli.catalog / ".st2"
        local.mkdir(mode=0o777)
        local.chmod(stat.S_IRWXU | stat.S_IWOTH)
        hooked.events("SessionStart")
        assert hooked.claim() == {} and not list(local.iterdir())
        assert len(self.whys(hooked)) == 1

    def test_a_standard_input_that_is_closed_is_told_in_words(self, hooked: Hooked) -> None:
        call = ["sh", "-c", 'exec "$@" <&-', "sh", str(hooked.cli.command), "driver", "hook"]
        words = [*call, "claude", "Stop", "--identity", "h1.w"]
        done = subprocess.run(
            words, env=hooked.cli.environment({}), capture_output=True, check=False, timeout=60
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert self.whys(hooked) == ["bad file descriptor"]

    def test_nobody_to_speak_for_is_no_failure(self, hooked: Hooked) -> None:
        self.call(hooked, "claude", "Stop")
        self.call(hooked, "claude", "Stop", "--identity", "h1.w", ST_AGENT="h1.other")
        assert self.whys(hooked) == []

    @pytest.mark.parametrize("own", ["w", "h1.w"])
    def test_the_agent_of_the_environment_may_be_written_either_way(
        self, hooked: Hooked, own: str
    ) -> None:
        assert hooked.events("SessionStart", env={"ST_AGENT": own}) == "SessionStart 0\n"
        assert hooked.claim()["agent"] == "w"
        hooked.events("SessionEnd", env={"ST_AGENT": own}, identity=None)
        assert hooked.claim()["ended_ms"]

    def test_the_trace_says_which_hook_when_and_how_often(self, hooked: Hooked) -> None:
        for _ in range(3):
            self.call(hooked, "claude", "Stop", "--identity", "h1.w", stdin=b"x")
        [found] = hooked.failures()
        assert (found.hook, found.identity, found.count) == ("claude Stop", "h1.w", 3)
        assert found.first < found.last and found.first.endswith("Z")

    def test_a_harness_that_never_closes_stdin_waits_ten_seconds_at_most(
        self, hooked: Hooked
    ) -> None:
        began = time.monotonic()
        process = hooked.cli.start(
            *("driver", "hook", "claude", "Stop", "--identity", "h1.w"), stdin=subprocess.PIPE
        )
        try:
            assert process.wait(timeout=90) == 0
        finally:
            process.kill()
            process.communicate()
        assert time.monotonic() - began > 9
        assert self.whys(hooked) == ["hook: not done after 10 s"]

    def test_a_lock_that_is_held_for_ever_is_not_waited_for_longer(
        self, hooked: Hooked, tmp_path: Path
    ) -> None:
        hasty = tmp_path / "hasty"
        hasty.write_text(HASTY)
        hasty.chmod(0o755)
        with hooked.files.lock(hooked.layout.lock("w"), wait_ms=100):
            assert hooked.events("SessionStart", env={"ST2": str(hasty)}) == "SessionStart 0\n"
        assert hooked.claim() == {}
        assert self.whys(hooked) == ["hook: not done after 2 s"]

    def test_an_interrupt_is_as_silent(self, hooked: Hooked) -> None:
        process = hooked.cli.start(
            *("driver", "hook", "claude", "Stop"), stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdin is not None
        process.stdin.write(b" ")
        process.stdin.flush()
        until(lambda: is_drained(process.stdin.fileno()))  # it reads, and waits for more
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=90)
        assert (process.returncode, err) == (0, b"")
        assert self.whys(hooked) == ["KeyboardInterrupt()"]

    def test_help_is_help(self, cli: Cli) -> None:
        done = cli("driver", "hook", "--help")
        assert done.code == 0 and "HARNESS EVENT" in done.text


def test_a_foreign_agent_s_hook_is_refused(hooked: Hooked) -> None:
    agent(hooked.cli.catalog, "x", "h2", kdl=declared("x", "h2"))
    hooked.events("SessionStart", identity="h2.x")
    assert hooked.whys() == ["h2.x: an agent of h2, wanted one of h1"]
