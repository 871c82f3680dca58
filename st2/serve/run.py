"""``st2 run AGENT``: bind what ``driver expand`` prints, and exec it in the agent's workspace."""

from __future__ import annotations

import os

from catalog.resolve import declaration_of, refuse_unless_running, resolve_here
from catalog.windows import REFRESH_MS
from drivers.materialize import Workspace
from st2.launch import launch_of, machine_of
from st2.out import emit, plain, say, warn
from st2.serve.materialize import materialize, refuse
from st2.workspace import existing_workspace, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from drivers.binding import Machine
    from drivers.driver import Expansion
    from st2.context import Context


class Options:
    """What was asked."""

    __slots__ = ("agent", "beat_ms", "dry_run", "force")

    def __init__(self, agent: str, *, force: bool, dry_run: bool, beat_ms: int) -> None:
        self.agent = agent
        self.force = force
        self.dry_run = dry_run
        self.beat_ms = beat_ms


def run(context: Context, options: Options) -> int:
    """Serve the command. Returns only by an error, or after a dry run."""
    context.require_catalog()
    agent = resolve_here(context.reader, options.agent)
    declaration = declaration_of(context.reader, agent)
    refuse_unless_running(declaration)
    machine, launch = machine_of(context), launch_of(context, declaration)
    folder = existing_workspace(declaration, context.layout.root)
    argv = _with_options(launch.argv, machine, options)
    if options.dry_run:
        if launch.render:
            _show_files(declaration.identity, launch, folder or os.getcwd())
        return _show(argv, folder, context.layout.host)
    if launch.render:
        written = materialize(context, declaration, launch.render, folder or os.getcwd())
        for action in written.actions:
            say(f"st2: {declaration.identity}: {action.word} {shown(action)}")
    if not wrapped(argv, machine):
        warn(
            f"{declaration.identity}: run as written, nobody owns its session; "
            "exec { argv ... } gives it an owner"
        )
    if folder is not None:
        os.chdir(folder)
    _become(argv, context.layout.host if wrapped(argv, machine) else None)


def wrapped(argv: tuple[str, ...], machine: Machine) -> bool:
    """Say whether a launch goes through a verb of ours, so that its session has an owner."""
    verbs = argv[3:5] if argv[1:2] == ("--catalog",) else argv[1:3]
    return argv[0] == machine.program and verbs[:1] == ("driver",) and verbs[1:2] != ()


def _with_options(argv: tuple[str, ...], machine: Machine, options: Options) -> tuple[str, ...]:
    """Put what is not part of a declaration (``--force``, ``--beat``) before the ``--``."""
    extra = ["--force"] if options.force else []
    if options.beat_ms != REFRESH_MS:
        extra += ["--beat", str(options.beat_ms)]
    if not extra or not wrapped(argv, machine) or "--" not in argv:
        return argv
    cut = argv.index("--")
    return (*argv[:cut], *extra, *argv[cut:])


def _show_files(identity: str, launch: Expansion, folder: str) -> None:
    made = Workspace(folder).plan(launch.render)
    for action in made.actions:
        say(f"{action.word} {shown(action)}")
    refuse(identity, made)


def _show(argv: tuple[str, ...], folder: str | None, host: str) -> int:
    from shlex import join

    if folder is not None:
        emit(f"cd {plain(join([folder]))}\n")
    emit(f"ST2_HOST={host} {plain(join(argv))}\n")
    return 0


def _become(argv: tuple[str, ...], host: str | None) -> NoReturn:
    """Exec *argv*; a verb of ours has to be of the same *host*, also where an option named it."""
    from catalog.system.signals import signal
    from drivers.image import become, inherited_environment
    from drivers.launch import NotStarted

    for name in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(name, signal.SIG_DFL)
    environment = inherited_environment()
    if host is not None:
        environment[b"ST2_HOST"] = host.encode("ascii")
    try:
        become([os.fsencode(token) for token in argv], environment)
    except OSError as error:
        raise NotStarted(argv[0], error) from None
