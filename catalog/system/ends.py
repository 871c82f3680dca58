"""Whether one of some harnesses has ended: no file tells of that where its owner is gone too.

A hint, like that of a changed folder: whoever gets one looks at the evidence anew.
"""

from __future__ import annotations

import os
import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from catalog.system.processes import Processes

_MOST = 256
"""How many descriptors are spent on this; a look at the catalog needs some, too."""


class Ends:
    """Keeps a pidfd of each process that is followed. ``blind``: of some it has none."""

    __slots__ = ("_open", "_processes", "blind")

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self._open: dict[int, int] = {}
        self.blind = False

    def follow(self, pids: Collection[int]) -> None:
        """Follow exactly these from now on; each is a process that was just seen to live."""
        for pid in self._open.keys() - set(pids):
            os.close(self._open.pop(pid))
        self.blind = False
        for pid in pids:
            if pid not in self._open:
                pidfd = self._processes.open(pid) if len(self._open) < _MOST else None
                if pidfd is None:
                    self.blind = True
                else:
                    self._open[pid] = pidfd

    def any_ended(self) -> bool:
        """Say whether one has ended since it was seen to live; those are followed no more."""
        waiter = select.poll()
        for pidfd in self._open.values():
            waiter.register(pidfd, select.POLLIN)
        ended = {pidfd for pidfd, _ in waiter.poll(0)} if self._open else set()
        for pid in [pid for pid, pidfd in self._open.items() if pidfd in ended]:
            os.close(self._open.pop(pid))
        return bool(ended)

    def close(self) -> None:
        """Let go of every descriptor; harmless when repeated."""
        self.follow(())
