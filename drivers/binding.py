"""Binding: a launch as printed, made true for one machine. Only what runs is bound.

The leading ``st2`` becomes the program that is running, the prefix's ``$CATALOG`` the catalog in
use, and the same inside rendered values. No other word is touched: a prompt may speak of
``$CATALOG`` and mean it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from shlex import quote

from catalog.json_nodes import Json
from drivers.driver import CATALOG, COPY, HEAD, PROGRAM, SHELL_HEAD, Expansion, Render


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where things are here: both are absolute paths."""

    program: str
    catalog: str


def bind(expansion: Expansion, machine: Machine) -> Expansion:
    """Return *expansion* with the words of *machine* in their places."""
    argv = expansion.argv
    if argv[0] == PROGRAM:
        argv = (machine.program, *_bind_catalog(argv[1:], machine))
    render = tuple(_bind_render(each, machine) for each in expansion.render)
    return Expansion(argv=argv, render=render)


def _bind_catalog(args: Sequence[str], machine: Machine) -> tuple[str, ...]:
    if tuple(args[:2]) == HEAD[1:]:
        return (args[0], machine.catalog, *args[2:])
    return tuple(args)


def _bind_render(render: Render, machine: Machine) -> Render:
    if isinstance(render.value, str):
        source = render.value.removeprefix(f"{CATALOG}/")
        if render.op != COPY or source == render.value:
            return render
        return replace(render, value=f"{machine.catalog}/{source}")
    return replace(render, value={key: _bind(each, machine) for key, each in render.value.items()})


def _bind(value: Json, machine: Machine) -> Json:
    """Bind the places where a value starts st2: a hook's shell words, or command beside args."""
    if isinstance(value, str):
        if not value.startswith(SHELL_HEAD):
            return value
        head = f"{quote(machine.program)} --catalog {quote(machine.catalog)} "
        return head + value.removeprefix(SHELL_HEAD)
    if isinstance(value, list):
        return [_bind(item, machine) for item in value]
    if not isinstance(value, dict):
        return value
    bound = {key: _bind(item, machine) for key, item in value.items()}
    if value.get("command") == PROGRAM:
        bound["command"] = machine.program
        args = value.get("args")
        if isinstance(args, list) and tuple(args[:2]) == HEAD[1:]:
            bound["args"] = [args[0], machine.catalog, *args[2:]]
    return bound
