"""``st2 init``, ``st2 sync`` and ``st2 hosts``."""

from __future__ import annotations

import os

import click

from st2.cli.main import Late
from st2.serve import sync as served


@click.command()
@click.argument("path", required=False)
@click.option("--remote", metavar="URL", help="Where presence travels; a free path is made.")
@click.option(
    "--presence",
    type=click.Choice(["refs", "branch"]),
    default="refs",
    help="How records travel: one ref a host, or (not there yet) on the branch.",
)
@click.pass_obj
def init(late: Late, path: str | None, *, remote: str | None, presence: str) -> int:
    """Make a catalog at PATH, or complete the one that is there. Safe to repeat.

    Without PATH: --catalog, else $CATALOG, else ~/.local/state/st2/default/catalog.

    Example: st2 init ./catalog --remote ./presence.git
    """
    chosen = Late(os.path.abspath(path), late.host) if path is not None else late
    return served.init(chosen.context(), remote=remote, presence=presence)


@click.command()
@click.option("--remote", metavar="R", help="The remote, from now on.")
@click.option("--json", "as_json", is_flag=True, help="Print the stable machine form.")
@click.pass_obj
def sync(late: Late, *, remote: str | None, as_json: bool) -> int:
    """Publish this host's presence, and collect every other host's, once.

    Example: st2 sync --remote ssh://git@example.org/presence.git
    """
    return served.sync(late.context(), remote=remote, as_json=as_json)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the stable machine form.")
@click.option("--replace-node", is_flag=True, help="Take this host's ref over: a new machine.")
@click.pass_obj
def hosts(late: Late, *, as_json: bool, replace_node: bool) -> int:
    """List the hosts, when each published last, and what is wrong with it.

    --replace-node is for a machine that was set up anew: it publishes once over whatever
    another node published under this host's name, and that node is refused from then on.

    Example: st2 hosts --json
    """
    if replace_node:
        return served.replace_node(late.context(), as_json=as_json)
    return served.hosts(late.context(), as_json=as_json)
