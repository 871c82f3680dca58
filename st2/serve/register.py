"""``st2 session register``: claim an agent's name for a session that nobody wraps."""

from __future__ import annotations

from catalog.claim import Claim
from catalog.json_text import dumps
from catalog.names import bus_id
from catalog.resolve import resolve_here
from catalog.session_errors import Conflict
from st2.caller import agent_of, require_token
from st2.out import emit, plain, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.evidence import Evidence
    from catalog.registrar import Registered
    from catalog.system.processes import Processes
    from drivers.detect import Detected
    from st2.context import Context

BY = "register"
"""What ``registered_by`` says of such a session."""


def register(
    context: Context, agent: str | None, *, session: str | None, force: bool, as_json: bool
) -> int:
    """Serve the command; prints what was claimed, and with *as_json* also who holds it instead."""
    from catalog import node
    from catalog.registrar import Registrar
    from catalog.succession import Started
    from catalog.system.ancestry import ancestors
    from catalog.system.machine import machine_id
    from catalog.system.processes import host_processes
    from drivers.claiming import name_holder, tell_replaced
    from drivers.detect import detect

    token = require_token(context, session)
    context.require_catalog()
    name = resolve_here(context.reader, agent_of(context, agent))
    registrar, processes = Registrar(context.files, context.layout), host_processes()
    around = detect(context.environ, ancestors())
    claim = _claim(context, name, token, around)
    claim.node = node.ensure(context.files, context.layout, machine=machine_id())
    try:
        done = registrar.register(
            claim,
            evidence=_evidence(context, name, around, processes),
            verdict_of=context.witness.verdict,
            force=force,
        )
    except Conflict as conflict:
        if as_json:
            emit(_refused(conflict))
        now_ms = claim.started_ms
        raise name_holder(conflict, name, registrar, context.witness, now_ms=now_ms) from None
    if done.created:
        started = Started(done.claim, done.replaced)
        tell_replaced(started, context.witness, lambda line: say(f"st2: {plain(line)}"))
    emit(_registered(done))
    return 0


def _claim(context: Context, agent: str, token: str, around: Detected | None) -> Claim:
    return Claim(
        agent=agent,
        host=context.layout.host,
        session=token,
        harness=around.harness if around is not None else None,
        runtime=bus_id(context.layout.host, agent),
        registered_by=BY,
        started_ms=context.clock.now_ms(),
    )


def _evidence(
    context: Context, agent: str, around: Detected | None, processes: Processes
) -> Evidence | None:
    """Write down the harness above us; None where there is none, or it is another agent's.

    Never a shell or a script above us: nobody can say which of them is the session, and one that
    runs a single command would be gone with it.
    """
    from catalog.witness import other_agent_of

    above = around.process if around is not None else None
    seen = processes.observe(above.pid, token="-", generation=0) if above is not None else None
    if above is None or seen is None or seen.start != above.start:
        return None
    other = other_agent_of(context.reader, agent, seen, by_token=False)
    if other is None:
        return seen
    holder = bus_id(context.layout.host, other)
    say(f"st2: {context.layout.host}.{agent}: pid {seen.pid} is {plain(holder)}'s harness already")
    say("hint: this session has no process then, and is held by its own beats alone")
    return None


def _registered(done: Registered) -> str:
    claim = done.claim
    told = {
        "agent": claim.agent,
        "session": claim.session,
        "created": done.created,
        "took_over": done.created and claim.took_over,
        "previous": claim.previous if done.created else None,
        "generation": claim.generation,
    }
    return f"{dumps(told)}\n"


def _refused(conflict: Conflict) -> str:
    told = {
        "conflict": True,
        "error": conflict.code,
        "existing_session_id": conflict.existing,
        "last_seen_ms": conflict.last_seen_ms,
        "session_hint": conflict.existing[:8],
    }
    return f"{dumps(told)}\n"
