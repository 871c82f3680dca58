"""``st2 driver hook HARNESS EVENT [--identity B]``: what a harness calls at its events.

It fails open: exit 0, nothing on stdout or stderr, within ten seconds, whatever happens. Every
failure and every refusal leaves one line for ``st2 doctor`` instead.
"""

from __future__ import annotations

import os

from catalog.errors import St2Error, words_of
from catalog.refusals import BadUsage
from catalog.system.signals import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType

    from catalog.system.files import Files
    from st2.context import Context

LIMIT_S = 10.0
"""The longest that a hook may keep its harness waiting, on stdin or anything else."""

LAST_WORD_S = 1.0
"""How long it may then take to leave its trace."""

PAYLOAD_BYTES = 16_777_216
"""The longest payload that is looked at; the rest of a longer one is read and dropped."""

_BLOCK = 65_536


class TooSlow(St2Error):
    """The call took longer than a harness may be kept waiting."""


class Asked:
    """One command line: ``payload`` is the word that codex's notify adds, None for stdin."""

    __slots__ = ("event", "harness", "identity", "payload")

    def __init__(self, harness: str, event: str, identity: str | None, payload: str | None) -> None:
        self.harness = harness
        self.event = event
        self.identity = identity
        self.payload = payload


def run(
    catalog: str | None, host: str | None, args: Sequence[str], environ: Mapping[str, str]
) -> int:
    """Serve one call; always 0."""
    try:
        _limit(LIMIT_S, _too_slow)
        asked = _parse(args)
        payload = _payload(asked)
        from st2.context import make

        _serve(make(catalog, host, environ), asked, payload)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except BaseException as error:
        _leave_trace(_traces(catalog, host, environ), args, environ, error)
    return 0


def _serve(context: Context, asked: Asked, payload: Mapping[str, object]) -> None:
    agent = _agent(context, asked)
    if agent is None:
        return
    from catalog.registrar import Registrar
    from catalog.system.ancestry import ancestors
    from catalog.system.processes import host_processes
    from drivers.hook import Call, Hook

    registrar = Registrar(context.files, context.layout)
    hook = Hook(registrar, host_processes(), context.clock, ancestors)
    hook.serve(
        Call(
            agent=agent,
            harness=asked.harness,
            event=asked.event,
            payload=payload,
            session=context.variable("ST2_SESSION"),
            node=lambda: _node(context),
        )
    )


def _node(context: Context) -> str | None:
    from catalog import node
    from catalog.system.machine import machine_id

    return node.ensure(context.files, context.layout, machine=machine_id())


def _agent(context: Context, asked: Asked) -> str | None:
    """Return the agent that the call is about; None where it is another session's, or nobody's."""
    from catalog.names import bus_id, check_agent, split_bus_id
    from catalog.resolve import resolve_here

    here = context.layout.host
    own = context.variable("ST_AGENT")
    named = asked.identity or own
    if named is None:
        return None
    key = split_bus_id(check_agent(named)) or (here, named)
    if own is not None and (split_bus_id(own) or (here, own)) != key:
        return None
    context.require_catalog()
    return resolve_here(context.reader, bus_id(*key))


def _parse(args: Sequence[str]) -> Asked:
    words: list[str] = []
    identity: str | None = None
    rest = iter(args)
    for arg in rest:
        if arg == "--identity":
            identity = next(rest, "")
        elif arg.startswith("--identity="):
            identity = arg.partition("=")[2]
        else:
            words.append(arg)
    if len(words) not in (2, 3) or any(word.startswith("-") for word in words[:2]):
        raise BadUsage("hook", f"found {len(words)} words, wanted a harness and an event")
    return Asked(words[0], words[1], identity, words[2] if len(words) == 3 else None)


def _payload(asked: Asked) -> Mapping[str, object]:
    from catalog.json_text import loads

    raw = os.fsencode(asked.payload) if asked.payload is not None else _read_stdin()
    found = loads(raw.strip(), encoding="utf-8")
    if not isinstance(found, dict):
        raise BadUsage("payload", f"found {len(raw)} bytes that are no JSON object, wanted one")
    return found


def _read_stdin() -> bytes:
    """Read standard input to its end, so that no harness writes into a closed pipe."""
    if os.isatty(0):
        raise BadUsage("payload", "found a terminal on stdin, wanted a JSON object")
    blocks: list[bytes] = []
    total = 0
    while block := os.read(0, _BLOCK):
        total += len(block)
        if total <= PAYLOAD_BYTES:
            blocks.append(block)
    if total > PAYLOAD_BYTES:
        raise BadUsage("payload", f"found more than {PAYLOAD_BYTES} bytes, wanted fewer")
    return b"".join(blocks)


def _limit(seconds: float, handler: Callable[[int, FrameType | None], None]) -> None:
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _too_slow(number: int, frame: FrameType | None) -> None:
    raise TooSlow("hook", f"not done after {LIMIT_S:g} s")


def _give_up(number: int, frame: FrameType | None) -> None:
    os._exit(0)


def _traces(
    catalog: str | None, host: str | None, environ: Mapping[str, str]
) -> Iterator[tuple[Files, str]]:
    """Return where a trace may lie: with the catalog, for this host alone; else with the user."""
    from catalog.system.files import Files
    from catalog.system.folders import owned
    from drivers.hook_trace import FALLBACK
    from st2.context import make, state_folder

    try:
        context = make(catalog, host, environ)
        yield context.files, context.layout.hook_log()
    except St2Error:
        pass  # a host's name that breaks the rule
    folder = state_folder(environ)
    if folder is None:
        return
    owned(os.makedirs, folder, mode=0o700, exist_ok=True)
    yield Files(folder), FALLBACK


def _leave_trace(
    places: Iterator[tuple[Files, str]],
    args: Sequence[str],
    environ: Mapping[str, str],
    error: BaseException,
) -> None:
    try:
        _limit(LAST_WORD_S, _give_up)
        from catalog.system.clock import Clock
        from drivers.hook_trace import Trace

        hook, identity = _named(args, environ)
        why = words_of(error) if isinstance(error, (St2Error, OSError)) else repr(error)
        line = Trace(hook=hook, identity=identity, why=why, now_ms=Clock().now_ms())
        any(line.leave(files, path) for files, path in places)
    except BaseException:
        return  # there is nobody left to tell


def _named(args: Sequence[str], environ: Mapping[str, str]) -> tuple[str, str]:
    """Return hook and identity as far as a command line shows them that may be broken."""
    try:
        asked = _parse(args)
    except BadUsage:
        return " ".join(args[:2]), environ.get("ST_AGENT", "")
    return f"{asked.harness} {asked.event}", asked.identity or environ.get("ST_AGENT", "")
