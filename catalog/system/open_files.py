"""Which files a process and its descendants have open, and when a file last changed.

Where the system does not tell (no ``/proc``) nothing is open. Asking changes nothing.
"""

from __future__ import annotations

import os
import stat

MOST = 200
"""How many processes below one are looked at; a harness has a handful."""

Shape = tuple[int, int]
"""Size and time of change (ns) of a regular file."""


def shape(path: str) -> Shape | None:
    """Return size and time of a regular file by one ``stat``; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


def family(pid: int) -> list[int]:
    """Return *pid* and the processes below it, as far as they are shown."""
    found = [pid]
    for each in found:
        found += _children(each)
        if len(found) >= MOST:
            break
    return found


def opened(pids: list[int], folder: str, ending: str) -> list[str]:
    """Return the files below *folder* with that *ending* that one of *pids* has open, sorted."""
    inside = os.path.realpath(folder) + "/"
    paths = {path for pid in pids for path in _paths(pid) if path.startswith(inside)}
    return sorted(path for path in paths if path.endswith(ending))


def opened_by_others(pids: list[int], path: str) -> bool:
    """Say whether a process that is none of *pids* has *path* open, as far as it is shown."""
    ours = set(pids)
    others = (int(name) for name in _names("/proc") if name.isdigit() and int(name) not in ours)
    return any(path in _paths(pid) for pid in others)


def changed_since(folder: str, ending: str, since_ms: int) -> list[str]:
    """Return the files right in *folder* with that *ending* that changed at *since_ms* or later."""
    paths = (f"{folder}/{name}" for name in _names(folder) if name.endswith(ending))
    since_ns = since_ms * 1_000_000
    return sorted(path for path in paths if (found := shape(path)) and found[1] >= since_ns)


def folder_of(pid: int) -> str:
    """Return the working directory of *pid*; "" where it is not shown."""
    return _link(f"/proc/{pid}/cwd")


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for thread in _names(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as told:
                found += [int(word) for word in told.read().split()]
        except OSError:
            continue
    return found


def _paths(pid: int) -> list[str]:
    return [_link(f"/proc/{pid}/fd/{name}") for name in _names(f"/proc/{pid}/fd")]


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
