"""A watcher whose clocks and hints are moved by hand: a day passes in no time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from catalog.transitions import Event
from catalogs import T, record
from st2 import context as contexts
from st2.serve.agents import Options, answer
from st2.serve.following import Following
from st2.serve.watch import picked

HOUR = 3_600_000


class FakeClocks:
    """The three clocks of a host; they run together but where a test makes them not."""

    def __init__(self, now_ms: int = T) -> None:
        self.wall, self.boot, self.awake = now_ms, 1_000_000, 1_000_000

    def now_ms(self) -> int:
        return self.wall

    def boot_ms(self) -> int:
        return self.boot

    def awake_ms(self) -> int:
        return self.awake

    def run(self, ms: int) -> None:
        self.wall, self.boot, self.awake = self.wall + ms, self.boot + ms, self.awake + ms

    def sleep(self, ms: int) -> None:
        self.wall, self.boot = self.wall + ms, self.boot + ms


class FakeHints:
    """Waits in no time. What a test plans for a moment happens then, with a hint or without."""

    degraded: str | None = None

    def __init__(self, clocks: FakeClocks) -> None:
        self.clocks = clocks
        self.plan: list[tuple[int, bool, Callable[[], object]]] = []

    def wait(self, timeout_ms: int) -> bool:
        until_ms = self.clocks.boot + timeout_ms
        self.plan.sort(key=lambda each: each[0])
        if self.plan and self.plan[0][0] <= until_ms:
            at_ms, hint, act = self.plan.pop(0)
            self.clocks.run(max(at_ms - self.clocks.boot, 0))
            act()
            return hint
        self.clocks.run(timeout_ms)
        return False

    def wake(self) -> None:
        """Nothing waits for real."""

    def close(self) -> None:
        """Nothing is open."""


class Followed:
    """Following a catalog as h1, on fake clocks; :attr:`events` is all that was told."""

    def __init__(self, catalog: Path, *names: str) -> None:
        self.catalog = catalog
        self.clocks = FakeClocks()
        self.hints = FakeHints(self.clocks)
        self.context = contexts.make(str(catalog), "h1", {})
        self.context.clock = self.clocks  # type: ignore[assignment]
        self.following = Following(self.context, picked(names), hints=self.hints)
        self.events: list[tuple[int, Event]] = []
        self.check: Callable[[], object] = lambda: None
        """Called after each look."""

    def start(self) -> None:
        self.following.look()
        self.check()

    def at(self, ms: int, act: Callable[[], object], *, hint: bool = True) -> None:
        """Have *act* happen in *ms*; without a hint nobody tells the watcher."""
        self.hints.plan.append((self.clocks.boot + ms, hint, act))

    def run(self, ms: int) -> list[str]:
        """Watch for *ms* and return what was told: ``kind who``."""
        until_ms, count = self.clocks.boot + ms, len(self.events)
        while self.clocks.boot < until_ms:
            self.following.wait(lambda: False, until_ms)
            look = self.following.look()
            self.events += [(self.clocks.boot, event) for event in look.events]
            self.check()
        told = [event for _, event in self.events[count:]]
        return [f"{event.kind} {event.identity or event.host}" for event in told]

    def beat(self, who: str = "a1", word: str = "available", *, host: str = "h1") -> None:
        folder = self.catalog / "agents" / host / who
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "status").write_bytes(record(word, self.clocks.wall))

    def owner(self, who: str, *, first_ms: int, every_ms: int = 300_000, times: int = 20) -> None:
        """Have an owner beat for *who*, by the clock that nobody sets."""
        for n in range(times):
            self.at(first_ms + n * every_ms, lambda: self.beat(who))

    def agreed(self) -> None:
        """Hold what is known against what ``st2 agents`` says at this moment."""
        rows = answer(self.context, Options()).rows
        assert {row.identity for row in rows} == self.following.known.keys()
        for row in rows:
            known, work = self.following.known[row.identity], row.assessed.activity
            assert (known.word, known.why) == (row.state, row.assessed.presence.why)
            assert known.activity == (work and work.state)
            assert known.routable == (work is not None and work.routable)
