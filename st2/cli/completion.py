"""``st2 completion``."""

from __future__ import annotations

import os

import click

from st2.cli.usage import Command
from st2.completion_scripts import SCRIPTS
from st2.serve import completion as served


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(sorted(SCRIPTS)))
@click.option("--for", "line", metavar="LINE", help="Print what fits the end of LINE instead.")
def completion(shell: str, line: str | None) -> int:
    """Print the script with which SHELL completes commands, options and the names of agents.

    Load it from the file that your shell reads at its start. It asks st2 at each TAB, and what it
    is told is never evaluated.

    Example: eval "$(st2 completion bash)"
    """
    return served.run(served.Options(shell, line), os.environ)
