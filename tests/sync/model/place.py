"""One copy of the catalog, under one host's name, and what happens to its own agents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from catalog import node
from catalog.claim import Claim
from catalog.errors import St2Error
from catalog.evidence import Evidence, Living
from catalog.layout import RECORDS, Layout
from catalog.reader import Hold
from catalog.session_errors import Conflict
from catalog.store import Writer
from catalog.sync.forget import forget
from catalog.sync.round import Report, run
from catalog.sync.site import Site
from support.memory import Crash
from support.mortal import MortalFiles
from sync.model.line import Line, Offer
from sync.model.remote import FarEnd

PID = Evidence(token="", generation=0, pid=7, start="5", boot="b")
DECLARATION = b"agent\n"


class Place:
    """A copy of the catalog. Two places of one host name are two nodes."""

    def __init__(self, folder: Path, host: str, place: str, far: FarEnd, sent: list[Offer]) -> None:
        self.host = host
        self.name = place
        self.root = folder / place
        self.root.mkdir()
        self.files = MortalFiles(str(self.root))
        self.layout = Layout(str(self.root), host)
        self.line = Line(far.port(self.files, self.layout, place), sent)
        self.writer = Writer(self.files, self.layout)
        self.now_ms = 1_800_000_000_000
        self.verdict = "unknown"
        self.nodes: set[str] = set()
        self.holds: dict[str, Hold] = {}
        self.started = 0

    def clock(self) -> int:
        """The wall clock of this place, which somebody may set."""
        self.now_ms += 1
        return self.now_ms

    # What its agents do.

    def declare(self, host: str, agent: str) -> None:
        """Have a declaration, as git brought it."""
        self.files.replace(f"agents/{host}/{agent}/agent.kdl", DECLARATION)

    def start(self, agent: str) -> None:
        """Start a session, if nobody holds the name."""
        self.started += 1
        token = f"{self.name}-{self.started}"
        fields: dict[str, Any] = {"agent": agent, "host": self.host, "registered_by": "test"}
        claim = Claim(
            **fields, session=token, generation=0, started_ms=self.clock(), took_over=False
        )
        try:
            started = self.writer.start(
                agent, claim=claim, evidence=PID, verdict_of=lambda _: self.verdict, force=False
            )
        except Conflict:
            return
        self.holds[agent] = Hold(token, started.claim.generation)

    def beat(self, agent: str) -> None:
        """Beat, and let work land."""
        hold = self.holds[agent]
        self.writer.refresh(agent, hold, proof=Living(7), first=False, now_ms=self.clock())
        self.writer.record_activity(agent, hold, "success", now_ms=self.clock())

    def end(self, agent: str) -> None:
        """End the session."""
        self.writer.offline(agent, self.holds[agent], now_ms=self.clock())
        self.writer.end(agent, self.holds.pop(agent), "exited", "exit 0", now_ms=self.clock())

    def set(self, agent: str, word: str) -> None:
        """Declare a word."""
        self.writer.set_status(agent, word, allow=lambda: None, clock=self.clock)

    def remove(self, agent: str) -> None:
        """Take every record of an agent away."""
        self.holds.pop(agent, None)
        for record in RECORDS:
            self.files.remove(self.layout.record(self.host, agent, record))

    # How it syncs.

    def sync(self, *, fault: str = "none", crash_in: int | None = None) -> Report | None:
        """Run a round as the command does; None where it died in the middle."""
        return self._round(node.ensure(self.files, self.layout, machine=self.name), fault, crash_in)

    def replace_node(self, *, crash_in: int | None = None) -> Report | None:
        """Take the name over as the command does."""
        own = node.new()
        report = self._round(own, "none", crash_in, replace=True)
        if report is not None and report.published is not None:
            node.keep(self.files, self.layout, own, machine=self.name)
        return report

    def forget(self, host: str) -> None:
        """Forget a host at the remote and here, if that can be had now."""
        with self.files.lock(self.layout.publisher_lock(), wait_ms=0):
            try:
                forget(self.site, host, force=True)
            except St2Error:
                return

    def _round(
        self, own: str, fault: str, crash_in: int | None, *, replace: bool = False
    ) -> Report | None:
        self.nodes.add(own)
        self.line.fault, self.files.crash_in = fault, crash_in
        try:
            return run(self._site(own), replace_node=replace)
        except Crash:
            return None
        finally:
            self.line.fault, self.files.crash_in = "none", None

    @property
    def site(self) -> Site:
        """What one half of a round needs."""
        own = node.ensure(self.files, self.layout, machine=self.name)
        self.nodes.add(own)
        return self._site(own)

    def _site(self, own: str) -> Site:
        port: Any = self.line
        return Site(
            files=self.files,
            layout=self.layout,
            node=own,
            exchange=port,
            verdict_of=lambda _: self.verdict,
            now_ms=self.clock,
            sleep=lambda _: None,
            jitter=lambda: 0.5,
            boot="boot",
        )

    # What it shows.

    def records(self, host: str) -> dict[str, bytes]:
        """Every record of a host's agents that lies here, by ``<agent>/<record>``."""
        folder = self.root / "agents" / host
        found = (path for path in folder.glob("*/*") if path.name in RECORDS)
        return {f"{path.parent.name}/{path.name}": path.read_bytes() for path in found}

    def others(self) -> dict[str, bytes]:
        """Whatever else lies among the agents: declarations, and what must not be there."""
        found = (p for p in (self.root / "agents").rglob("*") if p.is_file())
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in found
            if path.name not in RECORDS
        }
