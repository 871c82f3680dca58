"""``st2 beat``, ``st2 activity`` and ``st2 forget``."""

from __future__ import annotations

import click

from st2.cli.main import Late
from st2.serve import activity as works
from st2.serve import beat as beats
from st2.serve import forget as forgets

SESSION = "The calling session; else $ST2_SESSION, else the harness around this."


@click.command()
@click.argument("agent", required=False)
@click.option("--session", metavar="T", help=SESSION)
@click.pass_obj
def beat(late: Late, agent: str | None, *, session: str | None) -> int:
    """Say that the calling session of AGENT ($ST_AGENT without one) is there.

    Only the holder's own beat keeps its claim and its status; any other is noted and no more. Exit
    1 where AGENT has no open session.

    Example: st2 beat worker --session nightly-7
    """
    return beats.run(late.context(), beats.Options(agent, session))


@click.group()
def activity() -> None:
    """Record that work of a session landed.

    Example: st2 activity touch worker
    """


@activity.command()
@click.argument("agent", required=False)
@click.option("--session", metavar="T", help=SESSION)
@click.pass_obj
def touch(late: Late, agent: str | None, *, session: str | None) -> int:
    """Record that something succeeded just now.

    For AGENT, else $ST_AGENT. Of a burst of calls one in five seconds is written.

    Example: st2 activity touch worker --session nightly-7
    """
    return works.run(late.context(), works.Options(None, agent, session))


@activity.command()
@click.argument("outcome")
@click.argument("agent", required=False)
@click.option("--session", metavar="T", help=SESSION)
@click.pass_obj
def done(late: Late, outcome: str, agent: str | None, *, session: str | None) -> int:
    """Record how the work came out: success, failure or cancelled.

    For AGENT, else $ST_AGENT. The word is shown once the session has ended.

    Example: st2 activity done success worker --session nightly-7
    """
    return works.run(late.context(), works.Options(outcome, agent, session))


@click.command()
@click.argument("agent")
@click.pass_obj
def forget(late: Late, agent: str) -> int:
    """Drop the records of AGENT, which has no open session; never its declaration.

    Example: st2 forget old-worker
    """
    return forgets.run(late.context(), agent)
