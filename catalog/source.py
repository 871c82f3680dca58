"""The bytes of a declaration, in one of three spellings: its ``agent`` block, and where it says so.

What a spelling needs (``tomllib``, ``json``, the parser that knows positions) is loaded where it
is used: a catalog of KDL without faults needs none of them.
"""

from __future__ import annotations

from catalog import kdl
from catalog.kdl import Node, Unparsed
from catalog.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from catalog.kdl import Address
    from catalog.kdl_positions import KdlPlaces
    from catalog.table_positions import JsonPlaces, TomlPlaces

    Places = KdlPlaces | JsonPlaces | TomlPlaces

SPELLINGS = ("kdl", "toml", "json")


class Outline(Value):
    """The ``agent`` block as a node with the children that were asked for, and their faults.

    A fault is a sentence and where it is to be found.
    """

    __slots__ = ("agent", "faults")

    def __init__(self, agent: Node, faults: tuple[tuple[str, Address], ...] = ()) -> None:
        self.agent = agent
        self.faults = faults


class Source:
    """A declaration as it was read; ``path`` tells the spelling."""

    __slots__ = ("_places", "_raw", "spelling")

    def __init__(self, raw: bytes, path: str) -> None:
        ending = path.rpartition(".")[2]
        self.spelling = ending if ending in SPELLINGS else "kdl"
        self._raw = raw
        self._places: Places | None = None

    def outline(self, names: Collection[str]) -> Outline | Unparsed:
        """Return the block with its children called one of *names*, or why there is none."""
        return self._kdl(names) if self.spelling == "kdl" else self._table(names)

    def place(self, at: Address) -> tuple[int, int] | None:
        """Return line and column of what stands at *at*, where that can be told."""
        if self._places is None:
            self._places = self._finder()
        return self._places.place(at)

    def _finder(self) -> Places:
        text = self._raw.decode("utf-8", "replace").removeprefix("\ufeff")
        if self.spelling == "kdl":
            from catalog.kdl_positions import KdlPlaces

            nodes = kdl.parse(self._raw)
            return KdlPlaces(text, [] if isinstance(nodes, Unparsed) else nodes)
        from catalog.table_positions import JsonPlaces, TomlPlaces

        return TomlPlaces(text) if self.spelling == "toml" else JsonPlaces(text)

    def _kdl(self, names: Collection[str]) -> Outline | Unparsed:
        nodes = kdl.parse(self._raw)
        if isinstance(nodes, Unparsed):
            return self._placed(nodes)
        found = [index for index, node in enumerate(nodes) if node.name == "agent"]
        if len(found) != 1:
            place = self.place((found[1],)) if found else None
            return _not_one(len(found), place)
        [at], faults = found, []
        children: list[Node] = []
        for index, child in enumerate(nodes[at].children):
            if child.name in names:
                copied = kdl.copy(child, (at, index))
                if isinstance(copied, Unparsed):
                    faults.append((f"{child.name}: {copied.sentence}", (at, index)))
                else:
                    children.append(copied)
        node = nodes[at]
        args, properties = tuple(node.args), tuple(node.properties.items())
        agent = Node("agent", args, properties, tuple(children), node.type_annotation, (at,))
        return Outline(agent, tuple(faults))

    def _table(self, names: Collection[str]) -> Outline | Unparsed:
        from catalog import table

        found = table.parse(self._raw, self.spelling)
        if isinstance(found, Unparsed):
            return found
        labels, faults = [], []
        children: list[Node] = []
        for step, name, value in table.members(found):
            if name == "agent":
                labels.append((value, (step,)))
            if name in names:
                try:
                    children += table.nodes_of(name, value, (step,))
                except table.Refused as refused:
                    faults.append((f"{name}: {refused.sentence}", refused.at))
        if len(labels) > 1:
            return _not_one(len(labels), self.place(labels[1][1]))
        label, at = labels[0] if labels else (None, ())
        if table.is_table(label):
            hint = "the fields stand beside it"
            faults.append((f"agent: found members, wanted one string; {hint}", at))
        args: tuple[Any, ...] = (label,) if labels and not table.is_table(label) else ()
        return Outline(Node("agent", args, children=tuple(children), at=at), tuple(faults))

    def _placed(self, unparsed: Unparsed) -> Unparsed:
        """Add the place where KDL ends, which only the second parser knows."""
        if unparsed.place is not None or unparsed.code not in ("kdl-syntax", "kdl-1"):
            return unparsed
        from catalog.kdl_positions import of_error

        place = of_error(self._raw.decode("utf-8", "replace"))
        return Unparsed(unparsed.code, unparsed.sentence, unparsed.hint, place)


def _not_one(count: int, place: tuple[int, int] | None) -> Unparsed:
    sentence = f"found {count} agent nodes, wanted one"
    return Unparsed("declaration-agents", sentence, place=place)
