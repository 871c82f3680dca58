"""A wall clock of a test's own for real processes; the time since boot, and timers, stay true.

An owner is started with hardly any environment, so the clock comes with the interpreter: a
command is made whose interpreter is a script that sets it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from shlex import quote

from conftest import BIN

SOURCE = Path(__file__).with_name("wall.c")


class Wall:
    """The clock of every process that ``command`` starts, this much ahead of the true one."""

    def __init__(self, place: Path) -> None:
        self._file, self.ahead_s = place / "clock", 0
        self.command = place / "bin/st2"
        (place / "bin").mkdir(parents=True)
        self.set(0)
        (place / "pyvenv.cfg").write_bytes((BIN.parent / "pyvenv.cfg").read_bytes())
        (place / "lib").symlink_to(BIN.parent / "lib")
        library = place / "wall.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
        settings = f"LD_PRELOAD={quote(str(library))} WALL_FILE={quote(str(self._file))}"
        python = place / "bin/python"
        real = quote(os.path.realpath(sys.executable))
        python.write_text(f'#!/bin/bash\n{settings} exec -a "$0" {real} "$@"\n')
        body = (BIN / "st2").read_text().partition("\n")[2]
        self.command.write_text(f"#!{python}\n{body}")
        for each in (python, self.command):
            each.chmod(0o755)

    def set(self, ahead_s: int) -> None:
        """Set the clock, whole: a process that looks meanwhile sees the old time or the new one."""
        self.ahead_s = ahead_s
        beside = self._file.with_suffix(".new")
        beside.write_text(f"{ahead_s:+d}\n")
        os.replace(beside, self._file)

    def now_ms(self) -> int:
        """What that clock says."""
        return int((time.time() + self.ahead_s) * 1_000)
