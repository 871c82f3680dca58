"""JSON written as KDL nodes, both ways, so that a rendered value reads like the rest of the file.

A member is a node: ``port 1`` is a number, ``args "a" "b"`` an array, children an object, children
named ``-`` an array. ``(array)`` and ``(object)`` say it where the look of the node does not:
empty ones, arrays of one, and an object whose only members are called ``-``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from catalog.kdl import Node, Scalar

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

ELEMENT = "-"


class NotJson(ValueError):
    """Nodes that stand for no JSON value."""


def to_nodes(value: Mapping[str, Json]) -> tuple[Node, ...]:
    """Return the nodes of an object's members."""
    return tuple(_node(name, member) for name, member in value.items())


def from_nodes(nodes: Iterable[Node]) -> dict[str, Json]:
    """Return the object whose members are *nodes*, or raise :class:`NotJson`."""
    members: dict[str, Json] = {}
    for node in nodes:
        if node.name in members:
            raise NotJson(f"found {node.name!a} twice, wanted it once")
        members[node.name] = _value(node)
    return members


def _node(name: str, value: Json) -> Node:
    if isinstance(value, dict):
        plain = value and set(value) != {ELEMENT}
        return Node(name, children=to_nodes(value), annotation=None if plain else "object")
    if not isinstance(value, list):
        return Node(name, (value,))
    scalars = tuple(item for item in value if not isinstance(item, list | dict))
    if len(scalars) == len(value):
        return Node(name, scalars, annotation=None if len(value) > 1 else "array")
    return Node(name, children=tuple(_node(ELEMENT, item) for item in value))


def _value(node: Node) -> Json:
    if node.annotation not in (None, "array", "object"):
        raise NotJson(f"{node.name!a}: found ({node.annotation}), wanted (array) or (object)")
    if node.properties or (node.args and node.children):
        raise NotJson(f"{node.name!a}: found values beside members, wanted one of them")
    if any(_is_beyond(arg) for arg in node.args):
        raise NotJson(f"{node.name!a}: found a number out of range, wanted 64 bits")
    names = {child.name for child in node.children}
    if node.annotation == "array" or (node.annotation is None and _looks_like_array(node, names)):
        if names - {ELEMENT}:
            raise NotJson(f"{node.name!a}: found members, wanted elements named -")
        return [*node.args, *(_value(child) for child in node.children)]
    if node.annotation is None and node.args:
        return node.args[0]
    if node.args or not (names or node.annotation):
        hint = f"(object){node.name} or (array){node.name} is an empty one"
        raise NotJson(f"{node.name!a}: found no members, wanted some; {hint}")
    return from_nodes(node.children)


def _looks_like_array(node: Node, names: set[str]) -> bool:
    return len(node.args) > 1 or names == {ELEMENT}


def _is_beyond(value: Scalar) -> bool:
    """Say whether *value* is a number that other readers of JSON would not read the same."""
    if isinstance(value, float):
        return value - value != 0
    return isinstance(value, int) and not -(2**63) <= value < 2**64
