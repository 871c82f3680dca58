"""``st2 watch``."""

from __future__ import annotations

import click

from st2.cli.main import Late
from st2.cli.usage import Command
from st2.serve import watch as served

UNTIL = "Leave with 0 as soon as every AGENT is in this state."


@click.command(cls=Command)
@click.argument("names", metavar="[AGENT]...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option("--until", metavar="STATE", help=UNTIL)
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0),
    metavar="S",
    help="With --until: leave with 1 after S seconds.",
)
@click.option("--exec", "command", metavar="CMD", help="Run CMD (by sh) with each event on stdin.")
@click.pass_obj
def watch(
    late: Late,
    names: tuple[str, ...],
    *,
    as_json: bool,
    until: str | None,
    timeout_s: float | None,
    command: str | None,
) -> int:
    """Print a line for every transition of every agent, or of AGENT: also those that time makes.

    First how each one stands, then what happens: a word, silence, a stall, an end, a takeover.
    A state is a word of presence or of activity, or one of: ended routable.

    Example: st2 watch worker --until available --timeout 60

    Example: st2 watch --exec 'jq -r .sentence >> events.log'
    """
    options = served.Options(
        names, as_json=as_json, until=until, timeout_s=timeout_s, command=command
    )
    return served.run(late.context(), options)
