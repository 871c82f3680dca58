"""A cold cache: the system is made to forget what it has read of the disk."""

from __future__ import annotations

import os
from pathlib import Path

SWITCH = "/proc/sys/vm/drop_caches"


def allowed() -> bool:
    """Whether the whole cache may be dropped, names of files included."""
    return os.access(SWITCH, os.W_OK)


def how() -> str:
    """In which way ``forget`` forgets; only the first forgets folders too."""
    return "`drop_caches`" if allowed() else "`posix_fadvise`, contents of files alone"


def forget(top: Path) -> None:
    """Make what lies below *top* be read from the disk again."""
    os.sync()
    if allowed():
        with open(SWITCH, "w") as switch:
            switch.write("3")
        return
    for folder, _, files in os.walk(top):
        for name in files:
            _let_go(os.path.join(folder, name))


def _let_go(path: str) -> None:
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(file)
