"""catalog/source.py: a block and its faults, whatever the spelling, and where each stands."""

from __future__ import annotations

import pytest

from catalog.kdl import Address, Node, Unparsed
from catalog.source import Outline, Source


def outline(text: str, ending: str, *names: str) -> Outline:
    found = Source(text.encode(), f"agent.{ending}").outline(names)
    assert isinstance(found, Outline), found
    return found


@pytest.mark.parametrize(
    ("path", "spelling"),
    [
        *[("agent.kdl", "kdl"), ("agent.toml", "toml"), ("agents/h.json/agent.json", "json")],
        *[("agent.toml.bak", "kdl"), ("toml", "toml"), ("agents.json/agent", "kdl"), ("", "kdl")],
    ],
)
def test_the_ending_of_the_path_tells_the_spelling(path: str, spelling: str) -> None:
    assert Source(b"", path).spelling == spelling


def test_a_block_without_faults_has_none() -> None:
    assert Outline(Node("agent")).faults == ()


class TestBlock:
    """The children that were asked for, in their order, and where each stands."""

    def test_of_kdl(self) -> None:
        text = 'other\n(t)agent "a" k=1 {\n x 1\n y 2\n x 3\n}'
        found = outline(text, "kdl", "x", "z")
        children = (Node("x", (1,)), Node("x", (3,)))
        assert found == Outline(Node("agent", ("a",), (("k", 1),), children, "t"))
        assert found.agent.at == (1,)
        assert [each.at for each in found.agent.children] == [(1, 0), (1, 2)]

    def test_of_toml(self) -> None:
        found = outline('y = 1\nx = 2\nagent = "a"', "toml", "x")
        assert found == Outline(Node("agent", ("a",), children=(Node("x", (2,)),)))
        assert (found.agent.at, found.agent.children[0].at) == (("agent",), ("x",))

    def test_of_json(self) -> None:
        found = outline('{"x": 1, "y": 1, "agent": "a", "x": 2}', "json", "x")
        children = (Node("x", (1,)), Node("x", (2,)))
        assert found == Outline(Node("agent", ("a",), children=children))
        assert found.agent.at == (2,)
        assert [each.at for each in found.agent.children] == [(0,), (3,)]

    def test_without_a_label(self) -> None:
        assert outline("", "toml", "x") == Outline(Node("agent"))
        assert outline("", "toml", "x").agent.at == ()


class TestFaults:
    """A child that no node can hold is a fault in its place; its neighbours stay."""

    DEEP = "found more than 32 levels, wanted fewer"

    def test_of_kdl(self) -> None:
        found = outline(
            "agent {\n x 1\n y " + "{ a " * 33 + "; }" * 33 + "\n x 2\n}", "kdl", "x", "y"
        )
        assert found.faults == ((f"y: {self.DEEP}", (0, 1)),)
        assert [child.args for child in found.agent.children] == [(1,), (2,)]

    def test_of_a_table(self) -> None:
        found = outline('{"x": 1, "y": [1, [2]], "x": 2}', "json", "x", "y")
        assert found.faults == (("y: found a list in a list, wanted one list", (1, 1)),)
        assert [child.args for child in found.agent.children] == [(1,), (2,)]

    def test_a_table_in_the_place_of_the_name(self) -> None:
        found = outline("[agent]\nx = 1", "toml", "x")
        sentence = "agent: found members, wanted one string; the fields stand beside it"
        assert found == Outline(Node("agent"), ((sentence, ("agent",)),))
        assert found.agent.at == ("agent",)


@pytest.mark.parametrize(
    ("text", "ending", "at", "place"),
    [
        ("agent {\n x 1\n}", "kdl", (0, 0), (2, 2)),
        ("\nx = 1", "toml", ("x",), (2, 1)),
        ('{\n"x": 1}', "json", (0,), (2, 1)),
    ],
)
def test_a_byte_order_mark_takes_no_place(
    text: str, ending: str, at: Address, place: tuple[int, int]
) -> None:
    for mark in ("", "\ufeff"):
        source = Source(f"{mark}{text}".encode(), f"agent.{ending}")
        assert source.place(at) == source.place(at) == place


@pytest.mark.parametrize("ending", ["kdl", "toml", "json"])
def test_bytes_that_are_no_text_have_places_at_most(ending: str) -> None:
    source = Source(b'{"x": "\xff"}', f"agent.{ending}")
    assert source.place((0,)) == ((1, 2) if ending == "json" else None)


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("agent\na }", "kdl-syntax", (2, 3)),
        ("agent {\n x true\n}", "kdl-1", (2, 4)),
        ("agent\n\x07", "kdl-character", (2, 1)),
        ("a " + "1" * 1_001, "kdl-long-number", None),
    ],
)
def test_what_is_no_document_is_told_with_its_way_out_and_its_place(
    text: str, code: str, place: tuple[int, int] | None
) -> None:
    found = Source(text.encode(), "agent.kdl").outline(())
    assert isinstance(found, Unparsed)
    assert (found.code, found.place) == (code, place)
    assert bool(found.hint) is (code in ("kdl-1", "kdl-character"))
    assert found.sentence.startswith("found ")


@pytest.mark.parametrize(
    ("text", "ending", "count", "place"),
    [
        ("x", "kdl", 0, None),
        ("agent\nagent\nagent", "kdl", 3, (2, 1)),
        ('{"agent": "a", "x": 1,\n "agent": "a"}', "json", 2, (2, 2)),
    ],
)
def test_another_number_of_blocks_than_one_is_told_where_the_second_stands(
    text: str, ending: str, count: int, place: tuple[int, int] | None
) -> None:
    assert Source(text.encode(), f"agent.{ending}").outline(("x",)) == Unparsed(
        "declaration-agents", f"found {count} agent nodes, wanted one", place=place
    )
