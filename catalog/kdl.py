"""Bytes to a KDL 2 tree, for any bytes: a tree, or the sentence that says why there is none.

``ckdl`` is asked for version 2 by name; left alone it reads KDL 1 as well, and then accepts
documents that no other program would. It gives no positions: :mod:`catalog.kdl_positions` does.
"""

from __future__ import annotations

import ckdl

from catalog.value import Value
from catalog.windows import DECLARATION_BYTES

MAX_DIGITS = 1_000
"""Reading a number takes time quadratic in its length: 34 s for one of 256 KiB."""

MAX_DEPTH = 32
"""How deep :func:`copy` follows children. Parsing itself needs no stack for depth."""

Scalar = str | int | float | bool | None
Address = tuple[int | str, ...]
"""The way from a document to a node in it: indices, or the names of members."""

_DIGITS = bytes(57 if chr(n) in "0123456789_" else 32 for n in range(256))
_HEX_DIGITS = bytes(57 if chr(n) in "0123456789abcdefABCDEF_" else 32 for n in range(256))


class Node(Value):
    """A node of a tree as a plain value; a type annotation is kept on the node alone.

    ``at`` is where it stands in its document, if in any; no comparison looks at it.
    """

    __slots__ = ("annotation", "args", "at", "children", "name", "properties")
    _aside = ("at",)

    def __init__(
        self,
        name: str,
        args: tuple[Scalar, ...] = (),
        properties: tuple[tuple[str, Scalar], ...] = (),
        children: tuple[Node, ...] = (),
        annotation: str | None = None,
        at: Address = (),
    ) -> None:
        self.name = name
        self.args = args
        self.properties = properties
        self.children = children
        self.annotation = annotation
        self.at = at


class Unparsed(Value):
    """Why bytes are no document, and the way out; ``place`` is the line and column, if known."""

    __slots__ = ("code", "hint", "place", "sentence")

    def __init__(
        self, code: str, sentence: str, hint: str = "", place: tuple[int, int] | None = None
    ) -> None:
        self.code = code
        self.sentence = sentence
        self.hint = hint
        self.place = place


def parse(raw: bytes) -> list[ckdl.Node] | Unparsed:
    """Return the nodes of a document, or why there are none. Never raises."""
    if len(raw) > DECLARATION_BYTES:
        return Unparsed("kdl-too-large", f"found more than {DECLARATION_BYTES} bytes, wanted fewer")
    if has_long_number(raw):
        return Unparsed("kdl-long-number", f"found over {MAX_DIGITS} digits in a row, wanted fewer")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        sentence = f"found invalid UTF-8 at byte {error.start}, wanted UTF-8"
        return Unparsed("kdl-not-utf8", sentence, place=place_after(raw[: error.start].decode()))
    nodes = _nodes(text, 2)
    return _explain(text) if isinstance(nodes, str) else nodes


def copy(node: ckdl.Node, at: Address = (), depth: int = 0) -> Node | Unparsed:
    """Return *node*, which stands at *at*, with all below it as a plain value."""
    if depth == MAX_DEPTH:
        return Unparsed("kdl-too-deep", f"found more than {MAX_DEPTH} levels, wanted fewer")
    children = []
    for index, child in enumerate(node.children):
        copied = copy(child, (*at, index), depth + 1)
        if isinstance(copied, Unparsed):
            return copied
        children.append(copied)
    args, properties = tuple(node.args), tuple(node.properties.items())
    return Node(node.name, args, properties, tuple(children), node.type_annotation, at)


def check_values(node: Node) -> tuple[str, Address] | None:
    """Return what keeps *node* from being scalars all through, and where; None: nothing does."""
    values: list[object] = [*node.args, *(value for _, value in node.properties)]
    for value in values:
        if isinstance(value, ckdl.Value):
            return f"found a type on a value of {node.name}, wanted none", node.at
        if not isinstance(value, str | int | float | None):
            found = f"found {type(value).__name__} {value} in {node.name}"
            return f"{found}, wanted text, a number or a boolean", node.at
    for child in node.children:
        if (found_below := check_values(child)) is not None:
            return found_below
    return None


def place_after(text: str) -> tuple[int, int]:
    """Return line and column of the character that would follow *text*."""
    lines = text.replace("\r\n", "\n")
    for newline in "\r\f\v\x85\u2028\u2029":
        lines = lines.replace(newline, "\n")
    return lines.count("\n") + 1, len(lines) - lines.rfind("\n")


def is_disallowed(character: str) -> bool:
    """Say whether KDL 2 forbids *character* as itself anywhere: controls, bidi, a late BOM."""
    number = ord(character)
    return (
        (number < 0x20 and character not in "\t\n\v\f\r")
        or number in (0x7F, 0x200E, 0x200F, 0xFEFF)
        or 0x202A <= number <= 0x202E
        or 0x2066 <= number <= 0x2069
    )


def _nodes(text: str, version: int) -> list[ckdl.Node] | str:
    try:
        return list(ckdl.parse(text, version=version).nodes)
    except (ckdl.ParseError, ValueError, RecursionError, MemoryError) as error:
        return str(error) or type(error).__name__


def has_long_number(raw: bytes) -> bool:
    """Look for a run of digits, alone or after ``0x``; a run inside a string counts as well."""
    run = b"9" * (MAX_DIGITS + 1)
    if run in raw.translate(_DIGITS):
        return True
    hexadecimal = (part[: len(run)].translate(_HEX_DIGITS) for part in raw.split(b"0x")[1:])
    return run in hexadecimal


def _explain(text: str) -> Unparsed:
    """Say what keeps *text* from being KDL 2, as well as can be told."""
    for at, character in enumerate(text):
        if is_disallowed(character) and not (at == 0 and character == "\ufeff"):
            number = ord(character)
            sentence = f"found U+{number:04X}, wanted an escape in its place"
            hint = f"write \\u{{{number:x}}} inside a string"
            return Unparsed("kdl-character", sentence, hint, place_after(text[:at]))
    if not isinstance(_nodes(text, 1), str) and (spellings := _old_spellings(text)):
        return Unparsed("kdl-1", "found KDL 1, wanted KDL 2", "write " + ", ".join(spellings))
    return Unparsed("kdl-syntax", f"found no KDL 2 document ({_nodes(text, 2)}), wanted one")


def _old_spellings(text: str) -> list[str]:
    """Return how the KDL 1 spellings that *text* uses are written in KDL 2."""
    words = text.translate({ord(mark): " " for mark in ";=(){}"}).split()
    found = [f"#{word} for {word}" for word in ("true", "false", "null") if word in words]
    if any(word.startswith(('r"', 'r#"')) for word in words):
        found.append('#"…"# for r"…"')
    if any(line.count('"') % 2 for line in text.replace('\\"', "").splitlines()):
        found.append('"""…""" on lines of their own for a string of several lines')
    if "\\/" in text:
        found.append("/ for \\/")
    return found
