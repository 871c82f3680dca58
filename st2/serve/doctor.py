"""``st2 doctor``: everything that a person should mend, each with the way out. It reads only."""

from __future__ import annotations

from catalog.checkup import checkup
from catalog.declaration import declarations_of
from catalog.finding import Finding
from catalog.gathered import gathered
from catalog.json_text import dumps
from catalog.layout import DECLARATIONS
from catalog.roster import build
from catalog.sync.hosts import known_hosts
from st2.checks import drift, hooks, launches, local, transport
from st2.looking import Looking
from st2.out import emit, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from catalog.gathered import Gathered
    from st2.context import Context

_DECLARE = "declare a word: st2 status AGENT --set WORD"
HINTS = {
    "agent-mismatch": "move the file to its agent's folder, or correct the name in it",
    "bad-name": "rename it by the rule, or move it out of agents/",
    "case-collision": "rename one of the two, on the host that has both",
    "claim-unreadable": "look at the file; st2 run AGENT --force replaces it",
    "duplicate-declaration": "keep one of them",
    "future": "set the clock that is wrong; until then the row reads unknown",
    "host-mismatch": "move the file to its host's folder, or correct the host in it",
    "invalid-state": _DECLARE,
    "legacy-mtime": "upgrade what writes it on that host, or carry it by st2 sync",
    "literal-unknown": _DECLARE,
    "malformed": _DECLARE,
    "newer-version": "upgrade st2 on this host",
    "owner-lost": "st2 session adopt AGENT starts another owner; the agent does not notice",
    "signature-doubted": "list its key in hosts.allowed_signers, or look who publishes for it",
    "snapshot-refused": "look at what publishes for that host: its version, and who else may;"
    " where it is newer than this st2, upgrade this one",
    "sync-failed": "st2 sync tries again, and tells the way out",
    "unreadable": "give this user the right to read it, or put a file in its place",
}
"""The way out of what the roster reports without one."""

_DECLARATION = "correct it; st2 validate checks every declaration"
_ELSE = "st2 why AGENT shows the evidence"
_SAID_BETTER = ("invalid-state", "malformed", "unreadable")
"""What the roster says of a file whose damage the checkup names."""


def run(context: Context, *, as_json: bool) -> int:
    """Serve the command: 1 where something was found, else 0."""
    context.require_catalog()
    found = diagnose(context)
    emit(_json(context, found) if as_json else _text(found))
    return 1 if found else 0


def diagnose(context: Context) -> list[Finding]:
    """Return every finding, each with a path and a hint, in order of the paths."""
    files, layout = context.files, context.layout
    read = gathered(files, layout)
    declared = list(declarations_of(read.walk.places, host=layout.host))
    damage = checkup(files, layout)
    damaged = {each.path for each in damage}
    rows = [
        each
        for each in _rows(context, read)
        if each.path not in damaged or each.code not in _SAID_BETTER
    ]
    hosts = [
        _placed(each, layout.host_beat(host.name))
        for host in known_hosts(files, layout, now_ms=context.clock.now_ms())
        for each in host.findings
    ]
    found = [
        *damage,
        *rows,
        *launches.launches(context, declared),
        *drift.drift(context, declared),
        *hosts,
        *local.local_state(files, layout),
        *local.room(layout),
        *local.locks(files, layout),
        *local.writes(files, layout, context.reader),
        *hooks.hooks(context),
        *transport.transport(context),
    ]
    return sorted(map(_hinted, dict.fromkeys(found)), key=lambda each: (each.path or "", each.code))


def _rows(context: Context, read: Gathered) -> list[Finding]:
    """Return what the roster reports of all agents; what it says of a host is told of that host."""
    layout = context.layout
    now_ms = context.clock.now_ms()
    with Looking(context) as look:
        rows = build(read.entries, layout, host_beats=read.beats, look=look, now_ms=now_ms)
    found = [_placed(each, layout.agents()) for each in read.walk.findings]
    for row in rows:
        folder = layout.agent_folder(row.host, row.agent)
        found += [_placed(each, folder) for each in row.findings]
    return found


def _placed(finding: Finding, path: str) -> Finding:
    """Return *finding* with a path: its own, else *path*."""
    if finding.path is not None:
        return finding
    return Finding(finding.code, finding.message, path, finding.hint)


def _hinted(finding: Finding) -> Finding:
    if finding.hint:
        return finding
    declared = (finding.path or "").endswith(DECLARATIONS)
    return Finding(
        finding.code,
        finding.message,
        finding.path,
        HINTS.get(finding.code, _DECLARATION if declared else _ELSE),
        line=finding.line,
        column=finding.column,
    )


def _text(found: Iterable[Finding]) -> str:
    lines = []
    for each in found:
        lines.append(f"{each.where}: {each.code}: {each.message}")
        lines.append(f"  hint: {each.hint}")
    return "".join(f"{plain(line)}\n" for line in lines or ["nothing was found"])


def _json(context: Context, found: list[Finding]) -> str:
    told = {
        "host": context.layout.host,
        "ok": not found,
        "findings": [
            {
                "code": each.code,
                "path": each.path,
                "line": each.line,
                "column": each.column,
                "message": each.message,
                "hint": each.hint,
            }
            for each in found
        ],
    }
    return f"{dumps(told)}\n"
