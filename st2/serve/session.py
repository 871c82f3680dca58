"""``st2 session show``, ``end`` and ``adopt``: who holds an agent's session, its end, its owner."""

from __future__ import annotations

from catalog.claim import Claim, UnreadableClaim, render
from catalog.evidence import ALIVE
from catalog.json_text import dumps
from catalog.names import bus_id
from catalog.refusals import NotFound
from catalog.resolve import require_running, resolve, resolve_here
from catalog.session_errors import ClaimUnreadable
from st2.ages import ago
from st2.caller import agent_of
from st2.out import emit, plain, say, warn
from st2.serve.status import refuse_another_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.witness import Sight
    from st2.context import Context


def show(context: Context, agent: str, *, as_json: bool) -> int:
    """Print the claim of *agent*, its harness and its owner as this host sees them."""
    context.require_catalog()
    host, name = resolve(context.reader, agent)
    claim = context.reader.claim(host, name)
    if claim is None:
        raise NotFound(bus_id(host, name), "no session was ever registered", "st2 run starts one")
    if isinstance(claim, UnreadableClaim):
        path = context.layout.record(host, name, "session.json")
        hint = None if host == context.layout.host else f"it is {host}'s to mend"
        raise ClaimUnreadable(path, claim.why, claim.hint or hint)
    here = host == context.layout.host
    sight = context.witness.look(claim) if here else None
    emit(_as_json(claim, sight) if as_json else _as_text(claim, sight, context.clock.now_ms()))
    return 0


def end(context: Context, agent: str | None) -> int:
    """End the session of *agent* by command; one that has ended stays as it is."""
    from catalog.registrar import Registrar

    context.require_catalog()
    name = resolve_here(context.reader, agent_of(context, agent))
    bus = bus_id(context.layout.host, name)
    ended = Registrar(context.files, context.layout).stop(
        name,
        allow=lambda: refuse_another_session(context, name),
        now_ms=context.clock.now_ms(),
    )
    if ended is None:
        emit(f"{bus}: its session had ended already\n")
        return 0
    emit(f"{bus}: session {plain(ended.session)} ended: stopped\n")
    sight = context.look(ended)
    if sight.verdict == ALIVE:
        warn(f"{bus}: its harness, pid {sight.pid}, still runs, and nothing speaks for it now")
    return 0


def adopt(context: Context, agent: str, *, pid: int | None, force: bool, beat_ms: int) -> int:
    """Start an owner: on the session's own harness, or with *pid* on a process that runs."""
    from catalog import node
    from catalog.system.machine import machine_id
    from catalog.system.processes import host_processes
    from drivers import adopt as owners

    context.require_catalog()
    name = resolve_here(context.reader, agent)
    processes = host_processes()
    if pid is None:
        adopted = owners.adopt(
            name,
            writer=context.writer,
            processes=processes,
            beat_ms=beat_ms,
            transcript_of=lambda harness, pid: _transcript(context, harness, pid),
        )
    else:
        require_running(context.reader, name)
        adopted = owners.claim_running(
            name,
            pid,
            writer=context.writer,
            processes=processes,
            clock=context.clock,
            node=node.ensure(context.files, context.layout, machine=machine_id()),
            force=force,
            beat_ms=beat_ms,
            say=lambda line: say(f"st2: {plain(line)}"),
            transcript_of=lambda harness, pid: _transcript(context, harness, pid),
        )
    bus = bus_id(context.layout.host, name)
    session, generation = adopted.claim.session, adopted.claim.generation
    emit(f"{bus}: pid {adopted.pid} has an owner, session {session}, generation {generation}\n")
    return 0


def _transcript(context: Context, harness: str | None, pid: int) -> str:
    """Return where a running harness keeps its transcript; unnamed, its program tells it."""
    from catalog.system.open_files import folder_of
    from catalog.system.procfs import read_argv
    from drivers.detect import harness_of
    from drivers.transcript import place_of

    return place_of(harness or harness_of(read_argv(pid)), context.environ, folder_of(pid))


def _as_json(claim: Claim, sight: Sight | None) -> str:
    import json

    told = json.loads(render(claim))
    seen = sight is not None and sight.pid is not None
    told["process"] = {"pid": sight.pid, "verdict": sight.verdict} if sight and seen else None
    told["owner"] = {"running": sight.owner_running if sight else None}
    return f"{dumps(told)}\n"


def _as_text(claim: Claim, sight: Sight | None, now_ms: int) -> str:
    lines = [
        f"{bus_id(claim.host, claim.agent)}: session {claim.session}, "
        f"generation {claim.generation}",
        f"  harness   {claim.harness or 'unknown'}, runtime {claim.runtime or 'unknown'}",
        f"  started   {ago(now_ms - claim.started_ms)} by {claim.registered_by}",
    ]
    if claim.took_over:
        lines.append(f"  replaced  session {claim.previous}, whose end nobody had written")
    if claim.ended_ms is not None:
        how = claim.end_reason or ""
        how += f" ({claim.exit})" if claim.exit else ""
        lines.append(f"  ended     {ago(now_ms - claim.ended_ms)}: {how}")
    if sight is not None and not claim.ended:
        pid = "no pid recorded" if sight.pid is None else f"pid {sight.pid}"
        owner = {True: "running", False: "gone", None: "cannot be told"}[sight.owner_running]
        lines += [f"  process   {pid}, {sight.verdict}", f"  owner     {owner}"]
    return "".join(plain(line) + "\n" for line in lines)
