"""catalog/kdl.py: any bytes give a tree or a sentence."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import kdl
from catalog.kdl import Node, Unparsed
from catalog.windows import DECLARATION_BYTES


def refused(raw: bytes) -> Unparsed:
    found = kdl.parse(raw)
    assert isinstance(found, Unparsed), found
    return found


@given(st.binary() | st.text(alphabet='a1{}"#\\/-*=;() \n\u202e\ufeff\0r').map(str.encode))
def test_any_bytes_give_a_tree_or_a_sentence(raw: bytes) -> None:
    found = kdl.parse(raw)
    assert isinstance(found, list) or (found.code and found.sentence)


def test_a_character_is_called_disallowed_exactly_when_the_parser_refuses_it() -> None:
    newlines = "\n\r\f\x85\u2028\u2029"
    for character in map(chr, [*range(0xD800), *range(0xE000, 0x10000)]):
        if character not in newlines:
            parsed = isinstance(kdl.parse(f'a #"x{character}y"#'.encode()), list)
            assert parsed is not kdl.is_disallowed(character), hex(ord(character))


def test_every_control_and_bidi_character_is_refused_with_its_escape() -> None:
    for number in range(0xD800):
        character = chr(number)
        if kdl.is_disallowed(character):
            found = refused(f'a\nb "x{character}"'.encode())
            assert found.code == "kdl-character"
            assert found.sentence == f"found U+{number:04X}, wanted an escape in its place"
            assert found.place == (2, 5)
            assert found.hint == f"write \\u{{{number:x}}} inside a string"


def test_a_leading_byte_order_mark_is_allowed_and_another_one_is_not() -> None:
    assert isinstance(kdl.parse(b"\xef\xbb\xbfa 1"), list)
    assert refused(b"a\xef\xbb\xbf 1").code == "kdl-character"
    assert refused(b"\xef\xbb\xbfa }").code == "kdl-syntax"


def test_invalid_utf8_names_its_byte() -> None:
    found = refused(b'a "\xff"')
    assert (found.code, found.sentence, found.place) == (
        *("kdl-not-utf8", "found invalid UTF-8 at byte 3, wanted UTF-8", (1, 4)),
    )


def test_a_file_of_nuls_is_a_finding() -> None:
    assert refused(b"\0" * 30).code == "kdl-character"


def test_the_size_is_bounded_on_both_sides_of_the_edge() -> None:
    assert isinstance(kdl.parse(b" " * DECLARATION_BYTES), list)
    found = refused(b" " * (DECLARATION_BYTES + 1))
    assert (found.code, found.sentence) == (
        "kdl-too-large",
        "found more than 262144 bytes, wanted fewer",
    )


@pytest.mark.parametrize("prefix", [b"", b"0x", b"0o", b"0b", b"-"])
def test_a_number_that_would_take_half_a_minute_is_refused_at_once(prefix: bytes) -> None:
    # Told before the parser: for this many digits it takes seconds, for 256 KiB half a minute.
    assert refused(b"a " + prefix + b"1" * 30_000).code == "kdl-long-number"


def test_a_thousand_digits_are_a_number_and_one_more_are_too_many() -> None:
    assert isinstance(kdl.parse(b"a " + b"1" * 1000), list)
    found = refused(b"a " + b"1" * 1001)
    assert found.code == "kdl-long-number"
    assert found.sentence == "found over 1000 digits in a row, wanted fewer"
    assert isinstance(kdl.parse(b"a 0x" + b"f" * 999), list)
    word, number = b'b "' + b"f" * 2000 + b'"\n', b"a 0x" + b"f" * 1001 + b"\n"
    for raw in (word + number, number + word):
        assert refused(raw).code == "kdl-long-number"


def test_a_long_word_of_hex_letters_is_no_number() -> None:
    assert isinstance(kdl.parse(b'a "' + b"f" * 2000 + b'"'), list)


@pytest.mark.parametrize("text", ["a {" * 80_000, "a {" * 60_000 + "}" * 60_000, "{" * 100_000])
def test_nesting_without_end_neither_crashes_nor_hangs(text: str) -> None:
    found = kdl.parse(text.encode())
    if isinstance(found, list):
        assert kdl.copy(found[0]) == Unparsed(
            "kdl-too-deep", "found more than 32 levels, wanted fewer"
        )


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a true", "write #true for true"),
        ("a k=false {b null\n}", "write #false for false, #null for null"),
        ('a r"x\\y"', 'write #"…"# for r"…"'),
        ('a r#"x"#', 'write #"…"# for r"…"'),
        (
            'a "one\ntwo"',
            'write """…""" on lines of their own for a string of several lines',
        ),
        ('a "\\/"', "write / for \\/"),
        ('Xtrue "\\/"', "write / for \\/"),
        ('a "\\"" true', "write #true for true"),
    ],
)
def test_kdl_1_is_recognised_with_the_new_spelling(text: str, hint: str) -> None:
    assert refused(text.encode()) == Unparsed("kdl-1", "found KDL 1, wanted KDL 2", hint)


def test_what_is_no_kdl_at_all_is_a_syntax_error() -> None:
    found = refused(b"a }")
    assert found.code == "kdl-syntax"
    assert found.sentence == "found no KDL 2 document (Unexpected '}'), wanted one"


def test_a_copy_is_a_plain_value_of_everything_below() -> None:
    nodes = kdl.parse(b'(t)a "x" 1 k=#true {\n    b\n}')
    assert isinstance(nodes, list)
    assert kdl.copy(nodes[0]) == Node("a", ("x", 1), (("k", True),), (Node("b"),), "t")


def test_a_copy_knows_where_each_node_stands_and_no_comparison_looks_at_it() -> None:
    nodes = kdl.parse(b"a { b; c { d; }; }")
    assert isinstance(nodes, list)
    copied = kdl.copy(nodes[0], (0,))
    assert isinstance(copied, Node)
    assert [child.at for child in copied.children] == [(0, 0), (0, 1)]
    assert copied.children[1].children[0].at == (0, 1, 0)
    assert copied.children[0] == Node("b") and "at=" not in repr(copied)


@pytest.mark.parametrize("text", ['a { b (u)"x"; }', 'a { b k=(u)"x"; }'])
def test_a_type_on_a_value_is_found_with_its_node(text: str) -> None:
    nodes = kdl.parse(text.encode())
    assert isinstance(nodes, list)
    copied = kdl.copy(nodes[0], (0,))
    assert isinstance(copied, Node)
    assert kdl.check_values(copied) == ("found a type on a value of b, wanted none", (0, 0))


def test_a_copy_follows_32_levels_and_no_more() -> None:
    for levels, sentence in ((32, None), (33, "found more than 32 levels, wanted fewer")):
        nodes = kdl.parse(b"a {" * (levels - 1) + b"a" + b"}" * (levels - 1))
        assert isinstance(nodes, list)
        copied = kdl.copy(nodes[0])
        assert copied == Unparsed("kdl-too-deep", sentence) if sentence else copied.name == "a"


def test_a_value_that_kdl_has_not_is_found_with_its_kind_and_its_node() -> None:
    day = date(1979, 5, 27)
    for args, properties in (((1, day), ()), ((), (("k", day),))):
        inner = Node("b", args, properties, at=(0, 1))  # type: ignore[arg-type]
        assert kdl.check_values(Node("a", ("x", 1, 1.5, True, None), (), (inner,))) == (
            "found date 1979-05-27 in b, wanted text, a number or a boolean",
            (0, 1),
        )


def test_a_reason_has_no_way_out_unless_one_is_given() -> None:
    assert (Unparsed("c", "s").hint, Unparsed("c", "s").place) == ("", None)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", (1, 1)),
        ("aXb", (1, 4)),
        ("a", (1, 2)),
        ("a\r\nb", (2, 2)),
        ("\r\r", (3, 1)),
        ("é\u2028日本", (2, 3)),
    ],
)
def test_a_place_counts_lines_and_letters_from_one(text: str, place: tuple[int, int]) -> None:
    assert kdl.place_after(text) == place
