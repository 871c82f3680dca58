"""Line and column in a KDL document, for errors alone: ``kdlquery`` is loaded when one is asked.

It is a second parser. Where it does not see the same document as ``ckdl`` there is no position,
since one of the two would be wrong about it.
"""

from __future__ import annotations

import ckdl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from catalog.kdl import Address

MAX_LETTERS = 16_384
"""A longer document has no positions: kdlquery reads 30 KB a second, and a roster waits for it."""

Place = tuple[int, int]


def of_error(text: str) -> Place | None:
    """Return where *text*, which is no KDL 2 document, stops being one."""
    found = _parse(text)
    return found if isinstance(found, tuple) else None


class KdlPlaces:
    """The places of the nodes of one document, which is parsed once."""

    def __init__(self, text: str, nodes: Sequence[ckdl.Node]) -> None:
        """Parse *text*, in which ``ckdl`` found *nodes*."""
        found = _parse(text)
        told = found is not None and not isinstance(found, tuple)
        self._nodes: Any = found.nodes if told and _same(nodes, found.nodes) else None

    def place(self, at: Address) -> Place | None:
        """Return where the node at *at* begins."""
        children, node = self._nodes, None
        for index in at:
            if children is None or not isinstance(index, int) or index >= len(children):
                return None
            node = children[index]
            children = node.children
        return (node.span.start.line, node.span.start.column) if node is not None else (1, 1)


def _parse(text: str) -> Any:
    """Return the document, the place of its first error, or None."""
    if len(text) > MAX_LETTERS:
        return None
    import kdlquery

    try:
        return kdlquery.parse(text.removeprefix("\ufeff"))
    except kdlquery.KDLParseError as error:
        return error.line, error.col
    except (ValueError, RecursionError, MemoryError):
        return None


def _same(ours: Sequence[ckdl.Node], theirs: Sequence[Any]) -> bool:
    """Say whether both trees have the same nodes; numbers are not compared by value.

    It needs no stack for depth: either parser may go deeper than we could follow.
    """
    levels = [(ours, theirs)]
    while levels:
        ours, theirs = levels.pop()
        if len(ours) != len(theirs) or not all(map(_same_node, ours, theirs)):
            return False
        levels += [(our.children, their.children) for our, their in zip(ours, theirs, strict=True)]
    return True


def _same_node(our: ckdl.Node, their: Any) -> bool:
    return (
        our.name == their.name
        and (our.type_annotation is None) == (their.type_annotation is None)
        and len(our.args) == len(their.args)
        and all(map(_same_value, our.args, their.args))
        and our.properties.keys() == their.properties.keys()
        and all(_same_value(value, their.properties[key]) for key, value in our.properties.items())
    )


def _same_value(our: Any, their: Any) -> bool:
    typed = isinstance(our, ckdl.Value)
    value = our.value if typed else our
    if typed != (their.type_annotation is not None):
        return False
    if value is None or isinstance(value, str | bool):
        return type(value) is type(their.value) and value == their.value
    return isinstance(their.value, int | float) and not isinstance(their.value, bool)
