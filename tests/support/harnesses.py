"""One process and the port that looks at it: by hand, real, and real without pidfds."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from catalog.system.processes import Processes, host_processes
from fakes import FakeProcesses
from support.dolls import Doll


class Real:
    """A process of this system, and the port that looks at it."""

    def __init__(self, doll: Path) -> None:
        self.port: Any = host_processes()
        self.doll = Doll(doll)
        self.pid = self.doll.pid

    def stop(self) -> None:
        self.doll.signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOWAIT)

    def resume(self) -> None:
        self.doll.signal(signal.SIGCONT)

    def end(self) -> None:
        self.doll.end()

    def reap(self) -> None:
        self.doll.reap()

    def close(self) -> None:
        self.doll.close()


class WithoutPidfds(Processes):
    """The real port on a kernel that has no pidfds."""

    __slots__ = ()

    def open(self, pid: int) -> int | None:
        return None


class RealWithoutPidfds(Real):
    """The same process, looked at without pidfds."""

    def __init__(self, doll: Path) -> None:
        super().__init__(doll)
        self.port = WithoutPidfds()


class Fake:
    """The same by hand."""

    def __init__(self) -> None:
        self.port: Any = FakeProcesses()
        self.pid = 4711
        self.port.begin(self.pid)

    def stop(self) -> None:
        self.port.stop(self.pid)

    def resume(self) -> None:
        self.port.resume(self.pid)

    def end(self) -> None:
        self.port.end(self.pid, 9)

    def reap(self) -> None:
        self.port.reap(self.pid)

    def close(self) -> None:
        pass
