"""``st2 driver <verb> --identity B --runtime-id R [--force] -- argv…``: become the harness."""

from __future__ import annotations

import os

from catalog import node
from catalog.names import bus_id, check_agent
from catalog.refusals import BadUsage
from catalog.resolve import require_running, resolve_here
from catalog.system.machine import machine_id
from catalog.verbs import VERBS
from catalog.windows import REFRESH_MS
from st2.argv import scan
from st2.out import plain, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from st2.context import Context

HARNESSES = {verb: harness for harness, verb in VERBS.items()}
"""Each verb and the harness that it stands for, as ``session.json`` names it."""

_SHORTEST_BEAT_MS = 20


class Options:
    """What was asked. *argv* is what stood after ``--``, verbatim."""

    __slots__ = ("argv", "beat_ms", "force", "identity", "runtime", "verb")

    def __init__(
        self,
        verb: str,
        argv: Sequence[str],
        *,
        identity: str,
        runtime: str,
        force: bool = False,
        beat_ms: int = REFRESH_MS,
    ) -> None:
        self.verb = verb
        self.argv = argv
        self.identity = identity
        self.runtime = runtime
        self.force = force
        self.beat_ms = beat_ms


def parse(verb: str, args: Sequence[str]) -> Options | None:
    """Read a plain command line; None leaves it to click."""
    if verb not in HARNESSES or "--" not in args:
        return None
    cut = list(args).index("--")
    valued = ("--identity", "--runtime-id", "--beat")
    scanned = scan(args[:cut], flags=("--force",), valued=valued)
    if scanned is None or scanned[1] or not {"--identity", "--runtime-id"} <= scanned[0].keys():
        return None
    found = scanned[0]
    beat = found.get("--beat", str(REFRESH_MS))
    if not (beat.isascii() and beat.isdigit() and len(beat) <= 12):
        return None
    return Options(
        verb,
        args[cut + 1 :],
        identity=found["--identity"],
        runtime=found["--runtime-id"],
        force="--force" in found,
        beat_ms=int(beat),
    )


def run(context: Context, options: Options) -> int:
    """Serve the command. Returns only by an error: the process becomes the harness."""
    from catalog.system.processes import host_processes
    from drivers.launch import Launch, launch, refuse_first_process
    from drivers.transcript import place_of

    check(options)
    context.require_catalog()
    agent = resolve_here(context.reader, options.identity)
    require_running(context.reader, agent)
    refuse_first_process(bus_id(context.layout.host, agent))
    launch(
        Launch(
            agent=agent,
            harness=HARNESSES[options.verb],
            runtime=options.runtime,
            node=node.ensure(context.files, context.layout, machine=machine_id()),
            argv=options.argv,
            force=options.force,
            beat_ms=options.beat_ms,
            transcript=place_of(HARNESSES[options.verb], context.environ, _folder()),
        ),
        writer=context.writer,
        processes=host_processes(),
        clock=context.clock,
        say=lambda line: say(f"st2: {plain(line)}"),
    )
    return 0


def _folder() -> str:
    """Return the working directory, which the harness will have; "" where it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def check(options: Options) -> None:
    """Raise BadName or BadUsage for options that can never be served."""
    for name in (options.identity, options.runtime):
        check_agent(name)
    if not options.argv:
        raise BadUsage(options.verb, "nothing after --, wanted a program and its arguments")
    if options.beat_ms < _SHORTEST_BEAT_MS:
        found = f"found --beat {options.beat_ms}, wanted {_SHORTEST_BEAT_MS} ms or more"
        raise BadUsage(options.verb, found)
