"""``st2 init``."""

from __future__ import annotations

import os

import click

from st2.cli.main import Late
from st2.cli.usage import Command
from st2.serve import init as served


@click.command(cls=Command)
@click.argument("path", required=False)
@click.option("--remote", metavar="URL", help="Where presence travels; a free path is made.")
@click.option(
    "--presence",
    type=click.Choice(["refs", "branch"]),
    default=None,
    help="How records travel: one ref a host (a new catalog's), or by commits on the branch.",
)
@click.pass_obj
def init(late: Late, path: str | None, *, remote: str | None, presence: str | None) -> int:
    """Make a catalog at PATH, or complete the one that is there. Safe to repeat.

    Without PATH: --catalog, else $CATALOG, else ~/.local/state/st2/default/catalog.

    Example: st2 init ./catalog --remote ./presence.git
    """
    chosen = Late(os.path.abspath(path), late.host) if path is not None else late
    return served.init(chosen.context(), remote=remote, presence=presence)
