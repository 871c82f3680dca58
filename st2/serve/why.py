"""``st2 why AGENT``: the evidence behind one row."""

from __future__ import annotations

from catalog.gathered import gathered_one
from catalog.json_text import dumps
from catalog.names import bus_id
from catalog.refusals import NotFound
from catalog.resolve import resolve
from catalog.system.log import latest
from catalog.why import Line, decided, explain
from st2.out import emit, plain
from st2.roster_json import findings_json, presence_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.finding import Finding
    from catalog.roster import Row
    from st2.context import Context


def run(context: Context, agent: str, *, as_json: bool, now_ms: int | None) -> int:
    """Serve the command."""
    context.require_catalog()
    row, lines = answer(context, agent, now_ms=now_ms)
    emit(f"{dumps(told(row, lines))}\n" if as_json else as_text(row, lines))
    return 0


def answer(context: Context, agent: str, *, now_ms: int | None = None) -> tuple[Row, list[Line]]:
    """Return the row of *agent* and the evidence behind it. Nothing is written."""
    key = resolve(context.reader, agent)
    found = gathered_one(context.files, context.layout, *key)
    if key not in found.entries:
        closed = [each for each in found.findings if each.code == "unreadable"]
        why = "".join(f", {each.path}: {each.message}" for each in closed[:3])
        raise NotFound(bus_id(*key), f"it has no row any more{why}, wanted one")
    here = key[0] == context.layout.host
    look = context.look if now_ms is None else None
    moment_ms = context.clock.now_ms() if now_ms is None else now_ms
    [row] = found.rows(now_ms=moment_ms, look=look)
    lines = explain(
        row,
        found.entries[key],
        found.beats[key[0]],
        here=here,
        looked=look is not None,
        now_ms=moment_ms,
        clock=None if here or look is None else found.heard[key[0]].clock,
        terminal=_terminal(context, row),
        refreshes={name: context.reader.record(*key, name) for name in ("held", "seen")},
    )
    if here and look is not None:
        event = latest(context.files, context.layout.log(), f"owner of {row.identity}:")
        lines += [Line("log", event)] if event else []
    if found.local_fault is not None:
        row.findings = (*row.findings, found.local_fault)
    return row, lines


def _terminal(context: Context, row: Row) -> str:
    sight = row.assessed.sight
    if sight is None or sight.pid is None or sight.verdict != "alive":
        return ""
    return context.terminal(sight.pid)


def as_text(row: Row, lines: list[Line]) -> str:
    """Return the answer in the form for people."""
    reason = decided(row.assessed.presence).partition(": ")[2]
    texts = [f"{row.identity}: {row.state} ({row.assessed.presence.why}): {reason}"]
    texts += [
        f"  {line.about:<9} {plain(line.sentence)}" for line in lines if line.about != "decided"
    ]
    texts += [f"  {'finding':<9} {plain(_finding(finding))}" for finding in row.findings]
    return "\n".join(texts) + "\n"


def _finding(finding: Finding) -> str:
    place = f" ({finding.where})" if finding.path else ""
    hint = f"; {finding.hint}" if finding.hint else ""
    return f"{finding.code}: {finding.message}{place}{hint}"


def told(row: Row, lines: list[Line]) -> dict[str, object]:
    """Return the answer in the form of ``--json``."""
    return {
        "identity": row.identity,
        "status": row.state,
        "presence": presence_json(row.assessed.presence),
        "evidence": [{"about": line.about, "sentence": line.sentence} for line in lines],
        "findings": findings_json(row.findings),
    }
