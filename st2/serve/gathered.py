"""What one look at the catalog gathers; rows are made of it for any moment."""

from __future__ import annotations

from catalog.assess import host_beat_ms, local_fault
from catalog.declaration_cache import DeclarationCache
from catalog.heard import Heard, load
from catalog.roster import build, gather
from catalog.survey import survey

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.claim import Claim
    from catalog.finding import Finding
    from catalog.roster import Entry, Row
    from catalog.witness import Sight
    from st2.context import Context


class Gathered:
    """What was read of every agent, when each host was last heard, and remarks about the walk."""

    __slots__ = ("beats", "cache", "context", "entries", "findings", "heard")

    def __init__(
        self,
        context: Context,
        entries: dict[tuple[str, str], Entry],
        findings: list[Finding],
        *,
        beats: dict[str, int | None],
        heard: dict[str, Heard],
        cache: DeclarationCache,
    ) -> None:
        self.context = context
        self.entries = entries
        self.findings = findings
        self.beats = beats
        self.heard = heard
        self.cache = cache

    def rows(self, *, now_ms: int, look: Callable[[Claim], Sight] | None) -> list[Row]:
        """Return the rows as at *now_ms*; *look* is None where records alone are to be read."""
        return build(
            self.entries,
            self.context.layout,
            host_beats=self.beats,
            look=look,
            now_ms=now_ms,
            heard=self.heard if look is not None else None,
        )


def gathered(context: Context) -> Gathered:
    """Read the whole catalog once. Nothing is written, the cache neither."""
    found = survey(context.files, context.layout)
    cache = DeclarationCache(context.files, context.layout)
    entries = gather(found, cache, this_host=context.layout.host)
    beats = {
        host: host_beat_ms(context.files.read(context.layout.host_beat(host)))
        for host in {host for host, _ in entries} | {context.layout.host}
    }
    heard = {
        host: load(context.files, context.layout, host)
        for host in beats
        if host != context.layout.host
    }
    fault = local_fault(context.files, context.layout)
    if fault is not None:
        found.findings.append(fault)
    return Gathered(context, entries, found.findings, beats=beats, heard=heard, cache=cache)
