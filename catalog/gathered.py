"""What one look at the catalog gathers; rows are made of it for any moment."""

from __future__ import annotations

from catalog.assess import host_beat_ms, local_fault
from catalog.declaration_cache import DeclarationCache
from catalog.roster import build, gather
from catalog.survey import place_of, survey

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.claim import Claim
    from catalog.finding import Finding
    from catalog.heard import Heard
    from catalog.layout import Layout
    from catalog.roster import Entry, Row
    from catalog.survey import Survey
    from catalog.system.files import Files
    from catalog.witness import Sight


class Gathered:
    """What was read of every agent, when each host was last heard, and remarks about the walk.

    ``local_fault`` is why this host's own folder is not used, if so.
    """

    __slots__ = ("beats", "cache", "entries", "heard", "layout", "local_fault", "walk")

    def __init__(
        self,
        files: Files,
        layout: Layout,
        walk: Survey,
        entries: dict[tuple[str, str], Entry],
        *,
        cache: DeclarationCache,
        hosts: set[str],
    ) -> None:
        self.layout = layout
        self.walk = walk
        self.entries = entries
        self.cache = cache
        self.beats = {host: host_beat_ms(files.read(layout.host_beat(host))) for host in hosts}
        self.heard = _heard(files, layout, hosts - {layout.host})
        self.local_fault = local_fault(files, layout)

    @property
    def findings(self) -> list[Finding]:
        """What is to be remarked around the rows."""
        return [*self.walk.findings, *([self.local_fault] if self.local_fault else [])]

    def rows(self, *, now_ms: int, look: Callable[[Claim], Sight] | None) -> list[Row]:
        """Return the rows as at *now_ms*; *look* is None where records alone are to be read."""
        return build(
            self.entries,
            self.layout,
            host_beats=self.beats,
            look=look,
            now_ms=now_ms,
            heard=self.heard if look is not None else None,
        )


def _heard(files: Files, layout: Layout, others: set[str]) -> dict[str, Heard]:
    """Return what was observed of each other host; a catalog of one loads nothing for that."""
    if not others:
        return {}
    from catalog.heard import load

    return {host: load(files, layout, host) for host in others}


def gathered(files: Files, layout: Layout) -> Gathered:
    """Read the whole catalog once. Nothing is written, the cache neither."""
    walk, cache = survey(files, layout), DeclarationCache(files, layout)
    entries = gather(walk, cache, this_host=layout.host)
    hosts = {host for host, _ in entries} | {layout.host}
    return Gathered(files, layout, walk, entries, cache=cache, hosts=hosts)


def gathered_one(files: Files, layout: Layout, host: str, agent: str) -> Gathered:
    """Read what is about one agent: of all others their declarations, any of which may be.

    There is no entry where it has no row.
    """
    walk, cache = survey(files, layout, records=False), DeclarationCache(files, layout)
    entry = gather(walk, cache, this_host=layout.host).get((host, agent))
    if entry is not None and entry.place is not None:
        entry.place = place_of(files, layout, host, agent)
    entries = {(host, agent): entry} if entry is not None and entry.has_row else {}
    return Gathered(files, layout, walk, entries, cache=cache, hosts={host})
