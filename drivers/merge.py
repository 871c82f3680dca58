"""Merging what a harness needs into a JSON file that is somebody else's, and taking it out again.

Objects merge, scalars and arrays replace; with ``union`` an array gets what is missing. Our own
earlier entries are known by the ending of their command, whatever stood before it. Everybody
else's stay, in their order. What would be lost by it is not merged: an object or an array where
we want another kind of value, a server of somebody else's under our name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from catalog.json_nodes import Json
from drivers.json_edit import Container, Document, Leaf, NotEditable, Part, read, same, value_of

OURS = " driver hook "
"""Where the ending of a hook's command begins; what is before it names a machine."""

_SERVER = "driver"


def upsert(text: str | None, value: Mapping[str, Json], arrays: str) -> str:
    """Return the file's *text* (None: there is no file) with *value* in it.

    Raises NotEditable for a text that is no JSON object.
    """
    if text is None or not text.strip():
        return json.dumps(value, indent=2) + "\n"
    document = _document(text)
    _merge(document, _object(document), value, arrays, "")
    return document.text()


def take_out(text: str, value: Mapping[str, Json], arrays: str) -> str | None:
    """Return *text* without our entries; None where nothing else was in it.

    Raises NotEditable for a text that is no JSON object.
    """
    if not text.strip():
        return text
    document = _document(text)
    root = _object(document)
    taken = _take(root, value, arrays)
    return None if taken and not root.parts else document.text()


def _document(text: str) -> Document:
    document = read(text)
    _object(document)
    return document


def _object(document: Document) -> Container:
    if isinstance(document.root, Container) and document.root.kind == "{":
        return document.root
    raise NotEditable("found no object at its top, wanted one")


def _merge(
    document: Document, into: Container, value: Mapping[str, Json], arrays: str, at: str
) -> None:
    for key, new in value.items():
        part = into.find(key)
        if part is None:
            document.append(into, new, at=at, key=key)
            continue
        node, inner = part.node, _indent(part, at)
        if same(value_of(node), new):
            continue  # however its lines are laid out
        if _is_foreign_server(value_of(node), new):
            raise NotEditable(f"found a server {key!a} that is not st2's, wanted ours or none")
        if _is_our_server(value_of(node), new):
            part.node = document.fresh(new, part.lead)
        elif isinstance(node, Container) and node.kind == "{" and isinstance(new, dict):
            _merge(document, node, new, arrays, inner)
        elif _is_array(node) and isinstance(new, list) and arrays == "union":
            assert isinstance(node, Container)
            for item in new:
                _unite(document, node, item, inner)
        else:
            if isinstance(node, Container) and node.parts and not _same_kind(node, new):
                wanted = "an object" if isinstance(new, dict) else "an array"
                wanted = wanted if isinstance(new, (dict, list)) else "a plain value"
                raise NotEditable(f"found something else under {key!a}, wanted {wanted}")
            part.node = document.fresh(new, part.lead)


def _same_kind(node: Container, new: Json) -> bool:
    return isinstance(new, dict if node.kind == "{" else list)


def _unite(document: Document, array: Container, new: Json, at: str) -> None:
    """See that *new* stands in *array* once, in the place of the first of our earlier ones."""
    endings = _endings(new)
    stands = any(same(value_of(part.node), new) for part in array.parts)
    for part in list(array.parts):
        found = value_of(part.node)
        if same(found, new):
            continue
        if _is_ours(found, endings) and not stands:
            part.node, stands = document.fresh(new, part.lead), True
        else:
            _strip(array, part, endings)
    if not stands:
        document.append(array, new, at=at)


def _strip(array: Container, part: Part, endings: frozenset[str]) -> bool:
    """Take what is ours out of one element, the element itself where all of it is."""
    if _is_ours(value_of(part.node), endings):
        array.drop(part)
        return True
    return _strip_inside(part.node, endings)


def _strip_inside(node: Leaf | Container, endings: frozenset[str]) -> bool:
    if not isinstance(node, Container):
        return False
    taken = False
    for part in list(node.parts):
        if node.kind == "[":
            taken |= _strip(node, part, endings)
        else:
            taken |= _strip_inside(part.node, endings)
    return taken


def _take(node: Container, value: Mapping[str, Json], arrays: str) -> bool:
    taken = False
    for key, new in value.items():
        part = node.find(key)
        if part is not None and _take_member(part, new, arrays):
            taken = True
            if not isinstance(part.node, Container) or not part.node.parts:
                node.drop(part)
    return taken


def _take_member(part: Part, new: Json, arrays: str) -> bool:
    """Take *new* out of a member; True where something was, and an empty rest may go.

    A server is taken whole or not at all, single elements of an array only where it was united.
    """
    node = part.node
    if same(value_of(node), new) or _is_our_server(value_of(node), new):
        part.node = Leaf("null")
        return True
    if _server_args(new) is not None:
        return False
    if isinstance(node, Container) and node.kind == "{" and isinstance(new, dict):
        return _take(node, new, arrays)
    if not isinstance(node, Container) or node.kind != "[" or not isinstance(new, list):
        return False
    if arrays != "union":
        return False
    endings = frozenset().union(*(_endings(item) for item in new))
    taken = False
    for each in list(node.parts):
        if any(same(value_of(each.node), item) for item in new):
            node.drop(each)
            taken = True
        else:
            taken |= _strip(node, each, endings)
    return taken


def _is_array(node: Leaf | Container) -> bool:
    return isinstance(node, Container) and node.kind == "["


def _indent(part: Part, at: str) -> str:
    """Return the indent of the line that a part begins."""
    return part.lead.rpartition("\n")[2] if "\n" in part.lead else at


def _commands(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for key, member in value.items():
            if key == "command" and isinstance(member, str):
                yield member
            else:
                yield from _commands(member)
    elif isinstance(value, list):
        for item in value:
            yield from _commands(item)


def _endings(value: Json) -> frozenset[str]:
    """Return the endings by which the hooks in *value* are ours."""
    found = (command[command.find(OURS) :] for command in _commands(value) if OURS in command)
    return frozenset(found)


def _is_ours(value: Json, endings: frozenset[str]) -> bool:
    commands = list(_commands(value))
    return bool(commands) and all(command.endswith(tuple(endings)) for command in commands)


def _is_our_server(found: Json, new: Json) -> bool:
    """Say whether *found* is *new* as another installation wrote it: same keys, same words."""
    one, other = _server_args(found), _server_args(new)
    if one is None or one != other or not isinstance(found, dict) or not isinstance(new, dict):
        return False
    return found.keys() == new.keys() and _program(found) == _program(new)


def _is_foreign_server(found: Json, new: Json) -> bool:
    """Say whether *found* stands where our server *new* wants to, and starts something else.

    Our own server of another agent in the same workspace is not foreign: each start writes its
    own, and that is the one which the harness then reads.
    """
    other = _server_args(new)
    if other is None or not found:
        return False
    one = _server_args(found)
    return one is None or one[:2] != other[:2]


def _program(server: Mapping[str, Json]) -> str:
    return str(server.get("command")).rpartition("/")[2]


def _server_args(value: Json) -> list[Json] | None:
    args = value.get("args") if isinstance(value, dict) else None
    if not isinstance(args, list) or _SERVER not in args:
        return None
    return args[args.index(_SERVER) :]
