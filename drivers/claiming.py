"""Claiming an agent's name for a process, and telling whose it is or was."""

from __future__ import annotations

from catalog.claim import Claim
from catalog.evidence import ALIVE, GONE, UNKNOWN
from catalog.names import bus_id, shown_token
from catalog.session_errors import Conflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.evidence import Evidence
    from catalog.store import Writer
    from catalog.succession import Started
    from catalog.witness import Witness

_FATES = {GONE: "is gone", ALIVE: "still runs", UNKNOWN: "cannot be told to live or not"}


def claim_name(
    claim: Claim, evidence: Evidence, writer: Writer, witness: Witness, *, force: bool
) -> Started:
    """Write *claim* and the *evidence* of its process; raise Conflict, which names the holder."""
    try:
        return writer.start(
            claim.agent, claim=claim, evidence=evidence, verdict_of=witness.verdict, force=force
        )
    except Conflict as conflict:
        now_ms = claim.started_ms
        raise name_holder(conflict, claim.agent, writer, witness, now_ms=now_ms) from None


def name_holder(
    conflict: Conflict, agent: str, writer: Writer, witness: Witness, *, now_ms: int
) -> Conflict:
    """Return *conflict* with the pid of the living harness and since when it runs."""
    claim = writer.reader.claim(writer.layout.host, agent)
    evidence = witness.evidence(claim) if isinstance(claim, Claim) else None
    if not isinstance(claim, Claim) or evidence is None:
        return conflict
    for_s = max(now_ms - claim.started_ms, 0) // 1_000
    harness = f"harness pid {evidence.pid}, {for_s} s old"
    return Conflict(
        conflict.subject,
        f"held by session {shown_token(claim.session)} ({harness}), wanted a free name",
        existing=conflict.existing,
        last_seen_ms=conflict.last_seen_ms,
    )


def tell_replaced(started: Started, witness: Witness, say: Callable[[str], None]) -> None:
    """Say which session was replaced without its end having been written."""
    old = started.replaced
    if old is None or old.ended:
        return
    subject = bus_id(old.host, old.agent)
    evidence = witness.evidence(old)
    fate = "of which no process was recorded"
    if evidence is not None:
        fate = f"whose harness pid {evidence.pid} {_FATES[witness.verdict(old)]}"
    say(f"{subject}: replaced session {shown_token(old.session)}, {fate}")
