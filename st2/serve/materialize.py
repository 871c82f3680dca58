"""``st2 materialize [AGENT]``: what a launch needs in its workspace, written or taken out again."""

from __future__ import annotations

from catalog.declaration import declarations_of
from catalog.errors import St2Error
from catalog.resolve import declaration_of, resolve_here
from catalog.survey import survey
from catalog.windows import LOCK_WAIT_MS
from drivers.materialize import Workspace
from st2.boundary import tell
from st2.launch import launch_of
from st2.out import emit, plain, say
from st2.workspace import NoWorkspace, existing_workspace, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from catalog.declaration import Declaration
    from drivers.driver import Render
    from drivers.render import Plan
    from st2.context import Context


class CannotMaterialize(St2Error):
    """A file of the workspace may not be touched; nothing was written."""

    code = "cannot-materialize"
    hint = "nothing was written; st2 materialize AGENT --dry-run shows the whole plan"


class Options:
    """What was asked; without *agent* it is every agent of this host that is to run."""

    __slots__ = ("agent", "dry_run", "undo")

    def __init__(self, agent: str | None, *, dry_run: bool, undo: bool) -> None:
        self.agent = agent
        self.dry_run = dry_run
        self.undo = undo


def run(context: Context, options: Options) -> int:
    """Serve the command: 1 where an agent was refused; the others are served all the same."""
    context.require_catalog()
    code = 0
    for declaration in _asked(context, options):
        try:
            _one(context, declaration, options)
        except St2Error as error:
            tell(error)
            code = 1
    return code


def _asked(context: Context, options: Options) -> Iterator[Declaration]:
    if options.agent is not None:
        yield declaration_of(context.reader, resolve_here(context.reader, options.agent))
        return
    places = survey(context.files, context.layout, records=False).places
    for found in declarations_of(places, host=context.layout.host):
        if found.launch_error is None:
            launched = found.driver or found.argv or found.command
            if launched and found.workspace is not None and (found.running or options.undo):
                yield found


def _one(context: Context, declaration: Declaration, options: Options) -> None:
    renders = launch_of(context, declaration).render
    folder = existing_workspace(declaration, context.layout.root)
    if renders and folder is None:
        found = "no workspace is declared, wanted a folder to write into"
        raise NoWorkspace(declaration.identity, found)
    if folder is None:
        return
    if options.dry_run:
        made = Workspace(folder).plan(renders, undo=options.undo)
        _emit(declaration, made, "would ")
        refuse(declaration.identity, made, undo=options.undo)
    else:
        _emit(declaration, materialize(context, declaration, renders, folder, options.undo), "")


def materialize(
    context: Context,
    declaration: Declaration,
    renders: Sequence[Render],
    folder: str,
    undo: bool = False,
) -> Plan:
    """Write (or take out) what *renders* want in *folder*; raise CannotMaterialize before that.

    One at a time on this host: two that merge into one file would lose one of their entries.
    """
    if not renders:
        return Workspace(folder).plan(())
    with context.files.lock(context.layout.materialize_lock(), wait_ms=LOCK_WAIT_MS):
        workspace = Workspace(folder)
        made = workspace.plan(renders, undo=undo)
        refuse(declaration.identity, made, undo=undo)
        workspace.perform(made)
        return made


def refuse(identity: str, made: Plan, *, undo: bool = False) -> None:
    """Raise for a plan that was refused, every reason told and every fragment shown."""
    if not made.refusals:
        return
    *others, last = made.refusals
    for each in (*others, last):
        if each.fragment is not None:
            doing = "taken out of" if undo else "merged into"
            say(f"to be {doing} {plain(each.path)} by hand:\n{each.fragment}")
    for each in others:
        say(f"st2: {identity}: {plain(each.path)}: {plain(each.sentence)}")
    raise CannotMaterialize(f"{identity}: {last.path}", last.sentence)


def _emit(declaration: Declaration, made: Plan, mood: str) -> None:
    for action in made.actions:
        emit(f"{declaration.identity}: {mood}{action.word} {shown(action)}\n")
