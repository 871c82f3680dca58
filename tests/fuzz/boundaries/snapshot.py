"""Another host's snapshot, from the bytes under its ref to the rows that are printed of it."""

from __future__ import annotations

from catalog.declaration_cache import DeclarationCache
from catalog.layout import Layout
from catalog.names import is_agent
from catalog.roster import Row, build, gather
from catalog.seen import Content, Missing
from catalog.snapshot import Entry, Refused, Snapshot, apart, decode, encode, limit_of
from catalog.survey import Place, Survey
from catalog.why import explain
from fuzz.told import check_escaped, check_plain
from st2.roster_json import roster_json
from st2.serve.why import as_text, told
from st2.table import Footing, table
from st2.tsv import tsv
from support.memory import MemoryFiles

HOST, NOW_MS = "h2", 1_800_000_000_000
HEAD = b"st2-presence 1\nhost h2\nnode 0123456789abcdef\nseq 7\nbeat 1799999999000\n"

REACHED = frozenset(
    (
        *("refused", "snapshot", "forgotten", "file time", "escaped", "case"),
        *("available", "busy", "unknown", "offline"),
        *("fresh", "silent", "future", "ended", "claim unreadable", "activity"),
    )
)
GROWING = {
    "agents": lambda size: (
        HEAD + b"\n" + b"".join(b"a%06d/status\tbusy\\nv1 5\\n\n" % n for n in range(size))
    ),
    "escapes": lambda size: HEAD + b"\na/status\t" + b"\\\\" * size + b"\n",
    "tabs": lambda size: HEAD + b"\na/status" + b"\t" * size + b"\n",
    "head": lambda size: HEAD + b"x\n" * size + b"\n\n",
    "node": lambda size: HEAD.replace(b"0123456789abcdef", b"a" * size) + b"\n",
}


def check(data: bytes) -> set[str]:
    """Decode, look at what was decoded as a reader does, and print it in every form."""
    found = decode(data, host=HOST)
    if isinstance(found, Refused):
        check_plain(found.why)
        return {"refused"}
    assert encode(found) == data
    reached = {"snapshot"} | ({"forgotten"} if found.forgotten else set())
    kept, dropped = apart(found)
    reached |= {"case"} if dropped else set()
    for each in found.entries:
        assert is_agent(each.agent) and len(each.raw) <= limit_of(each.record)
        reached |= {"file time"} if each.mtime_ms is not None else set()
        reached |= {"escaped"} if b"\\" in each.raw or b"\t" in each.raw else set()
    return reached | _rows(found, kept)


def _rows(found: Snapshot, kept: list[Entry]) -> set[str]:
    layout = Layout("/catalog", "h1")
    survey = Survey()
    files: dict[str, dict[str, Entry]] = {}
    for each in kept:
        files.setdefault(each.agent, {})[each.record] = each
    survey.places = [_place(agent, records) for agent, records in files.items()]
    cache = DeclarationCache(MemoryFiles(), layout)  # type: ignore[arg-type]
    entries = gather(survey, cache, this_host="h1")
    beats = {HOST: found.beat_ms}
    rows = build(entries, layout, host_beats=beats, look=None, now_ms=NOW_MS, heard={})
    footing = Footing("h1", {**beats, "h1": 5}, NOW_MS, clock_only=False)
    whole = table(rows, footing, width=100)
    check_plain(whole, tsv(rows), roster_json(rows, None))
    assert whole.count("\n") == len(rows) + 2 + bool(rows) + ("?:" in whole)
    reached = set()
    for row in rows[:3]:
        place = entries[(row.host, row.agent)]
        lines = explain(row, place, found.beat_ms, here=False, looked=True, now_ms=NOW_MS)
        check_plain(as_text(row, lines))
        assert told(row, lines)["status"] == row.state
    for row in rows:
        reached |= _reached(row)
    return reached


def _reached(row: Row) -> set[str]:
    for finding in row.findings:
        check_escaped(finding.message)
    codes = {finding.code for finding in row.findings}
    work = row.assessed.activity is not None and row.assessed.activity.source == "activity"
    return {
        *(row.state, row.assessed.presence.why),
        *(("claim unreadable",) if codes & {"claim-unreadable", "unreadable-claim"} else ()),
        *(("activity",) if work else ()),
    }


def _place(agent: str, records: dict[str, Entry]) -> Place:
    def file(name: str) -> Content | Missing:
        each = records.get(name)
        return Missing() if each is None else Content(each.raw, each.mtime_ms or 0)

    return Place(
        f"agents/{HOST}/{agent}",
        HOST,
        agent,
        status=file("status"),
        session=file("session.json"),
        activity=file("activity"),
        recorded=True,
    )
