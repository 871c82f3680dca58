"""One agent's records under a clock and a verdict that a test turns."""

from __future__ import annotations

from typing import Any

from catalog.claim import Claim
from catalog.evidence import Evidence, Living
from catalog.layout import Layout
from catalog.presence import derive
from catalog.reader import Hold
from catalog.reading import read_status
from catalog.record import parse
from catalog.seen import Content
from catalog.store import Writer
from catalog.succession import Started
from catalog.system.files import Files
from support.memory import MemoryFiles

T = 1_800_000_000_000
PID = Evidence(token="", generation=0, pid=7, start="5", boot="b")


class Agent:
    """The records of agent a1 on host h1, and a clock."""

    def __init__(self, files: Files | MemoryFiles, root: str = "/") -> None:
        self.writer = Writer(files, Layout(root, "h1"))  # type: ignore[arg-type]
        self.now = T
        self.verdict = "unknown"

    def start(self, token: str, *, force: bool = False) -> Started:
        fields: dict[str, Any] = {"agent": "a1", "host": "h1", "registered_by": "test"}
        claim = Claim(**fields, session=token, generation=0, started_ms=self.now, took_over=False)
        return self.writer.start(
            "a1", claim=claim, evidence=PID, verdict_of=lambda _: self.verdict, force=force
        )

    def beat(self, hold: Hold, *, first: bool = False) -> bool:
        return self.writer.refresh("a1", hold, proof=Living(7), first=first, now_ms=self.now)

    def set(self, word: str) -> None:
        self.writer.set_status("a1", word, allow=lambda: None, clock=lambda: self.now)

    def end(self, hold: Hold) -> None:
        self.writer.end("a1", hold, "exited", "exit 0", now_ms=self.now)

    def lose(self) -> bool:
        return self.writer.end_lost("a1", verdict_of=lambda _: self.verdict, now_ms=self.now)

    def claim(self) -> Claim:
        claim = self.writer.reader.claim("h1", "a1")
        assert isinstance(claim, Claim)
        return claim

    def status(self) -> object:
        found = self.writer.reader.record("h1", "a1", "status")
        return parse(found.raw) if isinstance(found, Content) else found

    def row(self) -> str:
        found = self.writer.reader.record("h1", "a1", "status")
        reading = read_status(found, now_ms=self.now)
        return derive(found, reading, self.claim(), self.verdict, now_ms=self.now).state
