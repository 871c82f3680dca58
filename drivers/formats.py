"""An expansion as text: KDL 2, JSON, NUL-terminated words, or one line for a shell.

Whatever a declaration may hold reads back identically from all four, and no control, bidi or
other invisible character reaches a terminal as itself, except from ``argv`` when it is piped.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from decimal import Decimal

from catalog.declaration_errors import CannotExpand
from catalog.json_nodes import to_nodes
from catalog.kdl import Node, Scalar
from drivers.driver import CATALOG, GIT_EXCLUDE, HEAD, Expansion, Render

INDENT = "    "
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
_KEYWORDS = ("true", "false", "null", "inf", "nan", "-inf")


def to_kdl(expansion: Expansion) -> str:
    """Return the nodes that may replace the driver block of the declaration."""
    nodes = [_render(each) for each in expansion.render]
    top = [Node("render", children=tuple(nodes))] if nodes else []
    return "".join(f"{line}\n" for line in _lines([*top, Node("argv", expansion.argv)], 0))


def _render(render: Render) -> Node:
    if isinstance(render.value, str):
        value = () if render.op == GIT_EXCLUDE else (render.value,)
        return Node(render.op, (render.path, *value))
    arrays = () if render.arrays == "replace" else (("arrays", render.arrays),)
    return Node(render.op, (render.path,), arrays, to_nodes(render.value))


def to_json(expansion: Expansion) -> str:
    """Return ``{"argv":[…],"render":[{"op","path","value","arrays"}]}`` in ASCII."""
    render = [
        {"op": each.op, "path": each.path, "value": each.value, "arrays": each.arrays}
        for each in expansion.render
    ]
    whole = {"argv": expansion.argv, "render": render}
    return json.dumps(whole, separators=(",", ":")) + "\n"


def to_argv(expansion: Expansion) -> bytes:
    """Return each word with a NUL after it."""
    return b"".join(word.encode() + b"\0" for word in expansion.argv)


def to_lines(expansion: Expansion) -> str:
    """Return one word a line, for people; refuse a word that would not look like one."""
    for word in expansion.argv:
        if "\n" in word:
            hint = "pipe it, or ask for --format json"
            raise CannotExpand("argv", f"found a newline in {word[:40]!a}, wanted none", hint)
    return "".join(f"{_seen(word)}\n" for word in expansion.argv)


def to_shell(expansion: Expansion) -> str:
    """Return one line for a POSIX shell, every word in single quotes but the prefix's catalog.

    A pasted control character acts before the shell has seen the closing quote. A line with one
    is therefore written as the format of a ``printf`` and read by ``eval``.
    """
    words = [_single_quoted(word) for word in expansion.argv]
    if expansion.argv[:3] == HEAD:
        words[2] = f'"{CATALOG}"'
    line = " ".join(words)
    if not any(_is_unseen(character) for character in line):
        return line + "\n"
    pattern = line.replace("\\", "\\\\").replace("%", "%%")
    octal = "".join(map(_octal, pattern))
    return f'eval "$(printf {_single_quoted(octal)})"\n'


def _single_quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def _octal(character: str) -> str:
    if not _is_unseen(character):
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode())


def _lines(nodes: Iterable[Node], depth: int) -> Iterable[str]:
    for node in nodes:
        words = [_type(node) + _name(node.name), *map(_scalar, node.args)]
        words += [f"{_name(key)}={_scalar(value)}" for key, value in node.properties]
        line = INDENT * depth + " ".join(words)
        if node.children:
            yield f"{line} {{"
            yield from _lines(node.children, depth + 1)
            yield INDENT * depth + "}"
        else:
            yield line


def _type(node: Node) -> str:
    return "" if node.annotation is None else f"({_name(node.annotation)})"


def _name(text: str) -> str:
    bare = text == "-" or (text[:1].isalpha() and _BARE.issuperset(text) and text not in _KEYWORDS)
    return text if bare else kdl_string(text)


def _scalar(value: Scalar) -> str:
    if isinstance(value, str):
        return kdl_string(value)
    if value is None or isinstance(value, bool):
        return {None: "#null", True: "#true", False: "#false"}[value]
    return _decimal(value) if isinstance(value, float) else str(value)


def _decimal(value: float) -> str:
    """Return *value* without an exponent: with one, ckdl reads a neighbour one time in 70."""
    text = format(Decimal(repr(value)), "f")
    return text if "." in text else f"{text}.0"


def kdl_string(text: str) -> str:
    """Return *text* as a KDL 2 string that any terminal can show."""
    return '"' + "".join(_ESCAPES.get(letter) or _seen(letter) for letter in text) + '"'


def _seen(text: str) -> str:
    return "".join(f"\\u{{{ord(each):x}}}" if _is_unseen(each) else each for each in text)


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in _UNSEEN
