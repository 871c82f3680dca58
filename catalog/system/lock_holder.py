"""Who holds a lock: asked when it cannot be had, and by whoever looks at what is going on."""

from __future__ import annotations

import fcntl
import os
import stat
from time import time

from catalog.errors import St2Error
from catalog.system.locks import LOOK, try_lock
from catalog.value import Value


class Holder(Value):
    """Who holds a lock: the pid that it wrote there, None for none, and for how long."""

    __slots__ = ("age_s", "pid")

    def __init__(self, pid: int | None, age_s: int) -> None:
        self.pid = pid
        self.age_s = age_s


def holder(folder: int, name: str) -> Holder | None:
    """Return who holds a lock now; None where nobody does or it cannot be told. Makes no file."""
    try:
        fd = os.open(name, LOOK, dir_fd=folder)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode) or try_lock(fd, name, fcntl.LOCK_SH):
            return None
        return _read(fd)
    except (OSError, St2Error):
        return None
    finally:
        os.close(fd)


def words(fd: int) -> str:
    """Name the holder by what it wrote into its lock, and for how long that stands there."""
    found = _read(fd)
    return f"{'somebody' if found.pid is None else f'pid {found.pid}'} for {found.age_s} s"


def _read(fd: int) -> Holder:
    written = os.pread(fd, 64, 0).decode("ascii", "replace")
    age_s = max(0, round(time() - os.fstat(fd).st_mtime))
    pid = written[4:].strip() if written.startswith("pid ") else ""
    return Holder(int(pid) if pid.isascii() and pid.isdigit() and len(pid) < 12 else None, age_s)
