"""``st2/help.txt``: what ``--help`` prints on 80 columns, for every command that help shows.

A page begins with a form feed and the words of its command, on a line of their own. Kept, so that
a person who asks for help, or a model that does so again and again, does not wait for click.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from generators.tree import commands
from st2.cli.main import main

PLACE = "st2/help.txt"
WIDTH = 78
"""What click makes of 80 columns."""


def files() -> dict[str, str]:
    """Return the path of the pages and their text."""
    return {PLACE: "".join(f"\f{path}\n{page(path)}\n" for path, _ in commands())}


def present(root: Path) -> Iterable[str]:
    """Return what is there of it."""
    return [PLACE] if (root / PLACE).exists() else []


def page(path: str) -> str:
    """Return what click prints for a command (``st2 session show``)."""
    command: click.Command = main
    context = click.Context(main, info_name="st2", terminal_width=WIDTH, **main.context_settings)
    for word in path.split(" ")[1:]:
        assert isinstance(command, click.Group)
        found = command.get_command(context, word)
        assert found is not None
        command = found
        context = click.Context(found, context, word, **found.context_settings)
    return command.get_help(context)
