"""The tmux fleet of the examples: started, looked at, and an agent adopted as it runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Cli, Result
from support.wrapped import Wrapped, is_running, until

FLEET = Path(__file__).parents[2] / "examples" / "tmux" / "fleet.sh"
pytestmark = pytest.mark.skipif(
    not (shutil.which("tmux") and shutil.which("ps")), reason="needs tmux and ps"
)


class Fleet:
    """The script, on a tmux server of our own."""

    def __init__(self, wrapped: Wrapped) -> None:
        self.wrapped = wrapped
        env = {**wrapped.cli.env, "TMUX_TMPDIR": str(wrapped.cli.home), "TERM": "xterm"}
        self.script = Cli(wrapped.cli.catalog, wrapped.cli.home, env, FLEET)

    def __call__(self, *words: str) -> Result:
        done = self.script(*words)
        assert done.code == 0, done.errors
        return done

    def tmux(self, *words: str) -> str:
        command = ["tmux", *words]
        return subprocess.run(
            command, env=self.script.env, capture_output=True, text=True, check=True
        ).stdout.strip()

    def windows(self) -> list[str]:
        return self.tmux("list-windows", "-t", "=fleet", "-F", "#{window_name}").split()

    def declare(self, agent: str, *argv: str) -> None:
        words = " ".join(f'"{word}"' for word in argv)
        text = f'agent "{agent}" {{\n    host "h1"\n    exec {{ argv {words} }}\n}}\n'
        folder = self.wrapped.folder(agent)
        folder.mkdir(exist_ok=True)
        (folder / "agent.kdl").write_text(text)
        self.wrapped.agents.append(agent)


@pytest.fixture
def fleet(wrapped: Wrapped) -> Iterator[Fleet]:
    """The script, and an end for its windows."""
    made = Fleet(wrapped)
    yield made
    command = ["tmux", "kill-server"]
    subprocess.run(command, env=made.script.env, capture_output=True, check=False)


def test_start_gives_each_agent_a_window_and_none_to_one_that_runs(fleet: Fleet) -> None:
    for agent in ("w", "x"):
        fleet.declare(agent, "sleep", "600")
    fleet("start", "w", "x")
    for agent in ("w", "x"):
        until(lambda agent=agent: fleet.wrapped.word(agent) == "available")  # type: ignore[misc]
    assert fleet.windows() == ["w", "x"]
    assert fleet("start", "w").text == "w: is there already\n"
    assert fleet.windows() == ["w", "x"]
    fleet.tmux("kill-window", "-t", "=fleet:=w")
    assert fleet.wrapped.ended("w")["exit"] == "signal 1"
    assert fleet.wrapped.row("x")["status"] == "available"


def test_attach_shows_the_fleet_to_a_person(fleet: Fleet) -> None:
    fleet.declare("w", "sh", "-c", "echo here it is; sleep 600")
    fleet("start", "w")
    command = ["script", "-qec", f"{FLEET} attach", "/dev/null"]
    with subprocess.Popen(
        command, env=fleet.script.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as person:
        assert person.stdout is not None
        seen = b""
        while b"here it is" not in seen:
            seen += (more := os.read(person.stdout.fileno(), 65_536))
            assert more, seen
        fleet.tmux("detach-client", "-s", "=fleet")
        person.communicate(timeout=90)
    assert person.returncode == 0


def test_adopt_claims_what_runs_in_front_and_sees_it_end(fleet: Fleet) -> None:
    fleet.declare("w", "sleep", "600")
    fleet.tmux("new-session", "-d", "-s", "fleet", "-n", "w", "sh")
    fleet.tmux("send-keys", "-t", "=fleet:=w", "exec sleep 601", "Enter")
    pane = int(fleet.tmux("display-message", "-p", "-t", "=fleet:=w", "#{pane_pid}"))
    until(lambda: b"601" in Path(f"/proc/{pane}/cmdline").read_bytes())
    fleet("adopt", "w")
    until(lambda: fleet.wrapped.word() == "available")
    row = fleet.wrapped.row()
    assert (row["status"], row["session"]["endedMs"]) == ("available", None)
    fleet.tmux("kill-window", "-t", "=fleet:=w")
    until(lambda: not is_running(pane))
    assert fleet.wrapped.ended()["end_reason"] == "exited"
    assert fleet.wrapped.row()["status"] == "offline"


def test_without_a_word_that_it_knows_it_says_which(fleet: Fleet) -> None:
    done = fleet.script("stop")
    assert (done.code, done.out) == (2, b"")
    assert [line.split()[1] for line in done.errors.splitlines()] == ["start", "attach", "adopt"]
