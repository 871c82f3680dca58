"""``st2 agents`` and ``st2 why``."""

from __future__ import annotations

import click

from st2.cli.main import Late
from st2.cli.usage import Command
from st2.serve import agents as roster
from st2.serve import why as evidence

MOMENT = click.IntRange(min=0, max=2**63 - 1)
NOW = "Read as at this moment (ms since 1970); process evidence is then off."


@click.command(cls=Command)
@click.argument("names", metavar="[AGENT]...", nargs=-1)
@click.option("--status", metavar="S", help="Only rows whose word is S.")
@click.option("--host", metavar="H", help="Only rows of host H.")
@click.option("--identity", metavar="ID", help="Exactly this one agent, or exit 1.")
@click.option("--routable", is_flag=True, help="Only rows that work may be routed to now.")
@click.option("--json", "as_json", is_flag=True, help="Print the stable machine form.")
@click.option("--enrich", is_flag=True, help="With --json: add lastActivity and inbox.")
@click.option("--now", "now_ms", type=MOMENT, metavar="MS", help=NOW)
@click.option("--watch", is_flag=True, help="Show the table live, until interrupted.")
@click.pass_obj
def agents(
    late: Late,
    names: tuple[str, ...],
    *,
    status: str | None,
    host: str | None,
    identity: str | None,
    routable: bool,
    as_json: bool,
    enrich: bool,
    now_ms: int | None,
    watch: bool,
) -> int:
    """List every agent that is declared or has a record, and what may be claimed about it now.

    A table on a terminal; tab-separated lines when piped.

    Example: st2 agents --status available --json
    """
    options = roster.Options(
        names,
        status=status,
        host=host,
        identity=identity,
        routable=routable,
        as_json=as_json,
        enrich=enrich,
        now_ms=now_ms,
    )
    if watch:
        from st2.serve import live

        return live.run(late.context(), options)
    return roster.run(late.context(), options)


@click.command(cls=Command)
@click.argument("agent")
@click.option("--json", "as_json", is_flag=True, help="Print the stable machine form.")
@click.option("--now", "now_ms", type=MOMENT, metavar="MS", help=NOW)
@click.pass_obj
def why(late: Late, agent: str, *, as_json: bool, now_ms: int | None) -> int:
    """Show the evidence behind AGENT's row: each record, its clock, the rule that decided.

    Example: st2 why h1.worker
    """
    return evidence.run(late.context(), agent, as_json=as_json, now_ms=now_ms)
