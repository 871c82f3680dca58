"""Small stand-ins for the ports: a clock, processes and wake-ups that tests move by hand."""

from __future__ import annotations

from catalog.evidence import Evidence, Living, Probe

BOOT = "5f1f9a1c-boot"


class FakeClock:
    """A wall clock that stands until it is moved."""

    def __init__(self, now_ms: int = 1_800_000_000_000) -> None:
        self.ms = now_ms

    def now_ms(self) -> int:
        return self.ms


class FakeProcesses:
    """Processes as a table: pid -> what is true of it."""

    def __init__(self) -> None:
        self.start: dict[int, str] = {}
        self.state: dict[int, str] = {}
        self.status: dict[int, int] = {}

    def begin(self, pid: int, start: str = "100") -> None:
        self.start[pid], self.state[pid] = start, "S"

    def stop(self, pid: int) -> None:
        self.state[pid] = "T"

    def resume(self, pid: int) -> None:
        self.state[pid] = "S"

    def end(self, pid: int, status: int) -> None:
        """The process has ended and waits for its parent."""
        self.state[pid], self.status[pid] = "Z", status

    def reap(self, pid: int) -> None:
        del self.start[pid], self.state[pid]

    def open(self, pid: int) -> int | None:
        return pid + 1_000_000 if pid in self.start else None

    def observe(self, pid: int, *, token: str, generation: int) -> Evidence | None:
        if self.state.get(pid, "Z") == "Z":
            return None
        start = self.start[pid]
        return Evidence(token=token, generation=generation, pid=pid, start=start, boot=BOOT)

    def probe(self, evidence: Evidence) -> Probe:
        pid = evidence.pid
        if pid not in self.start:
            return Probe(boot=BOOT, absent=True)
        state = self.state[pid]
        fired = state == "Z"
        return Probe(boot=BOOT, fired=fired, start=self.start[pid], state=state, threads=1)

    def living(self, pid: int, pidfd: int | None, start: str) -> Living | None:
        runs = self.start.get(pid) == start and self.state[pid] not in ("T", "Z")
        return Living(pid) if runs else None

    def is_gone(self, pid: int, pidfd: int | None, start: str) -> bool:
        return self.start.get(pid) != start or self.state[pid] == "Z"

    def exit_status(self, pid: int, pidfd: int | None, start: str, *, wait_ms: int) -> int | None:
        return self.status.get(pid)


class FakeWakeups:
    """Waits in no time: the moment comes, unless :attr:`ends_at_ms` comes first."""

    def __init__(self, *, sees_end: bool = True) -> None:
        self.ms = 1_000
        self.sees_end = sees_end
        self.ends_at_ms: int | None = None
        self.waits: list[int] = []

    def now_ms(self) -> int:
        return self.ms

    def wait(self, until_ms: int) -> bool:
        self.waits.append(until_ms - self.ms)
        if self.ends_at_ms is not None and self.ends_at_ms <= until_ms:
            self.ms = max(self.ms, self.ends_at_ms)
            return True
        self.ms = max(self.ms, until_ms)
        return False

    def sleep(self, until_ms: int) -> None:
        self.waits.append(until_ms - self.ms)
        self.ms = max(self.ms, until_ms)


class FakeChanges:
    """Hints that a test gives. Waiting takes no time: :attr:`ms` jumps to its end."""

    def __init__(self) -> None:
        self.degraded: str | None = None
        self.ms = 0
        self.waits: list[int] = []
        self.closed = False
        self._hinted = self._woken = False

    def hint(self) -> None:
        self._hinted = True

    def wait(self, timeout_ms: int) -> bool:
        self.waits.append(timeout_ms)
        if self._woken:
            self._woken = False
            return False
        if self._hinted:
            self._hinted = False
            return True
        self.ms += max(timeout_ms, 0)
        return False

    def wake(self) -> None:
        self._woken = True

    def close(self) -> None:
        self.closed = True
