"""A shell in a terminal of our own, which a test types into and looks at."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from support.wrapped import PATIENCE_S, Wrapped, is_running, until

SHELLS = [
    pytest.param(name, marks=pytest.mark.skipif(not shutil.which(name), reason=f"needs {name}"))
    for name in ("bash", "zsh")
]
STARTED = {"bash": ["bash", "--norc", "--noprofile"], "zsh": ["zsh", "-f"]}


class Terminal:
    """One shell in one tmux of our own, on a private socket."""

    def __init__(self, wrapped: Wrapped, shell: str) -> None:
        self.socket = str(wrapped.cli.home / "tmux.sock")
        self.environment = {**wrapped.cli.environment(), "PS1": "$ ", "TERM": "xterm"}
        size = ["-x", "80", "-y", "24"]
        self.tmux("new-session", "-d", *size, "env", "PS1=$ ", *STARTED[shell])
        self.shell = int(self.tmux("display-message", "-p", "#{pane_pid}"))
        self.marks = 0
        self.tmux("send-keys", "-l", "PS1='$ '; set -m; clear")
        self.tmux("send-keys", "Enter")
        self.say("")

    def tmux(self, *words: str) -> str:
        command = ["tmux", "-S", self.socket, "-f", "/dev/null", *words]
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=True
        ).stdout.rstrip("\n")

    def type(self, line: str) -> None:
        """Type *line* where the shell asks for one: what comes before its prompt may be lost."""
        self.wait_for_prompt()
        self.tmux("send-keys", "-l", line)
        until(lambda: not self.asks())
        self.tmux("send-keys", "Enter")

    def wait_for_prompt(self) -> None:
        """Wait until the shell asks; zsh may tell of a job that goes on, and then ask no more."""
        limit = time.monotonic() + PATIENCE_S
        while not self.asks():
            assert time.monotonic() < limit, self.screen()
            for _ in range(50):
                time.sleep(0.02)
                if self.asks():
                    return
            if self.front() == self.shell:
                self.key("Enter")

    def asks(self) -> bool:
        """Whether the shell is in front, its prompt is there and nothing stands behind it."""
        rows = self.screen().rstrip().split("\n")
        return self.front() == self.shell and rows[-1] == "$"

    def wait_for_job(self) -> None:
        """Wait until a job of the shell is in front."""
        until(lambda: self.front() != self.shell)

    def front(self) -> int:
        """The process group that the terminal belongs to."""
        return int(Path(f"/proc/{self.shell}/stat").read_text().rpartition(")")[2].split()[5])

    def resize(self, columns: int, rows: int) -> None:
        """Resize, and wait until the terminal itself says so."""
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))
        until(lambda: self.size() == (columns, rows))

    def size(self) -> tuple[int, int]:
        tty = os.open(self.tmux("display-message", "-p", "#{pane_tty}"), os.O_RDONLY | os.O_NOCTTY)
        try:
            return os.get_terminal_size(tty)
        finally:
            os.close(tty)

    def key(self, name: str) -> None:
        self.tmux("send-keys", name)

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p", "-J", "-S", "-200")

    def say(self, expression: str) -> str:
        """Have the shell print *expression*, and return what it printed."""
        self.marks += 1
        start, end = f"<{self.marks}:", f":{self.marks}>"
        self.type(f'echo "<"{self.marks}:"{expression}":{self.marks}">"')
        until(lambda: f"{start}" in self.screen() and end in self.screen())
        return self.screen().rpartition(start)[2].partition(end)[0]

    def wait_for(self, text: str) -> None:
        until(lambda: text in self.screen())

    def close(self) -> None:
        subprocess.run(
            ["tmux", "-S", self.socket, "kill-server"], env=self.environment, capture_output=True
        )
        until(lambda: not is_running(self.shell))
