"""``st2 driver list``."""

from __future__ import annotations

import click

from st2.cli.usage import Command
from st2.serve import harnesses as served


@click.command("list", cls=Command)
@click.option("--json", "as_json", is_flag=True, help="Print the stable machine form.")
def listing(*, as_json: bool) -> int:
    """List the harnesses: fields (! must be there), verb, activity, version, files.

    Where a harness has hooks that belong into the user's own configuration, the lines for it
    are shown; st2 does not write them.

    Example: st2 driver list --json
    """
    return served.run(as_json=as_json)
