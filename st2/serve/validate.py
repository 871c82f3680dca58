"""``st2 validate``: every declaration of the catalog, read as the roster and ``run`` read it."""

from __future__ import annotations

from catalog import kdl
from catalog.declaration import Declaration, declaration_at
from catalog.errors import St2Error
from catalog.finding import Finding
from catalog.json_text import dumps
from catalog.portable import about_names
from catalog.seen import Content, Missing, Unreadable
from catalog.survey import survey
from catalog.sync.policy import parse
from catalog.windows import DECLARATION_BYTES
from drivers.advice import NOTES, advise
from drivers.expand import expand, facts_of
from st2.checks.refusal import finding_of
from st2.checks.shared import Workspaces
from st2.out import emit, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalog.declared import Broken
    from st2.context import Context

PROBLEM, ADVISORY, NOTE = "problem", "advisory", "note"
_WORDS = {PROBLEM: "problems", ADVISORY: "advisories", NOTE: "notes"}

ADVISORIES = (
    *("host-mismatch", "agent-mismatch", "nothing-to-launch", "not-read"),
    *("codex-daemon", "claude-channels-dialog", "workspace-shared"),
)
"""The codes that --strict makes problems. Notes never are; every other code always is."""


class Checked:
    """One file, what it declares, and everything that was found about it."""

    __slots__ = ("driver", "findings", "identity", "path")

    def __init__(self, path: str, read: Declaration | Broken | None = None) -> None:
        self.path = path
        sound = read if isinstance(read, Declaration) else None
        self.identity = sound.identity if sound else None
        self.driver = sound.driver if sound else None
        self.findings: list[Finding] = list(read.findings) if read is not None else []


def run(context: Context, *, strict: bool, as_json: bool) -> int:
    """Serve the command: 1 where a problem was found, else 0."""
    context.require_catalog()
    files, around = check(context)
    ok = not any(
        severity(each) == PROBLEM or (strict and severity(each) == ADVISORY)
        for each in [*around, *(finding for file in files for finding in file.findings)]
    )
    emit(_json(files, around, ok=ok, strict=strict) if as_json else _text(files, around))
    return 0 if ok else 1


def severity(finding: Finding) -> str:
    """Return how much a finding weighs: ``problem``, ``advisory`` or ``note``."""
    if finding.code in NOTES:
        return NOTE
    return ADVISORY if finding.code in ADVISORIES else PROBLEM


def check(context: Context) -> tuple[list[Checked], list[Finding]]:
    """Return every declaration of the catalog, and what was found around them."""
    found = survey(context.files, context.layout, records=False)
    around = list(found.findings)
    files = _settings(context)
    owners: dict[str, str] = {}
    workspaces = Workspaces(context.layout.root)
    for place in found.places:
        if place.file is None:
            continue
        read = declaration_at(place, this_host=context.layout.host)
        checked = Checked(place.file, read)
        if isinstance(read, Declaration):
            checked.findings += _about_launch(read, workspaces)
            first = owners.setdefault(read.identity, place.file)
            if first != place.file:
                checked.findings.append(_duplicate(read, first))
        files.append(checked)
    return files, [*around, *_names(context)]


def _settings(context: Context) -> list[Checked]:
    """Check that the settings of the catalog, where there are any, can be used."""
    path = context.layout.settings()
    found = context.files.read(path, DECLARATION_BYTES)
    if isinstance(found, Missing):
        return []
    checked = Checked(path)
    if isinstance(found, Unreadable):
        checked.findings.append(Finding("declaration-unreadable", found.reason, path))
        return [checked]
    assert isinstance(found, Content)
    parsed = kdl.parse(found.raw)
    if isinstance(parsed, kdl.Unparsed):
        line, column = parsed.place or (None, None)
        checked.findings.append(
            Finding(parsed.code, parsed.sentence, path, parsed.hint, line=line, column=column)
        )
        return [checked]
    checked.findings += parse(found.raw, path).findings
    return [checked]


def _about_launch(declaration: Declaration, workspaces: Workspaces) -> list[Finding]:
    """Expand as ``run`` would, and judge what comes out."""
    path = declaration.path
    if declaration.launch_error is not None:
        return []  # it is one of the declaration's own findings
    if not (declaration.driver or declaration.argv or declaration.command):
        sentence = "found nothing to launch, wanted a driver block, argv or command"
        hint = "leave it so for an agent that something else starts"
        return [Finding("nothing-to-launch", sentence, path, hint)]
    try:
        expansion = expand(declaration, facts_of(declaration))
    except St2Error as error:
        return [finding_of(error, path)]
    shared = workspaces.add(declaration, expansion.render)
    return [*advise(expansion, path, declaration.place(declaration.driver_at)), *shared]


def _duplicate(declaration: Declaration, first: str) -> Finding:
    sentence = f"found {declaration.identity}, which {first} declares, wanted one declaration"
    return Finding("duplicate-declaration", sentence, declaration.path, "keep one of them")


def _names(context: Context) -> list[Finding]:
    """Find the names of hosts and agents that are fine here and break elsewhere."""
    agents = context.layout.agents()
    found = []
    hosts = context.files.scan(agents)
    listed = [name for name, _ in hosts] if isinstance(hosts, list) else []
    found += about_names(agents, listed)
    for host in listed:
        entries = context.files.scan(f"{agents}/{host}")
        if isinstance(entries, list):
            found += about_names(f"{agents}/{host}", [name for name, _ in entries])
    return found


def _text(files: Sequence[Checked], around: Sequence[Finding]) -> str:
    found = [*around, *(finding for file in files for finding in file.findings)]
    lines = []
    for each in found:
        lines.append(f"{each.where}: {severity(each)} {each.code}: {each.message}")
        if each.hint:
            lines.append(f"  hint: {each.hint}")
    counts = [(word, sum(severity(each) == word for each in found)) for word in _WORDS]
    told = ", ".join(f"{count} {_WORDS[word] if count != 1 else word}" for word, count in counts)
    noun = "file" if len(files) == 1 else "files"
    return "".join(f"{plain(line)}\n" for line in [*lines, f"{len(files)} {noun}: {told}"])


def _json(files: Sequence[Checked], around: Sequence[Finding], *, ok: bool, strict: bool) -> str:
    told = {
        "ok": ok,
        "strict": strict,
        "files": [
            {
                "path": file.path,
                "identity": file.identity,
                "driver": file.driver,
                "findings": [_finding(each) for each in file.findings],
            }
            for file in files
        ],
        "findings": [_finding(each) for each in around],
    }
    return f"{dumps(told)}\n"


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "severity": severity(finding),
        "code": finding.code,
        "message": finding.message,
        "path": finding.path,
        "line": finding.line,
        "column": finding.column,
        "hint": finding.hint,
    }
