"""One owner of one claim over fakes, with a real catalog underneath."""

from __future__ import annotations

from pathlib import Path

from catalog.claim import Claim
from catalog.evidence import Living
from catalog.layout import Layout
from catalog.reader import Hold
from catalog.refusals import LockBusy
from catalog.store import Writer
from catalog.system.files import Files
from catalog.system.locks import Lock
from catalog.windows import REFRESH_MS
from drivers.job import LAUNCH, Job
from drivers.owner import Owner
from fakes import FakeClock, FakeProcesses, FakeWakeups

PID, TOKEN = 4711, "a1b2c3d4e5f60718"


class Failing(Writer):
    """A writer whose disk is full or whose lock is busy when told so; it notes what was asked."""

    __slots__ = ("asked", "busy", "full")

    def __init__(self, files: Files, layout: Layout) -> None:
        super().__init__(files, layout)
        self.full = self.busy = False
        self.asked: list[str] = []

    def refresh(self, agent: str, hold: Hold, *, proof: Living, first: bool, now_ms: int) -> bool:
        self._ask("first" if first else "beat")
        return super().refresh(agent, hold, proof=proof, first=first, now_ms=now_ms)

    def offline(self, agent: str, hold: Hold, *, now_ms: int) -> None:
        self._ask("offline")
        super().offline(agent, hold, now_ms=now_ms)

    def end(
        self, agent: str, hold: Hold, reason: str, exit_text: str | None, *, now_ms: int
    ) -> None:
        self._ask(f"{reason} {exit_text}")
        super().end(agent, hold, reason, exit_text, now_ms=now_ms)

    def lock(self, agent: str) -> Lock:
        if self.busy:
            raise LockBusy(agent, "held by pid 1 for 3 s, not free within 10000 ms")
        return super().lock(agent)

    def _ask(self, what: str) -> None:
        self.asked.append(what)
        if self.full:
            raise OSError(28, "No space left on device")


class World:
    """One owner of one claim over fakes, with a real catalog underneath."""

    def __init__(self, root: Path, *, kind: str = LAUNCH, sees_end: bool = True) -> None:
        self.layout = Layout(str(root), "h1")
        self.files = Files(str(root))
        self.writer = Failing(self.files, self.layout)
        self.clock = FakeClock()
        self.processes = FakeProcesses()
        self.processes.begin(PID)
        self.wakeups = FakeWakeups(sees_end=sees_end)
        self.claim(TOKEN)
        job = Job(
            kind=kind,
            root=str(root),
            host="h1",
            agent="w",
            token=TOKEN,
            generation=1,
            pid=PID,
            start="100",
            watched=sees_end,
            beat_ms=REFRESH_MS,
        )
        pidfd = 99 if sees_end else None
        self.owner = Owner(
            job,
            self.writer,
            self.processes,  # type: ignore[arg-type]
            self.wakeups,  # type: ignore[arg-type]
            self.clock,  # type: ignore[arg-type]
            pidfd=pidfd,
        )

    def claim(self, token: str) -> None:
        evidence = self.processes.observe(PID, token=token, generation=0)
        assert evidence is not None
        claim = Claim(
            agent="w",
            host="h1",
            session=token,
            generation=1,
            registered_by="wrapper",
            started_ms=self.clock.ms,
            took_over=False,
        )
        self.writer.start(
            "w", claim=claim, evidence=evidence, verdict_of=lambda claim: "alive", force=True
        )

    def end(self, status: int) -> None:
        """The harness ends during the next wait."""
        self.wakeups.ends_at_ms = self.wakeups.ms
        self.processes.end(PID, status)

    def steps(self, count: int) -> None:
        for _ in range(count):
            self.owner.step()

    def status(self) -> bytes | None:
        found = self.files.read("agents/h1/w/status")
        return getattr(found, "raw", None)

    def session(self) -> Claim:
        claim = self.writer.reader.claim("h1", "w")
        assert isinstance(claim, Claim)
        return claim
