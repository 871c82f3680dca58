"""Who is meant and who calls: the agent, and the session of the caller.

A caller names itself. Nothing here says who holds an agent.
"""

from __future__ import annotations

from catalog.names import check_token, is_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from st2.context import Context


def agent_of(context: Context, given: str | None) -> str:
    """Return the agent that was named, or ``$ST_AGENT``."""
    named = given if given is not None else context.variable("ST_AGENT")
    if named is None:
        from catalog.refusals import NotFound

        hint = "name one, or set ST_AGENT; st2 agents lists them"
        raise NotFound("agent", "none named and ST_AGENT is not set, wanted one", hint)
    return named


def token_of(context: Context, given: str | None) -> str | None:
    """Return the caller's token: the option, ``$ST2_SESSION``, or what a harness's variables tell.

    None where nobody names one. Raises BadName.
    """
    if given is not None:
        return check_token(given)
    named = context.variable("ST2_SESSION")
    if named is not None:
        return check_token(named)
    from drivers.detect import detect

    # The variables of a harness tell its session; its process alone tells none.
    found = detect(context.environ, ())
    return found.token if found and found.token and is_token(found.token) else None


def require_token(context: Context, given: str | None) -> str:
    """Return the caller's token, or raise NoToken."""
    token = token_of(context, given)
    if token is None:
        from catalog.session_errors import NoToken

        raise NoToken
    return token
