"""A hand-written line of ``render``: what has to lie in the workspace, one line a file.

``json-upsert PATH arrays="union" { … }`` merges an object, ``file PATH TEXT`` and ``copy PATH
SOURCE`` are whole files, ``ensure-line PATH LINE`` and ``git-exclude PATTERN`` add one line.
"""

from __future__ import annotations

from typing import NoReturn

from catalog.json_nodes import NotJson, from_nodes
from catalog.kdl import Node
from drivers.driver import COPY, ENSURE_LINE, FILE, GIT_EXCLUDE, JSON_UPSERT, BadNode, Render

WANTED = {
    JSON_UPSERT: ("path",),
    COPY: ("path", "source"),
    FILE: ("path", "text"),
    ENSURE_LINE: ("path", "line"),
    GIT_EXCLUDE: ("pattern",),
}
"""Each line, and the strings behind its name."""

OPS = tuple(WANTED)
ARRAYS = ("replace", "union")


def read_line(node: Node) -> Render:
    """Return one line of ``render``, or raise :class:`BadNode`."""
    if node.name not in WANTED:
        _refuse(node, f"render: found {node.name!a}, wanted {', '.join(OPS)}")
    wanted = WANTED[node.name]
    texts = [arg for arg in node.args if isinstance(arg, str) and "\0" not in arg]
    given = dict(node.properties)
    arrays = given.pop("arrays", "replace") if node.name == JSON_UPSERT else "replace"
    whole = len(texts) == len(node.args) == len(wanted) and texts[0]
    if not whole or given or node.annotation:
        kind = "one string" if len(wanted) == 1 else f"two strings, {' and '.join(wanted)}"
        _refuse(node, f"render {node.name}: found no {wanted[0]}, wanted {kind}")
    if node.name == JSON_UPSERT:
        return _upsert(node, texts[0], arrays)
    if node.children:
        _refuse(node, f"render {node.name}: found members, wanted none")
    value = texts[1] if len(texts) > 1 else ""
    if "line" in wanted and (_is_broken(value) or not value):
        _refuse(node, f"render {texts[0]!a}: found no line, wanted one")
    if "pattern" in wanted and _is_broken(texts[0]):
        _refuse(node, f"render {node.name}: found two lines, wanted one")
    return Render(op=node.name, path=texts[0], value=value)


def _upsert(node: Node, path: str, arrays: object) -> Render:
    if not isinstance(arrays, str) or arrays not in ARRAYS:
        found = f"render {path!a}: found arrays {arrays!a}"
        _refuse(node, f"{found}, wanted {' or '.join(ARRAYS)}")
    try:
        return Render(op=node.name, path=path, value=from_nodes(node.children), arrays=arrays)
    except NotJson as error:
        _refuse(node, f"render {path!a}: {error}")


def _is_broken(line: str) -> bool:
    """Say whether *line* would be read back as another one, or as two."""
    return "\n" in line or "\r" in line


def _refuse(node: Node, sentence: str) -> NoReturn:
    raise BadNode(sentence, at=node.at)
