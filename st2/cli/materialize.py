"""``st2 materialize``."""

from __future__ import annotations

import click

from st2.cli.main import Late
from st2.cli.usage import Command
from st2.serve import materialize as served


@click.command(cls=Command)
@click.argument("agent", required=False)
@click.option("--dry-run", is_flag=True, help="Print what would be written, and write nothing.")
@click.option("--undo", is_flag=True, help="Take out again what st2 wrote, and nothing else.")
@click.pass_obj
def materialize(late: Late, agent: str | None, *, dry_run: bool, undo: bool) -> int:
    """Write what AGENT's harness needs in its workspace: hooks, servers, rendered files.

    Without AGENT: for every agent of this host that is declared to run and has a workspace. Either
    all of an agent's files are written or, where one may not be touched, none.

    Example: st2 materialize worker --dry-run
    """
    options = served.Options(agent, dry_run=dry_run, undo=undo)
    return served.run(late.context(), options)
