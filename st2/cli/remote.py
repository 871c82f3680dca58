"""``st2 remote``."""

from __future__ import annotations

import click

from st2.cli.main import Late
from st2.cli.usage import Group
from st2.serve import remote as served


@click.group(cls=Group)
def remote() -> None:
    """Keep a remote of your own, on the machine that holds it.

    Example: st2 remote upkeep
    """


@remote.command()
@click.argument("path", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the stable machine form.")
@click.pass_obj
def upkeep(late: Late, path: str | None, *, as_json: bool) -> int:
    """Pack the bare repository at PATH, drop garbage older than an hour, check every ref.

    Run it every hour. Pushes may go on meanwhile. A presence ref that cannot be read stops
    everybody's push, and is removed. Without PATH: this catalog's remote, where it is a folder.

    Example: st2 remote upkeep /srv/presence.git
    """
    return served.upkeep(late.context(), path=path, as_json=as_json)


@remote.command()
@click.argument("host")
@click.argument("key")
@click.argument("path", required=False)
@click.pass_obj
def authorize(late: Late, host: str, key: str, path: str | None) -> int:
    """Print the authorized_keys line that lets KEY publish for HOST alone, at PATH on the server.

    KEY is a public key or its file. Without PATH: that of this catalog's remote. Nothing is
    written: the line belongs into authorized_keys of the account that holds the repository.

    Example: st2 remote authorize h2 h2.pub /srv/presence.git
    """
    return served.authorize(late.context(), host=host, key=key, path=path)
