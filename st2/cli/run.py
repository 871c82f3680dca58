"""``st2 run``."""

from __future__ import annotations

import click

from catalog.windows import REFRESH_MS
from st2.cli.main import Late
from st2.cli.usage import Command
from st2.serve import run as served


@click.command(cls=Command)
@click.argument("agent")
@click.option("--force", is_flag=True, help="Take the session over from a harness that lives.")
@click.option("--dry-run", is_flag=True, help="Print what would run, and run nothing.")
@click.option("--beat", "beat_ms", type=click.IntRange(min=20), default=REFRESH_MS, hidden=True)
@click.pass_obj
def run(late: Late, agent: str, *, force: bool, dry_run: bool, beat_ms: int) -> int:
    """Start AGENT: go to its workspace, claim its session, become its harness.

    AGENT is declared on this host and to be running. What runs is what `st2 driver expand`
    prints. The exit code is the harness's own, since this process becomes it.

    Example: st2 run worker
    """
    options = served.Options(agent, force=force, dry_run=dry_run, beat_ms=beat_ms)
    return served.run(late.context(), options)
