"""``st2 tasks``: what each agent of this host would run, beside what is observed of it."""

from __future__ import annotations

from shlex import join

from catalog.claim import Claim, UnreadableClaim
from catalog.errors import St2Error
from catalog.gathered import gathered
from catalog.json_text import dumps
from catalog.resolve import refuse_unless_one, the_declaration
from st2.launch import launch_of
from st2.looking import Looking
from st2.out import emit, plain
from st2.roster_json import findings_json, presence_json, session_json
from st2.workspace import existing_workspace, workspace_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.finding import Finding
    from catalog.gathered import Gathered
    from catalog.roster import Entry, Row
    from drivers.driver import Expansion
    from st2.context import Context


class Task:
    """One agent of this host: its launch (or why there is none), its row, and what is unsure."""

    __slots__ = ("error", "launch", "row", "uncertain", "workspace")

    def __init__(self, row: Row) -> None:
        self.row = row
        self.launch: Expansion | None = None
        self.workspace: str | None = None
        self.error: St2Error | None = None
        self.uncertain: list[str] = []


def run(context: Context, *, as_json: bool) -> int:
    """Serve the command."""
    context.require_catalog()
    tasks, around = tasks_of(context)
    emit(_json(context, tasks, around) if as_json else "".join(map(_line, tasks)))
    return 0


def tasks_of(context: Context) -> tuple[list[Task], list[Finding]]:
    """Return a task for each agent of this host, and the findings around them."""
    found = gathered(context.files, context.layout)
    now_ms = context.clock.now_ms()
    with Looking(context) as look:
        rows = found.rows(now_ms=now_ms, look=look)
    here = [row for row in rows if row.host == context.layout.host]
    return [_task(context, row, found) for row in here], found.walk.findings


def _task(context: Context, row: Row, found: Gathered) -> Task:
    task, entry = Task(row), found.entries[row.host, row.agent]
    task.uncertain = [*_unsure_of_declarations(entry), *_unsure_of_life(row)]
    try:
        refuse_unless_one(entry, row.identity)
    except St2Error as error:
        task.error = error
    if len(entry.declarations) != 1:
        return task
    declaration = the_declaration(found.walk, entry, this_host=context.layout.host)
    task.workspace = workspace_of(declaration, context.layout.root)
    try:
        task.launch = launch_of(context, declaration)
        existing_workspace(declaration, context.layout.root)
    except St2Error as error:
        task.error = error
    return task


def _unsure_of_declarations(entry: Entry) -> list[str]:
    unsure = []
    if entry.broken:
        unsure.append("broken-declaration")
    if len(entry.declarations) > 1:
        unsure.append("duplicate-declaration")
    if any(each.desired_state is None for each in entry.declarations):
        unsure.append("desired-state")
    return unsure


def _unsure_of_life(row: Row) -> list[str]:
    """Name what could not be told of the session and of its harness."""
    sight, presence = row.assessed.sight, row.assessed.presence
    unsure = ["claim-unreadable"] if isinstance(row.assessed.claim, UnreadableClaim) else []
    if sight is not None:  # an open claim, whose harness was looked at
        unsure += ["process"] if sight.verdict == "unknown" else []
        unsure += ["owner"] if sight.owner_running is None else []
    if presence.state == "unknown" or presence.why in ("unreadable", "invalid-state"):
        unsure.append(f"status-{presence.why}")
    return unsure


def _line(task: Task) -> str:
    declaration = task.row.declaration
    state = (declaration.desired_state if declaration else None) or "-"
    launch = join(task.launch.argv) if task.launch is not None else f"({_why_not(task)})"
    return "\t".join((task.row.identity, state, task.row.state, plain(launch))) + "\n"


def _why_not(task: Task) -> str:
    if task.error is not None:
        return str(task.error)
    return task.uncertain[0] if task.row.declaration or task.uncertain else "not declared"


def _json(context: Context, tasks: list[Task], around: list[Finding]) -> str:
    told = {
        "host": context.layout.host,
        "complete": not around and not any(task.uncertain for task in tasks),
        "tasks": [_task_json(task) for task in tasks],
        "findings": findings_json(around),
    }
    return f"{dumps(told)}\n"


def _task_json(task: Task) -> dict[str, object]:
    row, declaration = task.row, task.row.declaration
    claim, sight = row.assessed.claim, row.assessed.sight
    return {
        "identity": row.identity,
        "desiredState": declaration and declaration.desired_state,
        "desiredStateReason": declaration and declaration.desired_state_reason,
        "driver": declaration and declaration.driver,
        "argv": task.launch and list(task.launch.argv),
        "workspace": task.workspace,
        "render": task.launch and [f"{each.op} {each.path}" for each in task.launch.render],
        "error": task.error and _error(task.error),
        "status": row.state,
        "presence": presence_json(row.assessed.presence),
        "session": session_json(claim) if isinstance(claim, Claim) else None,
        "process": sight and {"pid": sight.pid, "verdict": sight.verdict},
        "owner": sight and {"running": sight.owner_running},
        "uncertain": task.uncertain,
        "findings": findings_json(row.findings),
    }


def _error(error: St2Error) -> dict[str, str]:
    return {"code": error.code, "message": str(error), "hint": error.hint}
