"""``st2 status [AGENT] [--set WORD]``: print the word of the row, or declare one."""

from __future__ import annotations

from catalog.names import bus_id, shown_token, split_bus_id
from catalog.record import SETTABLE
from catalog.resolve import resolve, resolve_here
from st2.argv import scan
from st2.caller import agent_of
from st2.out import emit, remark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalog.store import Writer
    from st2.context import Context


class Options:
    """What was asked: *agent* None for ``$ST_AGENT``, *word* None to print."""

    __slots__ = ("agent", "word")

    def __init__(self, agent: str | None, word: str | None) -> None:
        self.agent = agent
        self.word = word


def parse(args: Sequence[str]) -> Options | None:
    """Read a plain command line; None leaves it to click."""
    scanned = scan(args, flags=(), valued=("--set",))
    if scanned is None or len(scanned[1]) > 1:
        return None
    options, words = scanned
    return Options(words[0] if words else None, options.get("--set"))


def run(context: Context, options: Options) -> int:
    """Serve the command."""
    if options.word is not None:
        check_word(options.word)
    context.require_catalog()
    named = agent_of(context, options.agent)
    if options.word is None:
        from catalog.assess import assess_agent, local_fault

        host, agent = resolve(context.reader, named)
        assessed = assess_agent(
            context.reader, host, agent, look=context.look, now_ms=context.clock.now_ms()
        )
        emit(f"{assessed.presence.state}\n")
        fault = local_fault(context.files, context.layout)
        if fault is not None:
            remark(fault)
        return 0
    declare(context, context.writer, named, options.word)
    emit(f"status: {options.word}\n")
    return 0


def check_word(word: str) -> None:
    """Raise BadUsage for a word that nobody may declare."""
    if word not in SETTABLE:
        from catalog.refusals import BadUsage

        hint = "unknown is derived: it is what st2 says when it cannot tell"
        found = f"found {word!a}, wanted one of {', '.join(SETTABLE)}"
        raise BadUsage("--set", found, hint if word == "unknown" else None)


def declare(context: Context, writer: Writer, named: str, word: str) -> str:
    """Declare *word* for the agent of this host that is *named*; return the agent's name."""
    agent = resolve_here(context.reader, named)
    writer.set_status(
        agent,
        word,
        allow=lambda: refuse_another_session(context, agent),
        clock=context.clock.now_ms,
    )
    return agent


def refuse_another_session(context: Context, agent: str) -> None:
    """Raise NotHolder where the caller's own session is one that lost this very agent."""
    token = context.variable("ST2_SESSION")
    own = context.variable("ST_AGENT")
    here = context.layout.host
    if token is None or own is None or (split_bus_id(own) or (here, own)) != (here, agent):
        return
    from catalog.claim import Claim, is_live

    claim = context.reader.claim(here, agent)
    if not isinstance(claim, Claim) or claim.ended or claim.session == token:
        return
    if is_live(
        claim,
        verdict=context.witness.verdict(claim),
        refreshed_ms=context.reader.own_refresh_ms(claim),
        now_ms=context.clock.now_ms(),
    ):
        from catalog.session_errors import NotHolder

        found = f"held by session {shown_token(claim.session)}, not by {shown_token(token)}"
        raise NotHolder(bus_id(here, agent), found)
