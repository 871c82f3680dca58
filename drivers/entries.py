"""Our entries among somebody else's: hooks that are known by the ending of their command.

An element of an array is ours where every command in it ends as one of ours does. Where ours
stand beside others in one element, ours alone are taken out of it. A value is looked at once, and
walked beside the parts that it was read from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from catalog.json_nodes import Json
from drivers.json_edit import Container, Leaf, NotEditable, Part

OURS = " driver hook "
"""Where the ending of a hook's command begins; what is before it names a machine."""

MOST = 64
"""The most hooks of ours in one array: each is looked for in the whole of it."""

_Counts = dict[int, tuple[int, int]]


def endings_of(items: Sequence[Json]) -> list[tuple[str, ...]]:
    """Return for each item the endings by which the hooks in it are ours.

    Raises NotEditable where too many items have some.
    """
    found = [tuple(sorted(set(_endings(item)))) for item in items]
    count = sum(map(len, found))
    if count > MOST:
        raise NotEditable(f"found {count} hooks of st2's for one array, wanted at most {MOST}")
    return found


def strip(container: Container, held: list[Json], endings: tuple[str, ...]) -> bool:
    """Take what is ours out of a container that holds the values *held*; True where some was."""
    counts: _Counts = {}
    _count(held, endings, counts)
    return bool(endings) and _strip_parts(container, held, counts)


def strip_inside(node: Leaf | Container, value: Json, endings: tuple[str, ...]) -> bool:
    """Take what is ours out of one element that is not ours as a whole."""
    counts: _Counts = {}
    _count(value, endings, counts)
    return bool(endings) and _strip_inside(node, value, counts)


def is_ours(value: Json, endings: tuple[str, ...]) -> bool:
    """Say whether there are commands in *value*, and all of them are ours."""
    commands, ours = _count(value, endings, {})
    return 0 < commands == ours


def _endings(value: Json) -> Iterator[str]:
    for command in _commands(value):
        if OURS in command:
            yield command[command.rfind(OURS) :]


def _commands(value: Json) -> Iterator[str]:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            command = each.get("command")
            if isinstance(command, str):
                yield command
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


def _count(value: Json, endings: tuple[str, ...], counts: _Counts) -> tuple[int, int]:
    """Return how many commands are in *value*, and how many of them are ours; keep it of each."""
    commands = ours = 0
    if isinstance(value, dict):
        command = value.get("command")
        if isinstance(command, str):
            commands, ours = 1, int(command.endswith(endings))
    inside = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict | list):
        for each in inside:  # type: ignore[union-attr]
            if isinstance(each, dict | list):
                more, of_them = _count(each, endings, counts)
                commands, ours = commands + more, ours + of_them
        counts[id(value)] = commands, ours
    return commands, ours


def _strip_parts(container: Container, held: Sequence[Json], counts: _Counts) -> bool:
    gone: list[Part] = []
    taken = False
    for part, value in zip(container.parts, held, strict=True):
        commands, ours = counts.get(id(value), (0, 0))
        if 0 < commands == ours:
            gone.append(part)
        elif ours:
            taken |= _strip_inside(part.node, value, counts)
    container.drop(*gone)
    return taken or bool(gone)


def _strip_inside(node: Leaf | Container, value: Json, counts: _Counts) -> bool:
    if isinstance(node, Leaf):
        return False
    if isinstance(value, list):
        return _strip_parts(node, value, counts)
    assert isinstance(value, Mapping)
    taken = False
    for part in node.parts:
        taken |= _strip_inside(part.node, value[part.key], counts)
    return taken
