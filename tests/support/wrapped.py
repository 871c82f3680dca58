"""Harnesses under the installed wrapper: started, looked at, and cleaned up after, by pid."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catalog.layout import Layout
from catalog.reader import Reader
from catalog.system.files import Files

if TYPE_CHECKING:
    from conftest import Cli, Result

QUIET_BEAT_MS = 300_000


class Wrapped:
    """The wrapped agents of one catalog on host h1; agent ``w`` is declared."""

    def __init__(self, cli: Cli) -> None:
        self.cli = cli
        self.layout = Layout(str(cli.catalog), "h1")
        self.files = Files(str(cli.catalog))
        self.reader = Reader(self.files, self.layout)
        self.started: list[subprocess.Popen[bytes]] = []
        self.agents: list[str] = []
        self.declare("w")

    def declare(self, agent: str) -> None:
        """Declare *agent* on h1."""
        folder = self.cli.catalog / "agents" / "h1" / agent
        folder.mkdir(parents=True)
        (folder / "agent.kdl").write_text(f'agent "{agent}" {{\n    host "h1"\n}}\n')
        self.agents.append(agent)

    def verb(
        self, *argv: str, agent: str = "w", beat_ms: int = QUIET_BEAT_MS, force: bool = False
    ) -> list[str]:
        """The wrapper's arguments for *argv*."""
        name = f"h1.{agent}"
        forced = ["--force"] if force else []
        beat = ["--beat", str(beat_ms)]
        head = ["driver", "exec-session", "--identity", name, "--runtime-id", name]
        return [*head, *forced, *beat, "--", *argv]

    def command(self, *argv: str, **options: Any) -> list[str]:
        """The whole command line, the installed program included."""
        return [str(self.cli.command), *self.verb(*argv, **options)]

    def run(
        self,
        *argv: str,
        env: Mapping[str, str | None] | None = None,
        timeout: float = 90,
        **options: Any,
    ) -> Result:
        """Start *argv* under the wrapper and wait for its end."""
        return self.cli(*self.verb(*argv, **options), env=env, timeout=timeout)

    def start(
        self,
        *argv: str,
        popen: dict[str, Any] | None = None,
        env: Mapping[str, str | None] | None = None,
        **options: Any,
    ) -> subprocess.Popen[bytes]:
        """Start *argv* under the wrapper; its pid is the harness's."""
        process = self.cli.start(*self.verb(*argv, **options), env=env, **(popen or {}))
        self.started.append(process)
        return process

    def running(self, *argv: str, agent: str = "w", **options: Any) -> subprocess.Popen[bytes]:
        """Start *argv* and wait for its first beat."""
        generation = int(self.claim(agent).get("generation") or 0)
        process = self.start(*argv, agent=agent, **options)
        until(lambda: self.claim(agent).get("generation") == generation + 1)
        started_ms = self.claim(agent)["started_ms"]
        until(lambda: self.word(agent) == "available" and self.stamp_ms(agent) >= started_ms)
        return process

    def claim(self, agent: str = "w") -> dict[str, Any]:
        """``session.json`` as it stands, {} where there is none."""
        try:
            found = (self.folder(agent) / "session.json").read_bytes()
        except FileNotFoundError:
            return {}
        claim: dict[str, Any] = json.loads(found)
        return claim

    def folder(self, agent: str = "w") -> Path:
        return self.cli.catalog / "agents" / "h1" / agent

    def status(self, agent: str = "w") -> bytes | None:
        """The bytes of ``status``."""
        try:
            return (self.folder(agent) / "status").read_bytes()
        except FileNotFoundError:
            return None

    def word(self, agent: str = "w") -> str | None:
        raw = self.status(agent)
        return None if raw is None else raw.split(b"\n")[0].decode()

    def stamp_ms(self, agent: str = "w") -> int:
        raw = self.status(agent)
        assert raw is not None
        return int(raw.split()[2])

    def owner_pid(self, agent: str = "w") -> int:
        """The pid of the owner that holds the lock now."""
        assert self.reader.owner_free(agent) is False
        path = self.cli.catalog / self.layout.owner_lock(agent)
        return int(path.read_text().split()[1])

    def kill_owner(self, agent: str = "w") -> None:
        os.kill(self.owner_pid(agent), signal.SIGKILL)
        until(lambda: self.reader.owner_free(agent))

    def ended(self, agent: str = "w") -> dict[str, Any]:
        """Wait for the end of the session and return the claim."""
        until(lambda: self.claim(agent).get("ended_ms"))
        return self.claim(agent)

    def row(self, agent: str = "w") -> dict[str, Any]:
        """The agent's row of ``st2 agents --json``."""
        rows = json.loads(self.cli("agents", f"h1.{agent}", "--json").out)
        assert len(rows) == 1
        row: dict[str, Any] = rows[0]
        return row

    def close(self) -> None:
        """End what was started here, and see that nothing of it is left."""
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.communicate()
        for agent in self.agents:
            until(lambda agent=agent: self.reader.owner_free(agent) is not False)  # type: ignore[misc]


PATIENCE_S = 90.0
"""How long a test waits for what has to come: a busy machine is no fault of the program's."""


def until(predicate: Callable[[], object], timeout: float = PATIENCE_S) -> Any:
    """Poll *predicate* until it is true, *timeout* seconds at most, and return its value."""
    limit = time.monotonic() + timeout
    while not (value := predicate()):
        if time.monotonic() >= limit:
            raise AssertionError(f"not true within {timeout} s")
        time.sleep(0.01)
    return value


def settled(read: Callable[[], object], quiet_s: float = 1.0) -> Any:
    """Wait until what *read* returns has not changed for *quiet_s* seconds, and return it."""
    limit = time.monotonic() + PATIENCE_S
    value, since = read(), time.monotonic()
    while time.monotonic() - since < quiet_s:
        if time.monotonic() >= limit:
            raise AssertionError(f"still changing after {PATIENCE_S} s: {value!r}")
        time.sleep(0.02)
        if (now := read()) != value:
            value, since = now, time.monotonic()
    return value


def is_running(pid: int) -> bool:
    """Say whether *pid* is a process that has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
