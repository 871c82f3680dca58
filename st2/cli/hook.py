"""``st2 driver hook``, for its help: whatever is not a call for help is served without click."""

from __future__ import annotations

import os

import click

from st2.cli.main import Late
from st2.cli.usage import Command
from st2.serve import hook as served


@click.command(hidden=True, context_settings={"ignore_unknown_options": True}, cls=Command)
@click.option("--identity", metavar="B", help="The agent's bus id; else $ST_AGENT.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def hook(late: Late, words: tuple[str, ...], *, identity: str | None) -> int:
    """Take an event of a harness: HARNESS EVENT, its JSON on stdin (codex notify: the last word).

    Called by the hooks that `st2 materialize` writes. It records that work landed, and where
    nobody wrapped the session it registers, holds and ends it. It never fails: exit 0, and a line
    for `st2 doctor`.

    Example: st2 driver hook claude Stop --identity h1.worker
    """
    given = () if identity is None else ("--identity", identity)
    return served.run(late.catalog, late.host, (*words, *given), os.environ)
