"""An agent whose program is a real one: private HOME, workspace and room of the stub."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

from conftest import BIN, Cli, Result
from harness import jsonl
from harness.programs import installation
from harness.seeds import SEEDS
from support.wrapped import Wrapped, is_running, until

TURN_S = 100
"""Longer than anything takes that a test waits for, also on two busy cores."""


class Seat(Wrapped):
    """Agent ``w`` on host h1, whose launch is *block*; the program is *word*."""

    def __init__(self, word: str, folder: Path, rooms: Path, room: str) -> None:
        self.word_of_program = word
        self.workspace = folder / "workspace"
        self.room = rooms / room
        home, catalog = folder / "home", folder / "catalog"
        for each in (home / "tmp", self.workspace, catalog / "agents", self.room):
            each.mkdir(parents=True)
        base = f"http://127.0.0.1:{(rooms / 'port').read_text()}/{room}"
        variables = SEEDS[word](home, self.workspace, base)
        super().__init__(Cli(catalog, home, {**surroundings(home, catalog), **variables}))
        subprocess.run(["git", "init", "-q"], cwd=self.workspace, env=self.cli.env, check=True)

    def launch(self, block: str) -> None:
        """Declare the agent with this launch."""
        workspace = json.dumps(str(self.workspace))
        text = f'agent "w" {{\n    host "h1"\n    workspace {workspace}\n{block}\n}}\n'
        (self.folder() / "agent.kdl").write_text(text)

    def run_agent(self, **options: Any) -> Result:
        """``st2 run w`` from its beginning to its end."""
        return self.cli("run", "w", timeout=TURN_S, **options)

    def start_agent(self, **popen: Any) -> subprocess.Popen[bytes]:
        """``st2 run w``, going on beside the test."""
        with (self.cli.home / "stderr").open("wb") as errors:
            process = self.cli.start("run", "w", stderr=errors, **popen)
        self.started.append(process)
        return process

    def by_hand(self) -> list[str]:
        """The program itself with the words that ``expand`` prints for it, and nothing of ours."""
        expanded = self.expanded()
        word, *argv = expanded[expanded.index("--") + 1 :]
        return [str(installation(os.environ) / "bin" / word), *argv]

    def bare(self) -> Result:
        """The same, from its beginning to its end."""
        program, *argv = self.by_hand()
        cli = Cli(self.cli.catalog, self.cli.home, self.cli.env, Path(program))
        return cli(*argv, cwd=self.workspace, timeout=TURN_S)

    def start_bare(self) -> subprocess.Popen[bytes]:
        """The same, going on beside the test."""
        with (self.cli.home / "stderr").open("wb") as errors:
            process = subprocess.Popen(
                self.by_hand(),
                env=self.cli.env,
                cwd=self.workspace,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
        self.started.append(process)
        return process

    def expanded(self) -> list[str]:
        """The whole argument vector of the launch, as printed."""
        shown = self.cli("driver", "expand", "w", "--format", "json")
        assert shown.code == 0, shown.errors
        argv: list[str] = json.loads(shown.out)["argv"]
        return argv

    def requests(self) -> list[dict[str, Any]]:
        """The turns that the model was asked for so far: what had tools to choose from."""
        bodies = [entry["body"] for entry in jsonl.read(self.room / "requests.jsonl")]
        return [body for body in bodies if body and body.get("tools")]

    def asked(self, count: int = 1) -> list[dict[str, Any]]:
        """Wait until the model has been asked *count* times; a program that ends first failed."""

        def settled() -> bool:
            gone = any(process.poll() is not None for process in self.started)
            return len(self.requests()) >= count or gone

        until(settled, timeout=TURN_S)
        assert len(self.requests()) >= count, (self.cli.home / "stderr").read_text()
        return self.requests()

    def activity(self) -> str | None:
        """The word of ``activity``, None where nothing was recorded."""
        path = self.folder() / "activity"
        return path.read_text().split("\n")[0] if path.exists() else None

    def release(self, name: str = "held") -> None:
        """Let the answer go that ``((hold NAME))`` keeps."""
        (self.room / name).touch()

    def of_ours(self) -> list[int]:
        """Every process that lives in this HOME: harnesses, and what they left behind."""
        mark = b"HOME=" + os.fsencode(self.cli.home)
        return [pid for pid in _pids() if mark in _environment(pid) and is_running(pid)]

    def close(self) -> None:
        """End the harnesses, and whatever of theirs is left, by pid; then the owners go."""
        (self.room / "held").touch()
        for process in self.started:
            process.kill()
            process.wait()
        for pid in self.of_ours():
            if not _is_owner(pid):
                _kill(pid)
        super().close()
        until(lambda: not self.of_ours())


def surroundings(home: Path, catalog: Path) -> dict[str, str]:
    """The whole environment of a harness but its own variables; nothing of the tester's."""
    node = Path(shutil.which("node") or "/usr/bin/node").parent
    places = (installation(os.environ) / "bin", BIN, node, "/usr/local/bin", "/usr/bin", "/bin")
    return {
        "HOME": str(home),
        "PATH": os.pathsep.join(map(str, places)),
        "TMPDIR": str(home / "tmp"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "CATALOG": str(catalog),
        "ST2_HOST": "h1",
    }


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _is_owner(pid: int) -> bool:
    try:
        return b"owner_start" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
