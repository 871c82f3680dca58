"""One process and the port that looks at it: by hand, real, and real without pidfds."""

from __future__ import annotations

import os
import signal
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from catalog.system import procfs
from catalog.system.processes import Processes, host_processes
from catalog.system.processes_macos import MacProcesses
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


class RealForARound(Real):
    """The same process, looked at more than once in one round."""

    def __init__(self, doll: Path) -> None:
        super().__init__(doll)
        self.port = host_processes(a_round=True)


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


class MacOverProc(Real):
    """The same process, looked at by the port of macOS: a `ps` of that system, made of `/proc`."""

    def __init__(self, doll: Path) -> None:
        super().__init__(doll)
        self.port = MacProcesses(self.output)

    def output(self, program: str, *args: str) -> str:
        """What `/bin/ps -o state=,lstart= -p N` and `sysctl` of a mac print."""
        if program.endswith("sysctl"):
            assert args == ("-n", "kern.bootsessionuuid")
            return "0F6C9D2A-0000-4F1B-8E55-9D3C1A2B3C4D\n"
        assert (program, args[:-1]) == ("/bin/ps", ("-o", "state=,lstart=", "-p"))
        shown = procfs.read_stat(int(args[-1]))
        if shown is None:
            return ""
        began = datetime.fromtimestamp(int(shown.start) // 100, UTC)
        return f"{shown.state}+   {began:%a %b %e %H:%M:%S %Y}    \n"


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
