"""``st2 beat [AGENT] [--session T]``: a session that nobody wraps says that it is there.

It prints nothing: what calls it may read what its helpers print.
"""

from __future__ import annotations

from catalog.names import bus_id, shown_token
from catalog.reader import Hold
from catalog.registrar import Registrar
from catalog.resolve import resolve_here
from st2.argv import scan
from st2.caller import agent_of, token_of
from st2.out import plain, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalog.claim import Claim
    from catalog.registrar import Beaten
    from st2.context import Context


class Options:
    """What was asked: *agent* None for ``$ST_AGENT``, *session* None for the one that calls."""

    __slots__ = ("agent", "session")

    def __init__(self, agent: str | None, session: str | None) -> None:
        self.agent = agent
        self.session = session


def parse(args: Sequence[str]) -> Options | None:
    """Read a plain command line; None leaves it to click."""
    scanned = scan(args, flags=(), valued=("--session",))
    if scanned is None or len(scanned[1]) > 1:
        return None
    options, words = scanned
    return Options(words[0] if words else None, options.get("--session"))


def run(context: Context, options: Options) -> int:
    """Serve the command."""
    caller = token_of(context, options.session)
    context.require_catalog()
    agent = resolve_here(context.reader, agent_of(context, options.agent))
    beaten = Registrar(context.files, context.layout).beat(
        agent,
        caller,
        runs=lambda claim: _runs(context, claim),
        now_ms=context.clock.now_ms(),
    )
    if not beaten.renewed:
        _tell(beaten, bus_id(context.layout.host, agent), caller)
    return 0


def _runs(context: Context, claim: Claim) -> bool:
    """Ask the witness, who is loaded only where a process was recorded."""
    known = context.reader.evidence(claim.agent, Hold(claim.session, claim.generation))
    return known is None or context.witness.runs(claim)


def _tell(beaten: Beaten, identity: str, caller: str | None) -> None:
    holder = beaten.claim.session
    if caller == holder:
        why = "its harness is gone or stopped"
    else:
        called = "by nobody that named a session" if caller is None else f"by {shown_token(caller)}"
        why = f"held by session {shown_token(holder)}, called {called}"
    say(f"st2: {plain(identity)}: {plain(why)}: only seen was written")
