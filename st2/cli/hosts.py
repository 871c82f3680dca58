"""``st2 hosts``."""

from __future__ import annotations

import click

from st2.cli.main import Late
from st2.serve import hosts as served
from st2.serve import sync


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
        return sync.replace_node(late.context(), as_json=as_json)
    return served.hosts(late.context(), as_json=as_json)
