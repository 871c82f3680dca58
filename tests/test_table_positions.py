"""catalog/table_positions.py: where a member of a table begins, in JSON and in TOML."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from catalog.kdl import Address
from catalog.table_positions import MAX_CUTS, MAX_LETTERS, JsonPlaces, TomlPlaces

JSON = '\n{"a": [1, {"b": 2,\n  "c" : "}"}, [ 5 , 6]],\r\n\t"d" : {"e":\n4} }'
TOML = """# a comment
a = 1

\t [b]
  # another
  c = [
   1,
   {d = 2},
  ]
[[e]]
x = 1

[[e]]

  y = "# no comment"
"""

BETWEEN = st.lists(st.sampled_from(("", "  ", "# b", "\t# = [")), max_size=3)
"""Lines that bring no member."""
VALUES = st.sampled_from(("1", '"# no"', "[\n  # in it\n\n  1,\n]", '"""\n\n# no\n"""'))


class TestJson:
    """The steps of an address are indices, of members and of items alike."""

    @pytest.mark.parametrize(
        ("at", "place"),
        [
            ((), (2, 1)),
            ((0,), (2, 2)),
            ((0, 0), (2, 8)),
            ((0, 1), (2, 11)),
            ((0, 1, 0), (2, 12)),
            ((0, 1, 1), (3, 3)),
            ((0, 2), (3, 15)),
            ((0, 2, 0), (3, 17)),
            ((0, 2, 1), (3, 21)),
            ((1,), (4, 2)),
            ((1, 0), (4, 9)),
        ],
    )
    def test_a_member_begins_at_its_name_and_an_item_at_itself(
        self, at: Address, place: tuple[int, int]
    ) -> None:
        assert JsonPlaces(JSON).place(at) == place

    def test_it_needs_no_blanks(self) -> None:
        places = JsonPlaces('{"a":[1,2],"b":{"c":3,"d":4}}')
        told = [places.place(at) for at in ((0,), (0, 0), (0, 1), (1,), (1, 0), (1, 1))]
        assert told == [(1, column) for column in (2, 7, 9, 12, 17, 23)]

    @pytest.mark.parametrize(("text", "at"), [(JSON, (3,)), ("", ()), (" ", ()), ('{"a"', (1,))])
    def test_what_is_not_there_has_no_place(self, text: str, at: Address) -> None:
        assert JsonPlaces(text).place(at) is None

    def test_a_longer_document_has_no_places(self) -> None:
        filled = '{"a": 1}'.ljust(MAX_LETTERS)
        assert JsonPlaces(filled).place((0,)) == (1, 2)
        assert JsonPlaces(filled + " ").place((0,)) is None


class TestToml:
    """The statement that brings a member is its place; names and indices lead to it."""

    @pytest.mark.parametrize(
        ("at", "place"),
        [
            ((), (1, 1)),
            (("a",), (2, 1)),
            (("b",), (4, 3)),
            (("b", "c"), (6, 3)),
            (("b", "c", 1, "d"), (6, 3)),
            (("e",), (10, 1)),
            (("e", 0), (10, 1)),
            (("e", 0, "x"), (11, 1)),
            (("e", 1), (13, 1)),
            (("e", 1, "y"), (15, 3)),
        ],
    )
    def test_a_member_begins_where_its_statement_does(
        self, at: Address, place: tuple[int, int]
    ) -> None:
        assert TomlPlaces(TOML).place(at) == place

    @example([(["# first", ""], "", "1")], "\r\n")
    @given(
        st.lists(st.tuples(BETWEEN, st.sampled_from(("", "\t ")), VALUES), min_size=1, max_size=4),
        st.sampled_from(("\n", "\r\n")),
    )
    def test_it_is_its_own_statement_whatever_lines_stand_between_and_however_they_end(
        self, members: list[tuple[list[str], str, str]], end: str
    ) -> None:
        lines: list[str] = []
        wanted = []
        for number, (between, indent, value) in enumerate(members):
            lines += between
            wanted.append((len(lines) + 1, len(indent) + 1))
            lines += f"{indent}m{number} = {value}".split("\n")
        places = TomlPlaces(end.join([*lines, ""]))
        assert [places.place((f"m{number}",)) for number in range(len(members))] == wanted

    @pytest.mark.parametrize("at", [("z",), ("b", "z"), ("e", 2), ("e", 0, "y"), ("b", "c", 2)])
    def test_what_is_not_there_has_no_place(self, at: Address) -> None:
        assert TomlPlaces(TOML).place(at) is None

    def test_what_is_no_toml_has_no_place_but_its_beginning(self) -> None:
        assert TomlPlaces("a = ").place(("a",)) is None
        assert TomlPlaces("a = ").place(()) == (1, 1)

    def test_a_longer_document_has_no_places(self) -> None:
        filled = "a = 1".ljust(MAX_LETTERS)
        assert TomlPlaces(filled).place(("a",)) == TomlPlaces(filled).place(()) == (1, 1)
        assert TomlPlaces(filled + " ").place(("a",)) is None
        assert TomlPlaces(filled + " ").place(()) is None

    def test_a_text_that_is_cut_too_often_is_given_up_on(self) -> None:
        """The whole, then each line inside the string is tried once."""
        for lines, place in ((MAX_CUTS, (2, 1)), (MAX_CUTS + 1, None)):
            text = 'b = 1\na = """\n' + "x\n" * (lines - 3) + '"""'
            assert TomlPlaces(text).place(("a",)) == place
