"""A client of our own: starts the installed server and keeps every byte that it says."""

from __future__ import annotations

import json
import select
import subprocess
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conftest import Cli

VERSION = "2025-11-25"


class Client:
    """One server process, spoken to line by line."""

    def __init__(
        self,
        cli: Cli,
        *options: str,
        name: str = "claude-mcp",
        env: Mapping[str, str | None] | None = None,
    ) -> None:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        words = ("driver", name, "--identity", "h1.a1")
        self.process = cli.start(*options, *words, env=env, **pipes)
        self.frames: list[bytes] = []
        self._next = 0
        self._kept = b""

    def send(self, line: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def receive(self, timeout: float = 90) -> Any:
        """Wait for one frame, which is a line of JSON, and return it."""
        assert self.process.stdout is not None
        while b"\n" not in self._kept:
            ready, _, _ = select.select([self.process.stdout], [], [], timeout)
            assert ready, "no answer"
            chunk = self.process.stdout.read1()  # type: ignore[attr-defined]
            assert chunk, "the server has closed its output"
            self._kept += chunk
        line, _, self._kept = self._kept.partition(b"\n")
        self.frames.append(line)
        return json.loads(line)

    def ask(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Send a request and return its answer."""
        self._next += 1
        asked: dict[str, Any] = {"jsonrpc": "2.0", "id": self._next, "method": method}
        self.send(json.dumps(asked | ({"params": params} if params is not None else {})).encode())
        self.send(b"\n")
        answer = self.receive()
        assert answer["id"] == self._next
        return answer

    def initialize(self, version: str = VERSION) -> Any:
        """Open the session."""
        about = {"name": "a tester", "version": "1"}
        opening = {"protocolVersion": version, "capabilities": {}, "clientInfo": about}
        answer = self.ask("initialize", opening)
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return answer["result"]

    def call(self, tool: str, **arguments: str) -> Any:
        """Call a tool and return its result."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def end(self, timeout: float = 60) -> tuple[int, bytes, bytes]:
        """Close the input; return exit code, what more was said, and the talk."""
        out, err = self.process.communicate(timeout=timeout)
        return self.process.returncode, self._kept + out, err

    def close(self) -> None:
        """End the server if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
