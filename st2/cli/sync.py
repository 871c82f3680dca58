"""``st2 sync``."""

from __future__ import annotations

import click

from st2.cli.main import Late
from st2.serve import sync as served


@click.command()
@click.option("--remote", metavar="R", help="The remote, from now on.")
@click.option("--json", "as_json", is_flag=True, help="Print the stable machine form.")
@click.pass_obj
def sync(late: Late, *, remote: str | None, as_json: bool) -> int:
    """Publish this host's presence, and collect every other host's, once.

    Example: st2 sync --remote ssh://git@example.org/presence.git
    """
    return served.sync(late.context(), remote=remote, as_json=as_json)
