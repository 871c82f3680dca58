"""``st2 session``."""

from __future__ import annotations

import click

from catalog.refusals import BadUsage
from catalog.windows import REFRESH_MS
from st2.caller import agent_of
from st2.cli.beat import SESSION
from st2.cli.main import Late
from st2.cli.usage import Group
from st2.serve import session as served


@click.group(cls=Group)
def session() -> None:
    """Who holds an agent's session, and its owner.

    Example: st2 session show worker
    """


@session.command()
@click.argument("agent", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the stable machine form.")
@click.pass_obj
def show(late: Late, agent: str | None, *, as_json: bool) -> int:
    """Show the claim of AGENT ($ST_AGENT without one), its harness and its owner.

    Example: st2 session show h1.worker --json
    """
    context = late.context()
    return served.show(context, agent_of(context, agent), as_json=as_json)


@session.command()
@click.argument("agent", required=False)
@click.option("--session", "token", metavar="T", help=SESSION)
@click.option("--force", is_flag=True, help="Take the name over from a live session, and say so.")
@click.option("--json", "as_json", is_flag=True, help="On a conflict, print it as JSON too.")
@click.pass_obj
def register(
    late: Late, agent: str | None, *, token: str | None, force: bool, as_json: bool
) -> int:
    """Claim AGENT ($ST_AGENT without one) for a session that nobody wraps.

    The session that has it already keeps it and refreshes it. What was claimed is printed as JSON.
    Exit 1 where another session holds it and lives.

    Example: st2 session register worker --session nightly-7
    """
    from st2.serve.register import register as claimed

    return claimed(late.context(), agent, session=token, force=force, as_json=as_json)


@session.command()
@click.argument("agent", required=False)
@click.pass_obj
def end(late: Late, agent: str | None) -> int:
    """End the session of AGENT ($ST_AGENT without one).

    It is recorded as stopped. The harness is not touched.

    Example: st2 session end worker
    """
    return served.end(late.context(), agent)


@session.command()
@click.argument("agent")
@click.option(
    "--pid",
    type=click.IntRange(2, 2**31 - 1),
    metavar="N",
    help="Claim the session for this process.",
)
@click.option("--force", is_flag=True, help="With --pid: take over from a living session.")
@click.option("--beat", "beat_ms", type=click.IntRange(min=20), default=REFRESH_MS, hidden=True)
@click.pass_obj
def adopt(late: Late, agent: str, *, pid: int | None, force: bool, beat_ms: int) -> int:
    """Start a new owner on AGENT's living harness.

    Without --pid: on the harness that the session has already, when its owner was lost. With
    --pid: a new session for a process that already runs.

    Example: st2 session adopt worker --pid 4711
    """
    if force and pid is None:
        raise BadUsage("--force", "found without --pid, wanted both")
    return served.adopt(late.context(), agent, pid=pid, force=force, beat_ms=beat_ms)
