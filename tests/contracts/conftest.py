"""Each contract suite runs on the fake and on the real port."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from catalog.system.processes import Processes, host_processes
from fakes import FakeProcesses
from support.dolls import Doll, compile_doll


@pytest.fixture(scope="session")
def doll_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled doll."""
    return compile_doll(tmp_path_factory.mktemp("doll"))


class Real:
    """A process of this system, and the port that looks at it."""

    def __init__(self, program: Path) -> None:
        self.port: Any = host_processes()
        self.doll = Doll(program)
        self.pid = self.doll.pid

    def stop(self) -> None:
        import os
        import signal

        self.doll.signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOWAIT)

    def resume(self) -> None:
        import signal

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
    def __init__(self, program: Path) -> None:
        super().__init__(program)
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


@pytest.fixture(params=["fake", "real", "real without pidfds"])
def harness(request: pytest.FixtureRequest, doll_program: Path) -> Iterator[Fake | Real]:
    """A living process and the port that looks at it."""
    made = {
        "fake": Fake,
        "real": lambda: Real(doll_program),
        "real without pidfds": lambda: RealWithoutPidfds(doll_program),
    }[request.param]()
    yield made
    made.close()
