"""A terminal in which a command draws its screen again and again, and what it shows now."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
from typing import TYPE_CHECKING, Any

from support.wrapped import until

if TYPE_CHECKING:
    from conftest import Cli

LONG = 120.0
_CODE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Glass:
    """`st2 ARGS` on a pseudo-terminal of its own; a thread reads all that it writes."""

    def __init__(self, cli: Cli, *args: str, rows: int = 24, columns: int = 80, **env: str) -> None:
        self.leader, self._follower = pty.openpty()
        self.resize(rows, columns)
        self.modes = self.attributes()
        self.written = b""
        self.process = subprocess.Popen(
            [cli.command, *args],
            env=cli.environment({"TERM": "xterm-256color", **env}),
            cwd=cli.home,
            stdin=self._follower,
            stdout=self._follower,
            stderr=subprocess.PIPE,
            # The kernel stops no group that is orphaned, and the one the tests run in may be that.
            process_group=0,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def resize(self, rows: int, columns: int) -> None:
        """Set the size of the window; the program is told by a signal where it has one."""
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._follower, termios.TIOCSWINSZ, size)

    def attributes(self) -> list[Any]:
        """What ``stty -a`` would show."""
        return termios.tcgetattr(self._follower)

    def text(self) -> str:
        """All that was written, as text."""
        return self.written.decode("utf-8", "replace")

    def frames(self) -> list[list[str]]:
        """Each whole screen that was drawn, as lines without colours and trailing blanks.

        The last one may still be on its way, so it is left out.
        """
        drawn = self.text().split("\x1b[H")[1:-1]
        return [[_CODE.sub("", line).rstrip() for line in each.split("\r\n")] for each in drawn]

    def shown(self) -> list[str]:
        """The lines of the last whole screen that are not empty."""
        frames = self.frames()
        return [line for line in frames[-1] if line] if frames else []

    def shows(self, text: str) -> list[str]:
        """Wait until a line of the screen has *text*; return the lines."""
        until(lambda: any(text in line for line in self.shown()), LONG)
        return self.shown()

    def close(self) -> None:
        """End the program if it runs, and the terminal."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        for descriptor in {self._follower, self.leader} - {-1}:
            os.close(descriptor)
        self._follower = self.leader = -1

    def _read(self) -> None:
        while True:
            try:
                more = os.read(self.leader, 65_536)
            except OSError:
                return
            if not more:
                return
            self.written += more
