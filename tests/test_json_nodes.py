"""JSON as nodes, by hand: each form, both ways, and what stands for no JSON value."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.json_nodes import NotJson, from_nodes, to_nodes
from catalog.kdl import Node


def of(*children: Node, annotation: str | None = None) -> Node:
    return Node("x", children=children, annotation=annotation)


@pytest.mark.parametrize(
    ("value", "node"),
    [
        (1, Node("x", (1,))),
        (None, Node("x", (None,))),
        (["a", "b"], Node("x", ("a", "b"))),
        (["a"], Node("x", ("a",), annotation="array")),
        ([], Node("x", annotation="array")),
        ([1, {"a": 2}], of(Node("-", (1,)), Node("-", children=(Node("a", (2,)),)))),
        ([[]], of(Node("-", annotation="array"))),
        ({"a": 1}, of(Node("a", (1,)))),
        ({}, of(annotation="object")),
        ({"-": 1}, of(Node("-", (1,)), annotation="object")),
        ({"-": 1, "a": 2}, of(Node("-", (1,)), Node("a", (2,)))),
    ],
)
def test_each_value_is_one_node_and_reads_back(value: Any, node: Node) -> None:
    assert to_nodes({"x": value, "y": 1}) == (node, Node("y", (1,)))
    assert from_nodes([node, Node("y", (1,))]) == {"x": value, "y": 1}


@pytest.mark.parametrize(
    ("node", "value"),
    [
        (Node("x", (1,), annotation="array"), [1]),
        (of(Node("-", (1,)), annotation="array"), [1]),
        (of(Node("-", (1,)), Node("-", (2,))), [1, 2]),
        (of(Node("a", (1,)), annotation="object"), {"a": 1}),
    ],
)
def test_a_node_may_say_what_its_look_says(node: Node, value: Any) -> None:
    assert from_nodes([node]) == {"x": value}


@pytest.mark.parametrize("number", [-(2**63), 2**64 - 1, 1.5, -0.0, True, "9" * 30])
def test_what_64_bits_hold_is_read(number: Any) -> None:
    assert from_nodes([Node("x", (number,))]) == {"x": number}


PROPERTY = Node("x", properties=(("k", 1),))
BEYOND = "'x': found a number out of range, wanted 64 bits"
BESIDE = "'x': found values beside members, wanted one of them"
EMPTY = "'x': found no members, wanted some; (object)x or (array)x is an empty one"


@pytest.mark.parametrize(
    ("nodes", "told"),
    [
        ([Node("x", (1,)), Node("x", (1,))], "found 'x' twice, wanted it once"),
        ([Node("é", (1,)), Node("é", (1,))], "found '\\xe9' twice, wanted it once"),
        ([Node("x", annotation="set")], "'x': found (set), wanted (array) or (object)"),
        ([PROPERTY], BESIDE),
        ([Node("x", (1,), children=(Node("a", (1,)),))], BESIDE),
        ([Node("x", (1, 2), children=(Node("-", (1,)),))], BESIDE),
        ([Node("x", (-(2**63) - 1,))], BEYOND),
        ([Node("x", (2**64,))], BEYOND),
        ([Node("x", (1, float("inf")))], BEYOND),
        ([Node("x", (float("nan"),))], BEYOND),
        ([of(Node("a", (1,)), annotation="array")], "'x': found members, wanted elements named -"),
        ([Node("x")], EMPTY),
        ([Node("x", (1,), annotation="object")], EMPTY),
        ([of(Node("a", (1,)), Node("a", (2,)))], "found 'a' twice, wanted it once"),
    ],
)
def test_nodes_that_stand_for_no_value_say_why(nodes: list[Node], told: str) -> None:
    with pytest.raises(NotJson) as caught:
        from_nodes(nodes)
    assert str(caught.value) == told
