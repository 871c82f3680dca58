"""Who called us: the processes above this one, nearest first.

Where a process cannot be seen the row ends there. Asking may be repeated; nothing is changed.
"""

from __future__ import annotations

import os
import sys

from catalog.system import procfs
from catalog.value import Value

FARTHEST = 20
"""How far up a harness is looked for."""


class Ancestor(Value):
    """One process above us; ``start`` as evidence spells it, ``argv`` as far as it is shown."""

    __slots__ = ("argv", "pid", "start")

    def __init__(self, pid: int, start: str, argv: tuple[str, ...]) -> None:
        self.pid = pid
        self.start = start
        self.argv = argv


def ancestors(pid: int | None = None, *, limit: int = FARTHEST) -> tuple[Ancestor, ...]:
    """Return at most *limit* processes above *pid* (this one), nearest first."""
    if sys.platform == "darwin":
        from catalog.system.processes_macos import shown_process as shown
    else:
        shown = _shown
    found: list[Ancestor] = []
    above = os.getppid() if pid is None else shown(pid)[0]
    while above > 0 and len(found) < limit:
        parent, start, argv = shown(above)
        if not start:
            break
        found.append(Ancestor(above, start, argv))
        above = parent
    return tuple(found)


def _shown(pid: int) -> tuple[int, str, tuple[str, ...]]:
    stat = procfs.read_stat(pid)
    if stat is None:
        return 0, "", ()
    return stat.parent, stat.start, procfs.read_argv(pid)
