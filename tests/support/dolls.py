"""Small real processes to look at: compiled once, told what to be, ended by whoever made them."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("doll.c")


def compile_doll(folder: Path) -> Path:
    """Compile the doll into *folder*."""
    program = folder / "doll"
    subprocess.run(["cc", "-O1", "-pthread", "-o", program, SOURCE], check=True)
    return program


class Doll:
    """One real process that is a child of ours, ready when this returns."""

    def __init__(self, program: Path, *words: str) -> None:
        self.process = subprocess.Popen([program, *words], stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() in (b"ready\n", b"again\n")
        self.pid = self.process.pid

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def end(self) -> None:
        """End it and leave it unreaped."""
        self.signal(signal.SIGKILL)
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)

    def reap(self) -> None:
        """Reap it; harmless when repeated."""
        self.process.wait()

    def close(self) -> None:
        """End it if it lives, and reap it."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
