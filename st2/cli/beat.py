"""``st2 beat``."""

from __future__ import annotations

import click

from st2.cli.main import Late
from st2.cli.usage import Command
from st2.serve import beat as served

SESSION = "The calling session; else $ST2_SESSION, else the harness around this."


@click.command(cls=Command)
@click.argument("agent", required=False)
@click.option("--session", metavar="T", help=SESSION)
@click.pass_obj
def beat(late: Late, agent: str | None, *, session: str | None) -> int:
    """Say that the calling session of AGENT ($ST_AGENT without one) is there.

    Only the holder's own beat keeps its claim and its status; any other is noted and no more. Exit
    1 where AGENT has no open session.

    Example: st2 beat worker --session nightly-7
    """
    return served.run(late.context(), served.Options(agent, session))
