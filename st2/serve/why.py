"""``st2 why AGENT``: the evidence behind one row."""

from __future__ import annotations

from catalog.assess import host_beat_ms, local_fault
from catalog.declaration_cache import DeclarationCache
from catalog.resolve import resolve
from catalog.roster import build, gather
from catalog.survey import survey
from catalog.system.log import latest
from catalog.why import Line, explain
from st2.out import emit, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.finding import Finding
    from catalog.roster import Row
    from st2.context import Context


def run(context: Context, agent: str, *, as_json: bool, now_ms: int | None) -> int:
    """Serve the command."""
    context.require_catalog()
    key = resolve(context.reader, agent)
    here = context.layout.host
    cache = DeclarationCache(context.files, context.layout)
    entries = gather(survey(context.files, context.layout), cache, this_host=here)
    beat_ms = host_beat_ms(context.files.read(context.layout.host_beat(key[0])))
    look = context.look if now_ms is None else None
    moment_ms = context.clock.now_ms() if now_ms is None else now_ms
    [row] = build(
        {key: entries[key]},
        context.layout,
        host_beats={key[0]: beat_ms},
        look=look,
        now_ms=moment_ms,
    )
    lines = explain(
        row,
        entries[key],
        beat_ms,
        here=key[0] == here,
        looked=look is not None,
        now_ms=moment_ms,
    )
    if key[0] == here and look is not None:
        event = latest(context.files, context.layout.log(), f"owner of {row.identity}:")
        lines += [Line("log", event)] if event else []
    fault = local_fault(context.files, context.layout)
    if fault is not None:
        row.findings = (*row.findings, fault)
    emit(_as_json(row, lines) if as_json else _as_text(row, lines))
    return 0


def _as_text(row: Row, lines: list[Line]) -> str:
    told = [f"{row.identity}: {row.state} ({row.assessed.presence.why})"]
    told += [f"  {line.about:<9} {plain(line.sentence)}" for line in lines]
    told += [f"  {'finding':<9} {plain(_finding(finding))}" for finding in row.findings]
    return "\n".join(told) + "\n"


def _finding(finding: Finding) -> str:
    place = f" ({finding.path})" if finding.path else ""
    hint = f"; {finding.hint}" if finding.hint else ""
    return f"{finding.code}: {finding.message}{place}{hint}"


def _as_json(row: Row, lines: list[Line]) -> str:
    from catalog.json_text import dumps
    from st2.roster_json import findings_json, presence_json

    told = {
        "identity": row.identity,
        "status": row.state,
        "presence": presence_json(row.assessed.presence),
        "evidence": [{"about": line.about, "sentence": line.sentence} for line in lines],
        "findings": findings_json(row.findings),
    }
    return dumps(told) + "\n"
