"""Merging what a harness needs into a JSON file that is somebody else's, and taking it out again.

Objects merge, scalars and arrays replace; with ``union`` an array gets what is missing. Our own
earlier entries are known by the ending of their command, whatever stood before it. Everybody
else's stay, in their order. What would be lost by it is not merged: an object or an array where
we want another kind of value, a plain value where we want one of them, a server of somebody
else's under our name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from catalog.json_nodes import Json
from drivers.entries import endings_of, is_ours, strip, strip_inside
from drivers.json_edit import (
    Container,
    Document,
    Leaf,
    NotEditable,
    Part,
    canonical,
    read,
    same,
    value_of,
)

_SERVER = "driver"


def upsert(text: str | None, value: Mapping[str, Json], arrays: str) -> str:
    """Return the file's *text* (None: there is no file) with *value* in it.

    Raises NotEditable for a text that is no JSON object, and where it cannot be merged.
    """
    if text is None or not text.strip():
        return json.dumps(value, indent=2) + "\n"
    document, root = _document(text)
    _merge(document, root, _members(root), value, arrays, "")
    return document.text()


def take_out(text: str, value: Mapping[str, Json], arrays: str) -> str | None:
    """Return *text* without our entries; None where nothing else was in it.

    Raises NotEditable for a text that is no JSON object.
    """
    if not text.strip():
        return text
    document, root = _document(text)
    taken = _take(root, _members(root), value, arrays)
    return None if taken and not root.parts else document.text()


def _document(text: str) -> tuple[Document, Container]:
    document = read(text)
    if isinstance(document.root, Container) and document.root.kind == "{":
        return document, document.root
    raise NotEditable("found no object at its top, wanted one")


def _members(root: Container) -> dict[str, Json]:
    """Return the value of a whole object: it is read once, and walked beside its parts."""
    found = value_of(root)
    assert isinstance(found, dict)
    return found


def _merge(
    document: Document,
    into: Container,
    held: Mapping[str, Json],
    value: Mapping[str, Json],
    arrays: str,
    at: str,
) -> None:
    """Merge *value* into an object whose value is *held*."""
    for key, new in value.items():
        part = into.find(key)
        if part is None:
            document.append(into, new, at=at, key=key)
            continue
        node, found, inner = part.node, held[key], _indent(part, at)
        if same(found, new):
            continue  # however its lines are laid out
        if _is_foreign_server(found, new):
            raise NotEditable(f"found a server {key!a} that is not st2's, wanted ours or none")
        if isinstance(node, Leaf) and found and isinstance(new, (dict, list)):
            raise _something_else(key, new)
        if _is_our_server(found, new) or isinstance(node, Leaf):
            part.node = document.fresh(new, part.lead)
        elif isinstance(found, dict) and isinstance(new, dict):
            _merge(document, node, found, new, arrays, inner)
        elif isinstance(found, list) and isinstance(new, list) and arrays == "union":
            _unite(document, node, found, new, inner)
        elif node.parts and not _same_kind(node, new):
            raise _something_else(key, new)
        else:
            part.node = document.fresh(new, part.lead)


def _something_else(key: str, new: Json) -> NotEditable:
    wanted = "an object" if isinstance(new, dict) else "an array"
    wanted = wanted if isinstance(new, (dict, list)) else "a plain value"
    return NotEditable(f"found something else under {key!a}, wanted {wanted}")


def _same_kind(node: Container, new: Json) -> bool:
    return isinstance(new, dict if node.kind == "{" else list)


def _unite(
    document: Document, array: Container, held: list[Json], items: list[Json], at: str
) -> None:
    """See that each of *items* stands in *array* once, ours in the place of our earlier ones."""
    held, written = list(held), {canonical(value) for value in held}
    for item, endings in zip(items, endings_of(items), strict=True):
        if endings:
            held = _supersede(document, array, held, item, endings)
            written = {canonical(value) for value in held}
        if canonical(item) not in written:
            document.append(array, item, at=at)
            held.append(item)
            written.add(canonical(item))


def _supersede(
    document: Document,
    array: Container,
    held: list[Json],
    new: Json,
    endings: tuple[str, ...],
) -> list[Json]:
    """Put *new* in the place of the first of our earlier ones and take out the others.

    Where it stands already they all go. Returns the value of the array as it is then.
    """
    wanted = canonical(new)
    stands = any(canonical(value) == wanted for value in held)
    gone, after = [], []
    for part, value in zip(array.parts, held, strict=True):
        if canonical(value) == wanted:
            after.append(value)
        elif not is_ours(value, endings):
            changed = strip_inside(part.node, value, endings)
            after.append(value_of(part.node) if changed else value)
        elif stands:
            gone.append(part)
        else:
            part.node, stands = document.fresh(new, part.lead), True
            after.append(new)
    array.drop(*gone)
    return after


def _take(
    node: Container, held: Mapping[str, Json], value: Mapping[str, Json], arrays: str
) -> bool:
    """Take *value* out of an object whose value is *held*; True where something of it was."""
    taken = False
    gone = []
    for key, new in value.items():
        part = node.find(key)
        if part is not None and _take_member(part, held[key], new, arrays):
            taken = True
            if not isinstance(part.node, Container) or not part.node.parts:
                gone.append(part)
    node.drop(*gone)
    return taken


def _take_member(part: Part, held: Json, new: Json, arrays: str) -> bool:
    """Take *new* out of a member; True where something was, and an empty rest may go.

    A server is taken whole or not at all, single elements of an array only where it was united.
    """
    node = part.node
    if same(held, new) or _is_our_server(held, new):
        part.node = Leaf("null")
        return True
    if server_args(new) is not None or isinstance(node, Leaf):
        return False
    if isinstance(held, dict) and isinstance(new, dict):
        return _take(node, held, new, arrays)
    if not isinstance(held, list) or not isinstance(new, list) or arrays != "union":
        return False
    wanted = {canonical(item) for item in new}
    stays = [canonical(value) not in wanted for value in held]
    node.drop(*(each for each, stay in zip(node.parts, stays, strict=True) if not stay))
    rest = [value for value, stay in zip(held, stays, strict=True) if stay]
    endings = tuple(ending for each in endings_of(new) for ending in each)
    return strip(node, rest, endings) or len(rest) < len(held)


def _indent(part: Part, at: str) -> str:
    """Return the indent of the line that a part begins."""
    return part.lead.rpartition("\n")[2] if "\n" in part.lead else at


def _is_our_server(found: Json, new: Json) -> bool:
    """Say whether *found* is *new* as another installation wrote it: same keys, same words."""
    one, other = server_args(found), server_args(new)
    if one is None or one != other or not isinstance(found, dict) or not isinstance(new, dict):
        return False
    return found.keys() == new.keys() and _program(found) == _program(new)


def _is_foreign_server(found: Json, new: Json) -> bool:
    """Say whether *found* stands where our server *new* wants to, and starts something else.

    Our own server of another agent in the same workspace is not foreign: each start writes its
    own, and that is the one which the harness then reads.
    """
    other = server_args(new)
    if other is None or not found:
        return False
    one = server_args(found)
    return one is None or one[:2] != other[:2]


def _program(server: Mapping[str, Json]) -> str:
    return str(server.get("command")).rpartition("/")[2]


def server_args(value: Json) -> list[Json] | None:
    """Return the words from ``driver`` on by which a server is st2's; None where it is not."""
    args = value.get("args") if isinstance(value, dict) else None
    if not isinstance(args, list) or _SERVER not in args:
        return None
    return args[args.index(_SERVER) :]
