"""A declaration spelled as a table, in TOML or JSON, as the nodes that it would be in KDL.

The names are the same: a member of the table is a node of the ``agent`` block, ``agent`` itself
is the block's argument. A list gives the values of a node, a table its fields, a list of tables
several nodes. Where a node has a value beside properties the value has a name: ``name`` of a
``resource``, ``state`` of ``desired-state``. ``render`` is what ``driver expand --format json``
prints. Members with other names are other programs' and are not looked at.
"""

from __future__ import annotations

from catalog.json_nodes import ELEMENT, to_nodes
from catalog.kdl import MAX_DEPTH, MAX_DIGITS, Node, Unparsed, has_long_number, place_after
from catalog.windows import DECLARATION_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from catalog.kdl import Address

MAX_DOTS = 1_000
"""tomllib reads a dotted key in time quadratic in its parts: 55 s for one of 256 KiB."""

MAX_STEPS = 2_000_000
"""For each part of a key tomllib walks down from the top: 15 s for many keys below a long table."""


class Pairs(list[tuple[str, object]]):
    """The members of a JSON object in their order, repeats included."""


class Refused(ValueError):
    """A value that no node can be made of; ``at`` is where it stands."""

    def __init__(self, sentence: str, at: Address) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.at = at


def parse(raw: bytes, spelling: str) -> Pairs | dict[str, Any] | Unparsed:
    """Return the table that *raw* is, or why it is none. Never raises."""
    if len(raw) > DECLARATION_BYTES:
        sentence = f"found more than {DECLARATION_BYTES} bytes, wanted fewer"
        return Unparsed(f"{spelling}-too-large", sentence)
    if has_long_number(raw):
        sentence = f"found over {MAX_DIGITS} digits in a row, wanted fewer"
        return Unparsed(f"{spelling}-long-number", sentence)
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        sentence = f"found invalid UTF-8 at byte {error.start}, wanted UTF-8"
        place = place_after(raw[: error.start].decode())
        return Unparsed(f"{spelling}-not-utf8", sentence, place=place)
    try:
        found = _toml(text) if spelling == "toml" else _json(text)
    except RecursionError:
        return Unparsed(f"{spelling}-too-deep", "found too many levels, wanted fewer")
    if isinstance(found, Unparsed | Pairs | dict):
        return found
    return Unparsed(f"{spelling}-shape", "found no object, wanted one", place=(1, 1))


def nodes_of(name: str, value: object, at: Address) -> Iterable[Node]:
    """Return the nodes that the member *name* stands for, or raise :class:`Refused`."""
    items = _items(value, at)
    if name == "render" and items:
        children = tuple(_render(item, place) for place, item in items)
        return [Node(name, children=children, at=at)]
    if name in _VALUE_NAMES and items:
        return [_valued(name, item, place) for place, item in items]
    if name in _VALUE_NAMES:
        return [_valued(name, value, at)]
    return _plainly(name, value, at, 1)


_VALUE_NAMES = {"resource": "name", "desired-state": "state"}


def members(table: object) -> Iterator[tuple[int | str, str, object]]:
    """Yield step, name and value of each member of a table."""
    if isinstance(table, Pairs):
        yield from ((step, name, value) for step, (name, value) in enumerate(table))
    elif isinstance(table, dict):
        yield from ((name, name, value) for name, value in table.items())


def is_table(value: object) -> bool:
    """Say whether *value* has members."""
    return isinstance(value, Pairs | dict)


def _is_list(value: object) -> bool:
    return isinstance(value, list) and not isinstance(value, Pairs)


def _items(value: object, at: Address) -> list[tuple[Address, object]]:
    """Return the items of a list, each with where it stands; none for anything else."""
    if not isinstance(value, list) or isinstance(value, Pairs):
        return []
    return [((*at, index), item) for index, item in enumerate(value)]


def _plainly(name: str, value: object, at: Address, depth: int) -> list[Node]:
    if depth > MAX_DEPTH:
        raise Refused(f"found more than {MAX_DEPTH} levels, wanted fewer", at)
    if is_table(value):
        children: list[Node] = []
        for step, child, inner in members(value):
            children += _plainly(child, inner, (*at, step), depth + 1)
        return [Node(name, children=tuple(children), at=at)]
    if not isinstance(value, list):
        return [Node(name, (value,), at=at)]  # type: ignore[arg-type]
    if not any(is_table(item) or _is_list(item) for item in value):
        return [Node(name, tuple(value), at=at)]
    nodes: list[Node] = []
    for index, item in enumerate(value):
        if _is_list(item):
            raise Refused("found a list in a list, wanted one list", (*at, index))
        nodes += _plainly(name, item, (*at, index), depth + 1)
    return nodes


def _valued(name: str, value: object, at: Address) -> Node:
    """Read a table whose one member is the node's value and the others its properties."""
    if not is_table(value):
        return Node(name, (value,), at=at)  # type: ignore[arg-type]
    own, args, properties = _VALUE_NAMES[name], [], []
    for _, key, inner in members(value):
        if key == own:
            args.append(inner)
        else:
            properties.append((key, inner))
    return Node(name, tuple(args), tuple(properties), at=at)  # type: ignore[arg-type]


def _render(entry: object, at: Address) -> Node:
    """Read one entry of ``render``: its operation, its path, and what is to lie there."""
    if not is_table(entry):
        raise Refused("found no object, wanted op, path and value", at)
    told = {name: value for _, name, value in members(entry)}
    op, path, value = told.pop("op", ""), told.pop("path", None), told.pop("value", None)
    if told.get("arrays") == "replace":
        del told["arrays"]  # it is what a node without the word means
    args = () if path is None else (path,)
    children: tuple[Node, ...] = ()
    if is_table(value):
        inner = _json_value(value, at, 2)
        assert isinstance(inner, dict)
        children = to_nodes(inner)
    elif value is not None and op != "git-exclude":
        args = (*args, value)
    named = op if isinstance(op, str) else ELEMENT
    return Node(named, args, tuple(told.items()), children, at=at)  # type: ignore[arg-type]


def _json_value(value: object, at: Address, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise Refused(f"found more than {MAX_DEPTH} levels, wanted fewer", at)
    if is_table(value):
        told: dict[str, object] = {}
        for _, name, inner in members(value):
            if name in told:
                raise Refused(f"found {name!a} twice, wanted it once", at)
            told[name] = _json_value(inner, at, depth + 1)
        return told
    if isinstance(value, list):
        return [_json_value(item, at, depth + 1) for item in value]
    if not isinstance(value, str | int | float | None):
        found = f"found {type(value).__name__} {value}"
        raise Refused(f"{found}, wanted text, a number or a boolean", at)
    return value


def _toml(text: str) -> object:
    import tomllib

    dots = [line.count(".") for line in text.split("\n")]
    if max(dots) > MAX_DOTS:
        return Unparsed("toml-long-key", f"found over {MAX_DOTS} dots in a line, wanted fewer")
    if _steps(text, dots) > MAX_STEPS:
        return Unparsed("toml-long-key", "found too many names below others, wanted fewer dots")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, where = str(error).partition(" (at ")
        place = place_after(text) if where.startswith("end of") else _numbers(where)
        return Unparsed("toml-syntax", f"found no TOML ({message}), wanted some", place=place)


def _steps(text: str, dots: list[int]) -> int:
    """Return the most steps that tomllib takes down from the top, by the dots in each line.

    A line that begins with a bracket may name the table of all lines after it.
    """
    steps = above = 0
    for line, count in zip(text.split("\n"), dots, strict=True):
        steps += (count + 1) * (above + count + 1)
        if count > above and line.lstrip(" \t").startswith("["):
            above = count
    return steps


def _numbers(where: str) -> tuple[int, int] | None:
    """Return the two numbers of ``line 1, column 2)``."""
    words = where.rstrip(")").replace(",", "").split()
    numbers = [int(word) for word in words if word.isdigit()]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else None


def _json(text: str) -> object:
    import json

    def refuse(word: str) -> None:
        raise ValueError(f"{word} is no JSON number")

    try:
        found = json.loads(text, object_pairs_hook=Pairs, parse_constant=refuse)
        json.dumps(found, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        sentence = f"found no JSON ({error.msg}), wanted some"
        return Unparsed("json-syntax", sentence, place=(error.lineno, error.colno))
    except UnicodeEncodeError:
        return Unparsed("json-character", "found half of a surrogate pair, wanted all of it")
    except ValueError as error:
        return Unparsed("json-syntax", f"found no JSON ({error}), wanted some")
    return found
