"""A terminal of our own: one tmux server on a private socket, one pane, one command."""

from __future__ import annotations

import shlex
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from harness.seat import TURN_S, Seat
from support.wrapped import until

REST_S = 0.6
"""A screen that has not changed for so long belongs to a program that waits for a person."""
PAUSE_S = 0.4
"""Between a text and its Enter: a program that takes both at once takes them for a paste."""


class Terminal:
    """``st2 run w``, or another command, of *seat* in a pane, which stays after its end."""

    def __init__(self, seat: Seat, *command: str) -> None:
        self.environment = {**seat.cli.env, "TMUX_TMPDIR": str(seat.cli.home)}
        size = ("-x", "120", "-y", "40")
        where = ("-c", str(seat.workspace))
        self.status = seat.cli.home / "status"
        words = shlex.join(command or (str(seat.cli.command), "run", "w"))
        keep = Path(seat.cli.home, "tmux.conf")
        keep.write_text("set -g remain-on-exit on\n")
        self.tmux(
            "-f", str(keep), "new-session", "-d", *size, *where, f"{words}; echo $? >{self.status}"
        )

    def tmux(self, *words: str) -> str:
        """One tmux command on our own server; the account's configuration is not read."""
        command = ("tmux", "-L", "st2-harness", *words)
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=True
        ).stdout.rstrip("\n")

    def screen(self) -> str:
        """What stands on the screen."""
        return self.tmux("capture-pane", "-p", "-J")

    def wait_for(self, text: str) -> None:
        """Return when *text* is on the screen."""
        self.wait(lambda: text in self.screen(), f"no {text!r}")

    def wait(self, predicate: Callable[[], object], otherwise: str) -> None:
        """Poll *predicate* until it is true, or fail with what the screen shows."""
        try:
            until(predicate, timeout=TURN_S)
        except AssertionError:
            raise AssertionError(f"{otherwise} on this screen:\n{self.screen()}") from None

    def say(self, text: str) -> None:
        """Type *text* when the screen has come to rest, and only then press Enter."""
        self.rest()
        self.tmux("send-keys", "-l", "--", text)
        time.sleep(PAUSE_S)
        self.tmux("send-keys", "Enter")

    def rest(self) -> None:
        """Wait until the screen has come to rest, or a little: on some screens something blinks."""
        seen, since, limit = "", time.monotonic(), time.monotonic() + 4 * REST_S
        while time.monotonic() < min(since + REST_S, limit):
            if (now := self.screen()) != seen:
                seen, since = now, time.monotonic()
            time.sleep(0.05)

    def left(self) -> int:
        """Wait for the end of the command in the pane, and return its exit status.

        The shell says it, not tmux: tmux may call a pane dead whose status it never learns.
        """
        self.wait(lambda: self.status.exists() and self.status.read_text(), "no end")
        return int(self.status.read_text())

    def end(self) -> None:
        """End the server, and with it the pane: whatever runs there gets SIGHUP."""
        command = ("tmux", "-L", "st2-harness", "kill-server")
        subprocess.run(command, env=self.environment, capture_output=True, check=False)
