"""``st2 sync``."""

from __future__ import annotations

import click

from catalog.refusals import BadUsage
from st2.cli.main import Late
from st2.cli.usage import Command
from st2.serve import sync as served


@click.command(cls=Command)
@click.option("--remote", metavar="R", help="The remote, from now on.")
@click.option("--watch", is_flag=True, help="Go on: publish on change, collect all the time.")
@click.option("--publish-every", metavar="S", help="With --watch: at most so often, from now on.")
@click.option("--collect-every", metavar="S", help="With --watch: so often, from now on.")
@click.option("--sign", metavar="KEY", help="Sign with this ssh key, from now on; '' for no key.")
@click.option("--signing", metavar="POLICY", help="Ask at least this of others: off warn require.")
@click.option("--json", "as_json", is_flag=True, help="Print the stable machine form.")
@click.pass_obj
def sync(
    late: Late,
    *,
    remote: str | None,
    watch: bool,
    publish_every: str | None,
    collect_every: str | None,
    sign: str | None,
    signing: str | None,
    as_json: bool,
) -> int:
    """Publish this host's presence, and collect every other host's, once.

    Exit 1 where one of the two failed; presence on this host goes on either way. With --watch it
    goes on until SIGTERM or ^C; SIGHUP makes it read its settings again.

    Example: st2 sync --remote ssh://git@example.org/presence.git
    """
    given = {"--publish-every": publish_every, "--collect-every": collect_every}
    if not watch:
        for option, value in given.items():
            if value is not None:
                raise BadUsage(option, "found no --watch, wanted it: one round has no interval")
        return served.sync(
            late.context(), remote=remote, sign=sign, signing=signing, as_json=as_json
        )
    for option, text in {"--sign": sign, "--signing": signing}.items():
        if text is not None:
            raise BadUsage(option, "found with --watch, wanted one round first, which keeps it")
    from st2.serve.sync_watch import intervals_of
    from st2.serve.sync_watch import watch as watched

    return watched(late.context(), remote=remote, intervals=intervals_of(given), as_json=as_json)
