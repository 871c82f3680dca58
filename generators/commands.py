"""``st2/commands.tsv``: the command tree as completion reads it, without click.

One line each: path, ``command`` ``option`` or ``argument``, names, what its value is, help. The
value is ``-`` for none, ``text`` where nothing can be offered, ``agent`` ``own`` (an agent of this
host) ``host`` ``file`` ``folder``, or words after ``=``; ``+`` joins two, a last ``*`` repeats.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from catalog.record import SETTABLE
from generators.tree import arguments, commands, options, paragraphs
from st2.serve.agents import WORDS
from st2.serve.watch import STATES

PLACE = "st2/commands.tsv"
OWN = ("activity", "beat", "forget", "materialize", "run", "session")
"""Commands that take an agent of this host alone."""
VALUES = {
    "AGENT": "agent",
    "ARGV": "file",
    "B": "own",
    "BASE": "file",
    "CMD": "text",
    "H": "host",
    "ID": "agent",
    "KEY": "file",
    "MS": "text",
    "OURS": "file",
    "OUTCOME": "=success,failure,cancelled",
    "PATH": "folder",
    "POLICY": "=off,warn,require",
    "R": "folder",
    "S": "text",
    "SPEC": "agent+file",
    "STATE": "=" + ",".join(STATES),
    "T": "text",
    "THEIRS": "file",
    "URL": "folder",
    "WORD": "=" + ",".join(SETTABLE),
}
"""What a value is, by how help names it."""
SPECIAL = {
    ("", "--runtime-id"): "own",
    ("st2 agents", "--status"): "=" + ",".join(WORDS),
    ("st2 driver expand", "--agent"): "agent",
    ("st2 merge-record", "path"): "file",
}


def files() -> dict[str, str]:
    """Return the path of the table and its text."""
    return {PLACE: "".join("\t".join(line) + "\n" for line in lines())}


def present(root: Path) -> Iterable[str]:
    """Return what is there of it."""
    return [PLACE] if (root / PLACE).exists() else []


def lines() -> Iterable[tuple[str, str, str, str, str]]:
    """Yield the lines of the table."""
    for path, command in commands():
        told, _ = paragraphs(command)
        yield path, "command", path.rpartition(" ")[2], "-", _sentence(told[0])
        for option in options(command):
            names = " ".join((*option.opts, *option.secondary_opts))
            yield path, "option", names, _value(path, option), _sentence(option.help or "")
        for argument in arguments(command):
            repeated = "*" if argument.nargs == -1 else ""
            yield path, "argument", argument.name or "", _value(path, argument) + repeated, ""


def _sentence(text: str) -> str:
    """Return the first sentence, without what would end a field."""
    return " ".join(text.split()).partition(". ")[0].rstrip(".")


def _value(path: str, param: click.Parameter) -> str:
    if isinstance(param, click.Option) and (param.is_flag or param.count):
        return "-"
    if isinstance(param.type, click.Choice):
        return "=" + ",".join(str(choice) for choice in param.type.choices)
    name = param.opts[0]
    shown = (param.metavar or (param.name or "")).strip("[].").upper()
    kind = SPECIAL.get((path, name)) or SPECIAL.get(("", name)) or VALUES.get(shown) or "text"
    of_this_host = path.split(" ")[1:2] and path.split(" ")[1] in OWN
    return "own" if kind == "agent" and of_this_host else kind
