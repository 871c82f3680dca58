"""``st2 status``."""

from __future__ import annotations

import click

from st2.cli.main import Late
from st2.cli.usage import Command
from st2.serve import status as served


@click.command(cls=Command)
@click.argument("agent", required=False)
@click.option(
    "--set", "word", metavar="WORD", help="Declare offline, available, busy, away or dnd."
)
@click.pass_obj
def status(late: Late, agent: str | None, word: str | None) -> int:
    """Print the word of AGENT's row, or declare one.

    AGENT is a bus id or a bare name; without it, $ST_AGENT.

    Example: st2 status h1.worker --set busy
    """
    return served.run(late.context(), served.Options(agent, word))
