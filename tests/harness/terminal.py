"""A terminal of our own: one tmux server on a private socket, one pane, one command."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from support.wrapped import until

if TYPE_CHECKING:
    from harness.seat import Seat

PAUSE_S = 0.4
"""Between a text and its Enter: a program that takes both at once takes them for a paste."""


class Terminal:
    """``st2 run w`` of *seat* in a pane, which stays after its end so that it can be read."""

    def __init__(self, seat: Seat) -> None:
        self.environment = {**seat.cli.env, "TMUX_TMPDIR": str(seat.cli.home)}
        size = ("-x", "120", "-y", "40")
        where = ("-c", str(seat.workspace))
        command = f"{seat.cli.command} run w"
        keep = Path(seat.cli.home, "tmux.conf")
        keep.write_text("set -g remain-on-exit on\n")
        self.tmux("-f", str(keep), "new-session", "-d", *size, *where, command)

    def tmux(self, *words: str) -> str:
        """One tmux command on our own server; the account's configuration is not read."""
        command = ("tmux", "-L", "st2-harness", *words)
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=True
        ).stdout.rstrip("\n")

    def screen(self) -> str:
        """What stands on the screen."""
        return self.tmux("capture-pane", "-p", "-J")

    def wait_for(self, text: str, timeout: float = 60) -> None:
        """Return when *text* is on the screen; otherwise fail with the screen."""
        try:
            until(lambda: text in self.screen(), timeout=timeout)
        except AssertionError:
            raise AssertionError(f"no {text!r} on the screen:\n{self.screen()}") from None

    def say(self, text: str) -> None:
        """Type *text*, and only then press Enter."""
        self.tmux("send-keys", "-l", "--", text)
        time.sleep(PAUSE_S)
        self.tmux("send-keys", "Enter")

    def status(self) -> str:
        """How the command in the pane ended, in tmux's words; empty while it runs."""
        return self.tmux("display-message", "-p", "#{pane_dead_status}")

    def end(self) -> None:
        """End the server, and with it the pane: whatever runs there gets SIGHUP."""
        command = ("tmux", "-L", "st2-harness", "kill-server")
        subprocess.run(command, env=self.environment, capture_output=True, check=False)
