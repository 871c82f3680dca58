"""``st2 merge-record``."""

from __future__ import annotations

import os

import click

from st2.cli.usage import Command
from st2.serve import merge_record as served


@click.command("merge-record", cls=Command)
@click.argument("base")
@click.argument("ours")
@click.argument("theirs")
@click.argument("path")
def merge_record(base: str, ours: str, theirs: str, path: str) -> int:
    """Merge two versions of a record: the newest sound one is left in OURS. git calls this.

    `st2 init --presence branch` sets it up as the merge driver of this clone. BASE, the common
    ancestor, is not looked at: of two versions the same one stays, whoever merges. Exit 0 with the
    result in OURS; else every file is as it was.

    Example: st2 merge-record %O %A %B %P
    """
    return served.merge_record(ours, theirs, path, folder=os.getcwd())
