"""catalog/table.py: a table as the nodes that it would be in KDL, and where each stands."""

from __future__ import annotations

from datetime import date

import pytest

from catalog.kdl import MAX_DEPTH, Address, Node, Unparsed
from catalog.table import MAX_DOTS, Pairs, Refused, is_table, members, nodes_of, parse
from catalog.windows import DECLARATION_BYTES

DEEP = f"found more than {MAX_DEPTH} levels, wanted fewer"


def refused(name: str, value: object) -> tuple[str, Address]:
    """The refusal of a member that stands at ``(7,)``."""
    with pytest.raises(Refused) as caught:
        list(nodes_of(name, value, (7,)))
    assert str(caught.value) == caught.value.sentence
    return caught.value.sentence, caught.value.at


def stand(nodes: list[Node]) -> list[tuple[str, Address]]:
    """The names and addresses of nodes and all below them, from the top."""
    found: list[tuple[str, Address]] = []
    for node in nodes:
        found += [(node.name, node.at), *stand(list(node.children))]
    return found


class TestParse:
    """A table, or the code, the sentence and the place of what keeps it from being one."""

    @pytest.mark.parametrize(
        ("raw", "spelling", "found"),
        [
            (b"", "toml", {}),
            (b"\xef\xbb\xbfa = 1\r\n", "toml", {"a": 1}),
            (b"{}", "json", []),
            (b'\xef\xbb\xbf{"a": 1, "a": {"b": []}}', "json", [("a", 1), ("a", [("b", [])])]),
        ],
    )
    def test_a_table_keeps_every_member(self, raw: bytes, spelling: str, found: object) -> None:
        assert parse(raw, spelling) == found

    @pytest.mark.parametrize(
        ("raw", "spelling", "code", "place"),
        [
            (b"a\n\xff", "toml", "toml-not-utf8", (2, 1)),
            (b'{"\xff', "json", "json-not-utf8", (1, 3)),
            (b"5", "json", "json-shape", (1, 1)),
            (b'["a"]', "json", "json-shape", (1, 1)),
            (b'"\xc3\xa9"', "json", "json-shape", (1, 1)),
            (b'{\n"a":', "json", "json-syntax", (2, 5)),
            (b"\n{1", "json", "json-syntax", (2, 2)),
            (b'{"a": Infinity}', "json", "json-syntax", None),
            (b'{"a": "\\ud800"}', "json", "json-character", None),
            (b"[" * 100_000, "json", "json-too-deep", None),
            (b"a = 1\nb = 'x", "toml", "toml-syntax", (2, 7)),
            (b"a = 1\n b c\nd = 2\n", "toml", "toml-syntax", (2, 4)),
            (b"a = 1\na = 2", "toml", "toml-syntax", (2, 6)),
            (b"1" * 1_001, "toml", "toml-long-number", None),
        ],
    )
    def test_what_is_none_is_told_with_its_place(
        self, raw: bytes, spelling: str, code: str, place: tuple[int, int] | None
    ) -> None:
        found = parse(raw, spelling)
        assert isinstance(found, Unparsed)
        assert (found.code, found.place, found.hint) == (code, place, "")
        assert found.sentence.startswith("found ") and ", wanted " in found.sentence

    @pytest.mark.parametrize(
        ("raw", "sentence"),
        [
            (b"1" * 1_001, "found over 1000 digits in a row, wanted fewer"),
            (b" " * (DECLARATION_BYTES + 1), "found more than 262144 bytes, wanted fewer"),
            (b'{"a": -Infinity}', "found no JSON (-Infinity is no JSON number), wanted some"),
            (b"{", "found no JSON (Expecting property name enclosed in double quotes)"),
        ],
    )
    def test_the_sentence_says_what_was_found(self, raw: bytes, sentence: str) -> None:
        found = parse(raw, "json")
        assert isinstance(found, Unparsed) and found.sentence.startswith(sentence)

    def test_what_is_as_large_as_it_may_be_is_read(self) -> None:
        assert parse(b" " * (DECLARATION_BYTES - 2) + b"{}", "json") == []
        assert parse(b"a = " + b"1" * 1_000, "toml") == {"a": int("1" * 1_000)}

    def test_a_thousand_dots_in_a_line_are_read_and_one_more_are_not(self) -> None:
        line = b"# " + b"." * MAX_DOTS
        assert parse(b"a = 1\n" + line, "toml") == {"a": 1}
        assert parse(line + b".", "toml") == Unparsed(
            "toml-long-key", "found over 1000 dots in a line, wanted fewer"
        )

    def test_the_end_of_a_text_is_the_place_after_it(self) -> None:
        found = parse(b"a = 1\nb = '''\nx", "toml")
        assert isinstance(found, Unparsed)
        assert (found.code, found.place) == ("toml-syntax", (3, 2))


def test_members_have_a_step_a_name_and_a_value() -> None:
    assert list(members(Pairs([("a", 1), ("a", 2)]))) == [(0, "a", 1), (1, "a", 2)]
    assert list(members({"a": 1, "b": 2})) == [("a", "a", 1), ("b", "b", 2)]
    assert list(members([("a", 1)])) == list(members(None)) == []


def test_a_list_is_no_table() -> None:
    assert is_table(Pairs()) and is_table({})
    assert not is_table([]) and not is_table("a") and not is_table(None)


class TestNodes:
    """A value, values, fields, or several nodes of one name."""

    @pytest.mark.parametrize(
        ("name", "value", "nodes"),
        [
            ("a", "x", [Node("a", ("x",))]),
            ("a", [], [Node("a")]),
            ("a", ["x", 1, None], [Node("a", ("x", 1, None))]),
            ("a", {}, [Node("a")]),
            (
                *("a", {"b": {"c": [1, 2]}}),
                [Node("a", children=(Node("b", children=(Node("c", (1, 2)),)),))],
            ),
            ("a", ["x", {"b": 1}], [Node("a", ("x",)), Node("a", children=(Node("b", (1,)),))]),
            ("a", [Pairs([("b", 1), ("b", 1)])], [Node("a", children=(Node("b", (1,)),) * 2)]),
            ("resource", "r", [Node("resource", ("r",))]),
            ("resource", [], [Node("resource", ([],))]),  # type: ignore[arg-type]
            (
                *("resource", [{"k": 1, "name": "r", "n": 2}, "s"]),
                [Node("resource", ("r",), (("k", 1), ("n", 2))), Node("resource", ("s",))],
            ),
            ("resource", {"k": 1}, [Node("resource", (), (("k", 1),))]),
            ("desired-state", "running", [Node("desired-state", ("running",))]),
            (
                *("desired-state", {"state": "running", "name": "r"}),
                [Node("desired-state", ("running",), (("name", "r"),))],
            ),
            ("render", [], [Node("render")]),
            ("render", "x", [Node("render", ("x",))]),
        ],
    )
    def test_each_shape_has_its_nodes(self, name: str, value: object, nodes: list[Node]) -> None:
        assert list(nodes_of(name, value, (7,))) == nodes

    def test_each_stands_where_its_value_does(self) -> None:
        value = ["x", {"b": {"c": 1}}, Pairs([("d", 1), ("d", [{"e": 1}])])]
        assert stand(list(nodes_of("a", value, (7,)))) == [
            *[("a", (7, 0)), ("a", (7, 1)), ("b", (7, 1, "b")), ("c", (7, 1, "b", "c"))],
            *[("a", (7, 2)), ("d", (7, 2, 0)), ("d", (7, 2, 1, 0)), ("e", (7, 2, 1, 0, "e"))],
        ]
        for name, value in (("a", 1), ("a", [1]), ("resource", "r"), ("desired-state", {})):
            assert stand(list(nodes_of(name, value, (7,)))) == [(name, (7,))]
        assert stand(list(nodes_of("resource", ["r", {}], (7,)))) == [
            *[("resource", (7, 0)), ("resource", (7, 1))],
        ]
        assert stand(list(nodes_of("render", [{"op": "x"}, {"op": "y"}], (7,)))) == [
            *[("render", (7,)), ("x", (7, 0)), ("y", (7, 1))],
        ]

    def test_a_list_in_a_list_is_refused_where_it_stands(self) -> None:
        sentence = "found a list in a list, wanted one list"
        assert refused("a", [1, [2]]) == (sentence, (7, 1))
        assert refused("a", {"b": [{}, []]}) == (sentence, (7, "b", 1))

    def test_as_many_levels_as_there_may_be_are_read_and_one_more_is_refused(self) -> None:
        value: object = 1
        for _ in range(MAX_DEPTH - 1):
            value = {"a": value}
        assert len(stand(list(nodes_of("a", value, (7,))))) == MAX_DEPTH
        assert refused("a", {"a": value}) == (DEEP, (7, *["a"] * MAX_DEPTH))
        assert refused("a", [{"a": value}])[0] == DEEP


class TestRender:
    """An entry of ``render`` is an operation, a path and what is to lie there."""

    def entry(self, value: object) -> Node:
        [node] = nodes_of("render", [value], (7,))
        [child] = node.children
        return child

    @pytest.mark.parametrize(
        ("entry", "node"),
        [
            ({}, Node("")),
            ({"op": "x"}, Node("x")),
            ({"op": 5}, Node("-")),
            ({"op": "x", "path": "p"}, Node("x", ("p",))),
            ({"op": "x", "path": "p", "value": "v"}, Node("x", ("p", "v"))),
            ({"op": "x", "value": "v"}, Node("x", ("v",))),
            ({"op": "git-exclude", "path": "p", "value": "v"}, Node("git-exclude", ("p",))),
            ({"op": "x", "arrays": "union"}, Node("x", (), (("arrays", "union"),))),
            ({"op": "x", "arrays": "replace"}, Node("x")),
            ({"op": "x", "k": 1, "j": None}, Node("x", (), (("k", 1), ("j", None)))),
            (
                {"op": "x", "path": "p", "value": {"k": {"l": 1}}},
                Node("x", ("p",), (), (Node("k", children=(Node("l", (1,)),)),)),
            ),
        ],
    )
    def test_each_is_one_node(self, entry: object, node: Node) -> None:
        assert self.entry(entry) == node
        assert self.entry(entry).at == (7, 0)

    @pytest.mark.parametrize(
        ("entry", "sentence"),
        [
            (5, "found no object, wanted op, path and value"),
            ({"value": Pairs([("k", 1), ("k", 2)])}, "found 'k' twice, wanted it once"),
            (
                {"value": {"k": [date(1979, 5, 27)]}},
                "found date 1979-05-27, wanted text, a number or a boolean",
            ),
        ],
    )
    def test_any_other_is_refused_in_its_place(self, entry: object, sentence: str) -> None:
        assert refused("render", [{"op": "x"}, entry]) == (sentence, (7, 1))

    @pytest.mark.parametrize("lists", [True, False])
    def test_its_levels_are_bounded_too(self, lists: bool) -> None:
        value: object = {} if not lists else []
        for _ in range(MAX_DEPTH - 3):
            value = [value] if lists else {"a": value}
        assert self.entry({"value": {"a": value}}).children
        assert refused("render", [{"value": {"a": {"a": value}}}]) == (DEEP, (7, 0))
