"""The click tree, flattened: what the command table and the manual are made of."""

from __future__ import annotations

from collections.abc import Iterator

import click

from st2.cli.main import main

HELP = click.Option(["-h", "--help"], is_flag=True, help="Show this message and exit.")
"""As click makes it for every command, but only when it is asked to."""


def commands(
    command: click.Command = main, path: str = "st2"
) -> Iterator[tuple[str, click.Command]]:
    """Yield (``st2 session show``, its command) for every command that help shows, in order."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None and not found.hidden:
                yield from commands(found, f"{path} {name}")


def options(command: click.Command) -> list[click.Option]:
    """Return the options that help shows, ``--help`` too, as help has them."""
    own = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    return [*own, HELP]


def arguments(command: click.Command) -> list[click.Argument]:
    """Return the arguments, in their order."""
    return [each for each in command.params if isinstance(each, click.Argument)]


def usage(command: click.Command, path: str) -> str:
    """Return the line of how it is called, without the word ``Usage``."""
    # Click keeps the option for help as it was first asked for: with the names that it has here.
    context = click.Context(command, info_name=path, help_option_names=HELP.opts)
    return " ".join([path, *command.collect_usage_pieces(context)])


def paragraphs(command: click.Command) -> tuple[list[str], list[str]]:
    """Return the help as (paragraphs, examples); each on one line."""
    told = [" ".join(part.split()) for part in (command.help or "").split("\n\n")]
    examples = [part.removeprefix("Example: ") for part in told if part.startswith("Example: ")]
    return [part for part in told if part and not part.startswith("Example: ")], examples
