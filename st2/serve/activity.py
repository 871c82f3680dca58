"""``st2 activity touch|done``: work of a session landed, said by its own scripts and hooks.

It prints nothing: what calls it may read what its helpers print.
"""

from __future__ import annotations

from catalog.activity import RUNNING, TERMINAL
from catalog.claim import Claim
from catalog.errors import St2Error
from catalog.names import bus_id, shown_token
from catalog.reader import Hold
from catalog.resolve import resolve_here
from st2.argv import scan
from st2.caller import agent_of, require_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from st2.context import Context


class Options:
    """What was asked: of which agent and session, and *outcome* None for a touch."""

    __slots__ = ("agent", "outcome", "session")

    def __init__(self, outcome: str | None, agent: str | None, session: str | None) -> None:
        self.outcome = outcome
        self.agent = agent
        self.session = session


def parse(args: Sequence[str]) -> Options | None:
    """Read a plain command line; None leaves it to click."""
    scanned = scan(args, flags=(), valued=("--session",))
    if scanned is None:
        return None
    options, words = scanned
    fixed = {"touch": 1, "done": 2}.get(words[0] if words else "")
    if fixed is None or not fixed <= len(words) <= fixed + 1:
        return None
    agent = words[fixed] if len(words) > fixed else None
    return Options(words[1] if fixed == 2 else None, agent, options.get("--session"))


def run(context: Context, options: Options) -> int:
    """Serve the command."""
    word = options.outcome
    if word is not None and word not in TERMINAL:
        from catalog.refusals import BadUsage

        raise BadUsage("OUTCOME", f"found {word!a}, wanted one of {', '.join(TERMINAL)}")
    token = require_token(context, options.session)
    context.require_catalog()
    agent = resolve_here(context.reader, agent_of(context, options.agent))
    try:
        hold = _hold(context, agent, token)
        now_ms = context.clock.now_ms()
        context.writer.record_activity(agent, hold, word or RUNNING, now_ms=now_ms)
    except St2Error as refused:
        from catalog.session_errors import NoSession, NotHolder, Superseded

        if isinstance(refused, (NoSession, NotHolder, Superseded)):
            _leave_trace(context, agent, f"done {word}" if word else "touch", refused.sentence)
        raise
    return 0


def _hold(context: Context, agent: str, token: str) -> Hold:
    """Return the hold of *token*, or say who else holds the agent. The writer looks again."""
    identity = bus_id(context.layout.host, agent)
    claim = context.reader.claim(context.layout.host, agent)
    if claim is None:
        from catalog.session_errors import NoSession

        raise NoSession(identity, "no session was ever registered, wanted an open one")
    if isinstance(claim, Claim) and claim.session != token:
        from catalog.session_errors import NotHolder

        raise NotHolder(
            identity, f"held by session {shown_token(claim.session)}, not by {shown_token(token)}"
        )
    # The writer refuses one that has ended, and one that cannot be read.
    return Hold(token, claim.generation if isinstance(claim, Claim) else 0)


def _leave_trace(context: Context, agent: str, what: str, why: str) -> None:
    """Leave a line for doctor: whoever calls this from a hook does not see what it says."""
    from drivers.hook_trace import Trace

    line = Trace(
        hook=f"activity {what}",
        identity=bus_id(context.layout.host, agent),
        why=why,
        now_ms=context.clock.now_ms(),
    )
    line.leave(context.files, context.layout.hook_log())
