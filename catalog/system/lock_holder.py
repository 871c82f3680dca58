"""What the holder of a lock wrote into it: read when the lock cannot be had, and to be told."""

from __future__ import annotations

import os
from time import time

from catalog.value import Value


class Holder(Value):
    """Who holds a lock: the pid that it wrote there, None for none, and for how long."""

    __slots__ = ("age_s", "pid")

    def __init__(self, pid: int | None, age_s: int) -> None:
        self.pid = pid
        self.age_s = age_s


def words(fd: int) -> str:
    """Name the holder by what it wrote into its lock, and for how long that stands there."""
    found = read(fd)
    return f"{'somebody' if found.pid is None else f'pid {found.pid}'} for {found.age_s} s"


def read(fd: int) -> Holder:
    """Return the holder of an open lock, as it wrote itself down there."""
    written = os.pread(fd, 64, 0).decode("ascii", "replace")
    age_s = max(0, round(time() - os.fstat(fd).st_mtime))
    pid = written[4:].strip() if written.startswith("pid ") else ""
    return Holder(int(pid) if pid.isascii() and pid.isdigit() and len(pid) < 12 else None, age_s)
