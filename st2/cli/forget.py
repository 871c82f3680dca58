"""``st2 forget``."""

from __future__ import annotations

import click

from st2.cli.main import Late
from st2.cli.usage import Command
from st2.serve import forget as served


@click.command(cls=Command)
@click.argument("agent")
@click.pass_obj
def forget(late: Late, agent: str) -> int:
    """Drop the records of AGENT, which has no open session; never its declaration.

    Example: st2 forget old-worker
    """
    return served.run(late.context(), agent)
