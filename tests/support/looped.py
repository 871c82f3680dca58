"""The loop of sync over fakes: a clock that jumps, hints by hand, a remote that can be away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from catalog.sync import events
from catalog.sync.fetched import Fetched
from catalog.sync.policy import Policy
from catalog.sync.site import Site
from catalog.sync.watching import Clocks, Ears, Watching
from catalog.sync_errors import SyncFailed
from fakes import FakeChanges
from support.fleet import Fleet, Member

BUSY = b"busy\nv1 1800000000000\n"


class Until(FakeChanges):
    """Hints of a test that stops the clock at a moment, so that it can act there."""

    end_ms = 10**15

    def wait(self, timeout_ms: int) -> bool:
        return super().wait(min(timeout_ms, max(self.end_ms - self.ms, 0)))


class Line:
    """The way to the remote: counts what goes over it, and can be cut."""

    def __init__(self, exchange: Any) -> None:
        self._exchange = exchange
        self.remote = exchange.remote
        self.pushes = self.fetches = 0
        self.cut: Exception | None = None

    def push(self, raw: bytes, **options: Any) -> Any:
        """As Exchange has it."""
        self.pushes += 1
        self._fail()
        return self._exchange.push(raw, **options)

    def fetch(self) -> Fetched:
        """As Exchange has it."""
        self.fetches += 1
        self._fail()
        found: Fetched = self._exchange.fetch()
        return found

    def snapshots(self, tips: dict[str, str]) -> Iterator[tuple[str, Any]]:
        """As Exchange has it."""
        yield from self._exchange.snapshots(tips)

    def _fail(self) -> None:
        if self.cut is not None:
            raise self.cut

    def __getattr__(self, name: str) -> Any:
        return getattr(self._exchange, name)


@dataclass
class Looped:
    """One host whose sync goes on, step by step."""

    fleet: Fleet
    policy: Policy = field(default_factory=Policy)
    told: list[events.Event] = field(default_factory=list)
    slept_ms: int = 0
    stopping: bool = False
    reread: Callable[[], tuple[Site, Policy] | None] = lambda: None

    def __post_init__(self) -> None:
        made = self.fleet.host("h1")
        self.line = Line(made.site.exchange)
        exchange: Any = self.line
        self.member = Member(replace(made.site, exchange=exchange), made.root)
        self.changes = Until()
        self.changes.ms = 1_000_000
        self.loop = Watching(
            self.member.site,
            self.policy,
            Clocks(lambda: self.changes.ms, lambda: self.changes.ms - self.slept_ms),
            Ears(
                hints=self.changes,
                stopped=lambda: self.stopping,
                reread=lambda: self.reread(),
                alive=lambda: None,
                tell=self.told.append,
            ),
        )

    @property
    def ms(self) -> int:
        return self.changes.ms

    def put(self, word: str = "busy", record: str = "status", agent: str = "a1") -> None:
        """Change a record, and let the folder's watcher say so."""
        self.member.put(agent, record, b"%s\nv1 1800000000000\n" % word.encode())
        self.changes.hint()

    def run(self, ms: int) -> list[events.Event]:
        """Go on for *ms* and return what was told meanwhile."""
        self.changes.end_ms, before = self.ms + ms, len(self.told)
        while self.ms < self.changes.end_ms:
            self.loop.step()
        return self.told[before:]

    def forget(self) -> None:
        """Drop what only tests keep of the past, for whoever measures what the loop keeps."""
        files: Any = self.member.site.files
        for kept in (self.told, self.changes.waits, self.fleet.pauses, files.changes):
            kept.clear()

    def down(self, error: Exception | None = None) -> None:
        """Cut the line."""
        self.line.cut = error or SyncFailed("remote", "did not answer")

    def up(self) -> None:
        """Mend it."""
        self.line.cut = None

    def settle(self) -> None:
        """Publish and collect once, then until nothing is due but time."""
        self.run(1)
        self.told.clear()


def kinds(told: list[events.Event]) -> list[str]:
    """The names of what was told."""
    return [type(each).__name__ for each in told]


def looped(tmp_path: Path, **options: Any) -> Looped:
    """A host whose remote is a dictionary."""
    return Looped(Fleet(tmp_path, in_memory=True), **options)
