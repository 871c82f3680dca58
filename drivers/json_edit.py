"""JSON as it stands in somebody's file: change a value and leave every other byte where it was.

The text is read into a tree that keeps the blanks between its parts, and writes itself back.
What is added takes its indent from its neighbours, so taking it out again restores the bytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]

from catalog.json_nodes import Json

DEEPEST = 200
_BLANKS = " \t\r\n"
_SCALAR_ENDS = frozenset(_BLANKS + ",]}:\"'[{/#")


class NotEditable(ValueError):
    """The text is no JSON that can be edited; the sentence says why."""


@dataclass
class Leaf:
    """A scalar, as it is written."""

    text: str


@dataclass
class Part:
    """A member or an element: the blanks around it, and for a member its key and ``"key": ``."""

    lead: str
    node: Leaf | Container
    trail: str = ""
    key: str = ""
    head: str = ""


@dataclass
class Container:
    """An object (``{``) or an array (``[``); ``blank`` stands inside an empty one."""

    kind: str
    parts: list[Part] = field(default_factory=list)
    blank: str = ""
    _members: dict[str, Part] = field(default_factory=dict)

    def find(self, key: str) -> Part | None:
        """Return the member *key* of an object."""
        return self._members.get(key)

    def add(self, part: Part) -> None:
        """Put a member or an element behind the others."""
        self.parts.append(part)
        if self.kind == "{":
            self._members[part.key] = part

    def drop(self, *parts: Part) -> None:
        """Take members or elements out, and the commas that they needed."""
        gone = {id(part) for part in parts}
        last = self.parts[-1] if self.parts else None
        self.parts = [part for part in self.parts if id(part) not in gone]
        for part in parts:
            self._members.pop(part.key, None)
        if last is not None and id(last) in gone and self.parts:
            self.parts[-1].trail = last.trail


@dataclass
class Document:
    """One JSON text: its value, the blanks around it, and how it is written."""

    root: Leaf | Container
    lead: str
    trail: str
    newline: str
    unit: str

    def text(self) -> str:
        """Return the text, byte for byte where nothing was changed."""
        return self.lead + _text(self.root) + self.trail

    def append(self, container: Container, value: Json, *, at: str, key: str | None = None) -> None:
        """Add a member or an element at the end. *at* is the indent of the container itself."""
        last = container.parts[-1] if container.parts else None
        if last is None:
            lead, trail = f"{self.newline}{at}{self.unit}", f"{self.newline}{at}"
        else:
            lead = last.lead if len(container.parts) > 1 or "\n" in last.lead else " "
            trail, last.trail = last.trail, ""
        head = "" if key is None else f"{json.dumps(key)}: "
        node = self.fresh(value, lead)
        container.add(Part(lead, node, trail, key or "", head))

    def fresh(self, value: Json, lead: str) -> Leaf | Container:
        """Return *value* as it is written behind *lead*: on one line where its neighbours are."""
        if "\n" not in lead:
            return read(json.dumps(value)).root
        indent = lead.rpartition("\n")[2]
        lines = json.dumps(value, indent=self.unit).split("\n")
        return read(f"{self.newline}{indent}".join(lines)).root


def read(text: str) -> Document:
    """Read one JSON text, or raise :class:`NotEditable`."""
    reader = _Reader(text)
    lead = reader.blanks()
    root = reader.value(0)
    trail = reader.blanks()
    if reader.at != len(text):
        raise reader.fault("something after its end")
    newline = "\r\n" if "\r\n" in text else "\n"
    return Document(root, lead, trail, newline, _unit(root))


def value_of(node: Leaf | Container) -> Json:
    """Return the value that a part of a document stands for."""
    found: Json = json.loads(_text(node))
    return found


def canonical(value: Json) -> str:
    """Return the one text of all values that are written alike."""
    return json.dumps(value, sort_keys=True)


def same(one: Json, other: Json) -> bool:
    """Say whether two values are written alike; ``true`` is not 1, and 1 is not 1.0."""
    return canonical(one) == canonical(other)


def _text(node: Leaf | Container) -> str:
    if isinstance(node, Leaf):
        return node.text
    inside = ",".join(p.lead + p.head + _text(p.node) + p.trail for p in node.parts) or node.blank
    return node.kind + inside + ("}" if node.kind == "{" else "]")


def _unit(root: Leaf | Container) -> str:
    if isinstance(root, Container) and root.parts:
        indent = root.parts[0].lead.rpartition("\n")[2]
        if "\n" in root.parts[0].lead and indent:
            return indent
    return "  "


class _Reader:
    """Reads a text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def fault(self, found: str) -> NotEditable:
        rest = self.text[self.at : self.at + 2]
        if rest[:1] == "\ufeff":
            found = "a byte order mark"
        if rest in ("//", "/*") or rest[:1] == "#":
            found = "a comment"
        line = self.text.count("\n", 0, self.at) + 1
        return NotEditable(f"line {line}: found {found}, wanted plain JSON")

    def blanks(self) -> str:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in _BLANKS:
            self.at += 1
        return self.text[start : self.at]

    def value(self, depth: int) -> Leaf | Container:
        letter = self.text[self.at : self.at + 1]
        if letter in ("{", "["):
            if depth >= DEEPEST:
                raise self.fault(f"more than {DEEPEST} levels")
            return self._container(letter, depth)
        start = self.at
        if letter == '"':
            self._string()
        else:
            while self.at < len(self.text) and self.text[self.at] not in _SCALAR_ENDS:
                self.at += 1
        text = self.text[start : self.at]
        try:
            json.loads(text, parse_constant=self._refuse)
        except ValueError:
            self.at = start
            raise self.fault("no value" if not text else "something else") from None
        return Leaf(text)

    def _container(self, kind: str, depth: int) -> Container:
        made = Container(kind)
        close = "}" if kind == "{" else "]"
        self.at += 1
        made.blank = self.blanks()
        if self.text[self.at : self.at + 1] == close:
            self.at += 1
            return made
        lead = made.blank
        made.blank = ""
        while True:
            part = self._part(kind, lead, depth)
            if kind == "{" and made.find(part.key) is not None:
                raise self.fault(f"the key {part.key!a} twice")
            made.add(part)
            letter = self.text[self.at : self.at + 1]
            if letter not in (",", close):
                raise self.fault("no comma" if letter else "an end in the middle")
            self.at += 1
            if letter == close:
                return made
            lead = self.blanks()

    def _part(self, kind: str, lead: str, depth: int) -> Part:
        start = self.at
        key = ""
        if kind == "{":
            if self.text[self.at : self.at + 1] != '"':
                raise self.fault("no key")
            key = self._string()
            self.blanks()
            if self.text[self.at : self.at + 1] != ":":
                raise self.fault("no colon")
            self.at += 1
            self.blanks()
        head = self.text[start : self.at]
        node = self.value(depth + 1)
        return Part(lead, node, self.blanks(), key, head)

    def _string(self) -> str:
        try:
            found, self.at = scanstring(self.text, self.at + 1, True)
        except ValueError:
            raise self.fault("a broken string") from None
        return str(found)

    def _refuse(self, word: str) -> None:
        raise ValueError(word)
