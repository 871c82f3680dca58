"""``st2 activity``."""

from __future__ import annotations

import click

from st2.cli.beat import SESSION
from st2.cli.main import Late
from st2.cli.usage import Group
from st2.serve import activity as served


@click.group(cls=Group)
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
    return served.run(late.context(), served.Options(None, agent, session))


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
    return served.run(late.context(), served.Options(outcome, agent, session))
