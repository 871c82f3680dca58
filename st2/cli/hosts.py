"""``st2 hosts``."""

from __future__ import annotations

import click

from catalog.refusals import BadUsage
from st2.cli.main import Late
from st2.cli.usage import Command
from st2.serve import hosts as served
from st2.serve import sync


@click.command(cls=Command)
@click.option("--json", "as_json", is_flag=True, help="Print the stable machine form.")
@click.option("--replace-node", is_flag=True, help="Take this host's ref over: a new machine.")
@click.option("--forget", metavar="H", help="Make every host drop what H has published.")
@click.option("--force", is_flag=True, help="With --forget: another host, or one that still runs.")
@click.pass_obj
def hosts(late: Late, *, as_json: bool, replace_node: bool, forget: str | None, force: bool) -> int:
    """List the hosts, when each published last, and what is wrong with it.

    --replace-node is for a machine that was set up anew: it publishes once over whatever
    another node published under this host's name, and that node is refused from then on.

    --forget H takes the word of a host that is gone back at the remote: every other host drops
    its records, and no declaration. A host that lives comes back with its next publish.

    Example: st2 hosts --forget h3 --force
    """
    if force and forget is None:
        raise BadUsage("--force", "found without --forget, wanted both")
    if forget is not None:
        if replace_node:
            raise BadUsage("--replace-node", "found with --forget, wanted one of them")
        return served.forget(late.context(), forget, force=force, as_json=as_json)
    if replace_node:
        return sync.replace_node(late.context(), as_json=as_json)
    return served.hosts(late.context(), as_json=as_json)
