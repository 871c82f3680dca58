"""A catalog that is looked at in steps, with a clock that is moved by hand."""

from __future__ import annotations

from pathlib import Path

from catalog.assess import host_beat_ms
from catalog.declaration_cache import DeclarationCache
from catalog.heard import Heard
from catalog.layout import Layout
from catalog.roster import Row, build, gather
from catalog.survey import survey
from catalog.system.files import Files
from catalog.transitions import Event, Known, step, step_hosts
from catalog.witness import Sight
from catalogs import T, agent, claim, record


class Watched:
    """Agents of one catalog, seen from h1; :meth:`look` returns the events since the last look."""

    def __init__(self, catalog: Path, now_ms: int = T) -> None:
        self.catalog = catalog
        self.now_ms = now_ms
        self.sights: dict[str, Sight] = {}
        self.known: dict[str, Known] = {}
        self.hosts: dict[str, bool] = {}
        self.holding = False
        self.heard: dict[str, Heard] = {}

    def rows(self, now_ms: int | None = None) -> list[Row]:
        layout, files = Layout(str(self.catalog), "h1"), Files(str(self.catalog))
        entries = gather(survey(files, layout), DeclarationCache(files, layout), this_host="h1")
        look = (lambda claim: self.sights[claim.agent]) if self.sights else None
        now_ms = self.now_ms if now_ms is None else now_ms
        return build(
            entries,
            layout,
            host_beats=self.beats(),
            look=look,
            now_ms=now_ms,
            heard=self.heard,
        )

    def beats(self) -> dict[str, int | None]:
        files = Files(str(self.catalog))
        return {host: host_beat_ms(files.read(f"hosts/{host}/beat")) for host in ("h1", "h2")}

    def look(self) -> list[Event]:
        hosts, told = step_hosts(
            self.hosts, self.beats(), this_host="h1", now_ms=self.now_ms, holding=self.holding
        )
        known, events = step(self.known, self.rows(), holding=self.holding)
        self.known, self.hosts = known, hosts
        return [*events, *told]

    def after(self, ms: int) -> list[Event]:
        """Look again *ms* later."""
        self.now_ms += ms
        return self.look()

    def kinds(self, ms: int = 0) -> list[str]:
        """The kinds of what happened when looked at *ms* later."""
        return [event.kind for event in self.after(ms)]

    def put(self, name: str, raw: bytes, *, who: str = "a1", host: str = "h1") -> None:
        (agent(self.catalog, who, host) / name).write_bytes(raw)

    def beat(self, word: str = "available", *, who: str = "a1", host: str = "h1") -> None:
        self.put("status", record(word, self.now_ms), who=who, host=host)

    def work(self, word: str = "running", *, who: str = "a1", host: str = "h1") -> None:
        self.put("activity", record(word, self.now_ms), who=who, host=host)

    def publish(self, host: str = "h2") -> None:
        folder = self.catalog / "hosts" / host
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "beat").write_bytes(b"0123456789abcdef\nv1 %d\n" % self.now_ms)

    def claim(self, who: str = "a1", host: str = "h1", **changes: object) -> None:
        changes.setdefault("started_ms", self.now_ms)
        agent(self.catalog, who, host, session=claim(agent=who, host=host, **changes))

    def forget(self, who: str = "a1", host: str = "h1") -> None:
        folder = self.catalog / "agents" / host / who
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()

    def forget_work(self, who: str = "a1", host: str = "h1") -> None:
        (self.catalog / "agents" / host / who / "activity").unlink()


def begun(catalog: Path) -> Watched:
    """Return one agent, h1.a1, whose session began and beat just now; it was looked at once."""
    seen = Watched(catalog)
    seen.claim()
    seen.beat()
    assert seen.kinds() == ["appeared"]
    return seen
