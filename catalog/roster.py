"""The roster: one row for each agent that is declared or has a record, sorted by bus id."""

from __future__ import annotations

from catalog.activity import judge
from catalog.assess import assess
from catalog.declared import Declared
from catalog.finding import Finding
from catalog.names import bus_id
from catalog.reader import read_claim
from catalog.seen import Missing
from catalog.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from catalog.assess import Assessed
    from catalog.claim import Claim
    from catalog.declaration_cache import DeclarationCache
    from catalog.declared import Broken
    from catalog.heard import Heard
    from catalog.layout import Layout
    from catalog.survey import Place, Survey
    from catalog.witness import Sight

_MISSING = Missing()


class Row(Value):
    """One agent: what was declared (None where nothing sound was) and what is known of it now.

    ``identity`` is its bus id, ``<host>.<agent>``.
    """

    __slots__ = ("agent", "assessed", "declaration", "findings", "host", "identity")

    def __init__(
        self,
        host: str,
        agent: str,
        declaration: Declared | None,
        assessed: Assessed,
        findings: tuple[Finding, ...],
    ) -> None:
        self.host = host
        self.agent = agent
        self.declaration = declaration
        self.assessed = assessed
        self.findings = findings
        self.identity = bus_id(host, agent)

    @property
    def state(self) -> str:
        """The one word that every command prints."""
        return str(self.assessed.presence.state)

    @property
    def routable(self) -> bool:
        """Whether work may be routed to it: ``routable`` of its activity, and of nothing else."""
        activity = self.assessed.activity
        return activity is not None and bool(activity.routable)


class Entry:
    """What was gathered under one bus id: declarations, broken files, and the records' place."""

    __slots__ = ("broken", "declarations", "place")

    def __init__(self) -> None:
        self.declarations: list[Declared] = []
        self.broken: list[Broken] = []
        self.place: Place | None = None

    @property
    def has_row(self) -> bool:
        """Whether anything of the agent is there."""
        return bool(self.place or self.declarations or self.broken)


def gather(
    found: Survey, cache: DeclarationCache, *, this_host: str
) -> dict[tuple[str, str], Entry]:
    """Group a survey by effective (host, agent): a declaration's content wins over its folder."""
    entries: dict[tuple[str, str], Entry] = {}
    for place in found.places:
        declared = cache.declared_at(place)
        if isinstance(declared, Declared):
            key = (declared.host, declared.agent)
            entries.setdefault(key, Entry()).declarations.append(declared)
        elif declared is not None and place.agent is not None:
            key = (place.host or this_host, place.agent)
            entries.setdefault(key, Entry()).broken.append(declared)
        elif declared is not None:
            found.findings.extend(declared.findings)
        if place.recorded and place.host is not None and place.agent is not None:
            entries.setdefault((place.host, place.agent), Entry()).place = place
    return entries


def build(
    entries: dict[tuple[str, str], Entry],
    layout: Layout,
    *,
    host_beats: Mapping[str, int | None],
    look: Callable[[Claim], Sight] | None,
    now_ms: int,
    heard: Mapping[str, Heard] | None = None,
) -> list[Row]:
    """Return the rows at *now_ms*, sorted by bus id; *look* sees processes of this host.

    *heard* is what this host observed of others, None where records alone are to be read.
    """
    afar = {}
    if heard:
        from catalog.heard import afar as observed

        for host, each in heard.items():
            afar[host] = observed(host, each, beat_ms=host_beats.get(host), now_ms=now_ms)
    rows = []
    for (host, agent), entry in entries.items():
        place = entry.place
        assessed = assess(
            layout,
            host,
            agent,
            status=place.status if place else _MISSING,
            claim=read_claim(place.session, host, agent) if place else None,
            host_beat_ms=host_beats.get(host),
            look=look,
            now_ms=now_ms,
            activity=place.activity if place else _MISSING,
            judge=judge,
            afar=afar.get(host),
        )
        declaration = entry.declarations[0] if entry.declarations else None
        row = Row(host, agent, declaration, assessed, assessed.findings)
        if entry.broken or len(entry.declarations) > 1 or (declaration and declaration.findings):
            row.findings = (*_about_declarations(entry, row.identity), *assessed.findings)
        rows.append(row)
    rows.sort(key=lambda row: row.identity)
    return rows


def _about_declarations(entry: Entry, identity: str) -> list[Finding]:
    findings = [each for broken in entry.broken for each in broken.findings]
    for declaration in entry.declarations:
        findings.extend(declaration.findings)
    if len(entry.declarations) > 1:
        paths = ", ".join(declaration.path for declaration in entry.declarations)
        sentence = f"{identity} is declared {len(entry.declarations)} times: {paths}"
        findings.append(Finding("duplicate-declaration", sentence, entry.declarations[1].path))
    return findings
