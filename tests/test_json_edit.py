"""drivers/json_edit.py: change a value, leave every other byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.json_edit import Container, NotEditable, read, same, value_of

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)
STYLES = st.sampled_from(
    [
        {"indent": 2},
        {"indent": 4},
        {"indent": "\t"},
        {"separators": (",", ":")},
        {"separators": (" , ", " : ")},
        {"ensure_ascii": False},
    ]
)
TEXTS = st.builds(
    lambda value, style, lead, trail, newline: (
        lead + json.dumps(value, **style).replace("\n", newline) + trail
    ),
    VALUES,
    STYLES,
    st.sampled_from(["", "\n", "  "]),
    st.sampled_from(["", "\n", "\r\n\r\n"]),
    st.sampled_from(["\n", "\r\n"]),
)


@given(TEXTS)
def test_what_is_read_writes_itself_back(text: str) -> None:
    document = read(text)
    assert document.text() == text
    assert same(value_of(document.root), json.loads(text))


@given(st.text(alphabet='{}[]",:0123e-.tnu \n\\/*#a', max_size=14))
def test_a_text_is_read_exactly_where_json_reads_it_without_doubled_keys(text: str) -> None:
    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError("twice")
        return dict(pairs)

    try:
        json.loads(text, object_pairs_hook=unique)
    except ValueError:
        with pytest.raises(NotEditable):
            read(text)
    else:
        assert read(text).text() == text


@given(
    st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=4),
    STYLES,
    st.lists(VALUES, min_size=1, max_size=3),
)
def test_what_was_added_and_taken_out_again_leaves_the_bytes(
    whole: dict[str, object], style: dict[str, object], added: list[object]
) -> None:
    text = json.dumps(whole, **style)  # type: ignore[arg-type]
    document = read(text)
    root = document.root
    assert isinstance(root, Container)
    keys = [f"new key {n}" for n in range(len(added))]
    for key, value in zip(keys, added, strict=True):
        document.append(root, value, at="", key=key)  # type: ignore[arg-type]
    changed = document.text()
    assert same(json.loads(changed), {**whole, **dict(zip(keys, added, strict=True))})  # type: ignore[dict-item]
    for key in keys:
        part = root.find(key)
        assert part is not None
        root.drop(part)
    assert document.text() == text


def test_an_addition_is_written_as_its_neighbours_are() -> None:
    for text, wanted in [
        ('{\n    "a": 1\n}\n', '{\n    "a": 1,\n    "b": {\n        "c": 2\n    }\n}\n'),
        ('{\r\n\t"a": 1\r\n}', '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 2\r\n\t}\r\n}'),
        ('{\n\n  "a": 1\n}', '{\n\n  "a": 1,\n\n  "b": {\n    "c": 2\n  }\n}'),
        ('{"a":1}', '{"a":1, "b": {"c": 2}}'),
        ('{"a":1,"z":2}', '{"a":1,"z":2,"b": {"c": 2}}'),
        ("{}", '{\n  "b": {\n    "c": 2\n  }\n}'),
    ]:
        document = read(text)
        assert isinstance(document.root, Container)
        document.append(document.root, {"c": 2}, at="", key="b")
        assert document.text() == wanted


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1: found no value, wanted plain JSON"),
        ("{\n  // mine\n}", "line 2: found a comment, wanted plain JSON"),
        ("{} /* x */", "line 1: found a comment, wanted plain JSON"),
        ('{"a":1,}', "line 1: found no key, wanted plain JSON"),
        ("[1,]", "line 1: found no value, wanted plain JSON"),
        ('{"a":1,"a":2}', "line 1: found the key 'a' twice, wanted plain JSON"),
        ('{"a" 1}', "line 1: found no colon, wanted plain JSON"),
        ('{"a":1 "b"}', "line 1: found no comma, wanted plain JSON"),
        ('{"a":1', "line 1: found an end in the middle, wanted plain JSON"),
        ('{"a', "line 1: found a broken string, wanted plain JSON"),
        ("{} {}", "line 1: found something after its end, wanted plain JSON"),
        ("\ufeff{}", "line 1: found a byte order mark, wanted plain JSON"),
        ("NaN", "line 1: found something else, wanted plain JSON"),
        ("[" * 201 + "]" * 201, "line 1: found more than 200 levels, wanted plain JSON"),
        ('{\n"a": 1,\n"b" 2}', "line 3: found no colon, wanted plain JSON"),
        ('{\n"a": 1\n"b": 2}', "line 3: found no comma, wanted plain JSON"),
        ('{\n"a": 1,\n}', "line 3: found no key, wanted plain JSON"),
        ("[\n1,\n\n]", "line 4: found no value, wanted plain JSON"),
        ('{\n"a": nope//\n}', "line 2: found something else, wanted plain JSON"),
        ('{"a":1}\n\nx', "line 3: found something after its end, wanted plain JSON"),
        ("[1 # x", "line 1: found a comment, wanted plain JSON"),
        ("[1 /* x */]", "line 1: found a comment, wanted plain JSON"),
        ("[1 / 2]", "line 1: found no comma, wanted plain JSON"),
        ("{'a': 1}", "line 1: found no key, wanted plain JSON"),
        ('\n{"a": 1,\n"a": 2}', "line 3: found the key 'a' twice, wanted plain JSON"),
        ('["a\n"]', "line 1: found a broken string, wanted plain JSON"),
        ("[-Infinity]", "line 1: found something else, wanted plain JSON"),
        ("[1", "line 1: found an end in the middle, wanted plain JSON"),
    ],
)
def test_what_is_no_plain_json_is_refused_with_its_line(text: str, sentence: str) -> None:
    with pytest.raises(NotEditable) as refused:
        read(text)
    assert str(refused.value) == sentence


def test_two_hundred_levels_are_read_and_written_back() -> None:
    text = "[" * 200 + "]" * 200
    assert read(text).text() == text


@pytest.mark.parametrize(
    ("text", "key", "left"),
    [
        ('{"a": 1, "b": 2, "c": 3 }', "c", '{"a": 1, "b": 2 }'),
        ('{"a": 1, "b": 2 , "c": 3 }', "b", '{"a": 1, "c": 3 }'),
        ('{\n  "a": 1,\n  "b": 2\n}', "b", '{\n  "a": 1\n}'),
        ('{\n  "a": 1,\n  "b": 2\n}', "a", '{\n  "b": 2\n}'),
        ('{ "a": 1 }', "a", "{}"),
    ],
)
def test_what_is_taken_out_takes_its_comma_along(text: str, key: str, left: str) -> None:
    document = read(text)
    root = document.root
    assert isinstance(root, Container)
    part = root.find(key)
    assert part is not None and root.find("no such key") is None
    root.drop(part)
    assert document.text() == left


def test_an_element_has_no_key_and_goes_where_the_last_one_ends() -> None:
    for text, wanted in [
        ("[1 ]", "[1, [2] ]"),
        ("[1,2]", "[1,2,[2]]"),
        ("[\n\t1\n]", "[\n\t1,\n\t[\n\t\t2\n\t]\n]"),
        ("[]", "[\n  [\n    2\n  ]\n]"),
    ]:
        document = read(text)
        assert isinstance(document.root, Container)
        document.append(document.root, [2], at="")
        assert document.text() == wanted


def test_what_was_taken_out_is_not_found_any_more() -> None:
    root = read('{"a": 1, "b": 2}').root
    assert isinstance(root, Container)
    root.drop(root.parts[0])
    assert root.find("a") is None and root.find("b") is not None


@pytest.mark.parametrize(("at", "left"), [(0, "[ 2, 3 ]"), (1, "[1, 3 ]"), (2, "[1, 2 ]")])
def test_an_element_is_taken_out_by_itself(at: int, left: str) -> None:
    document = read("[1, 2, 3 ]")
    assert isinstance(document.root, Container)
    document.root.drop(document.root.parts[at])
    assert document.text() == left


def test_taking_nothing_out_of_an_empty_part_changes_nothing() -> None:
    document = read("[ ]")
    assert isinstance(document.root, Container)
    document.root.drop()
    assert document.text() == "[ ]"


def test_an_indent_is_told_by_the_first_line_of_the_file() -> None:
    for text, unit in [
        ("{}", "  "),
        ("7", "  "),
        ('{"a": 1}', "  "),
        ('{ "a": 1}', "  "),
        ('{\n"a": 1}', "  "),
        ('{\n "a": 1}', " "),
        ('{\n\n\t"a": 1}', "\t"),
        ("[\n    1]", "    "),
    ]:
        assert read(text).unit == unit
    assert (read("{}\r\n").newline, read("{}\n").newline) == ("\r\n", "\n")


def test_what_is_added_to_an_empty_part_stands_deeper_than_the_part() -> None:
    document = read('{\n    "a": {},\n    "b": 1\n}')
    assert isinstance(document.root, Container)
    part = document.root.find("a")
    assert part is not None and isinstance(part.node, Container)
    document.append(part.node, None, at="    ", key="é")
    assert document.text() == ('{\n    "a": {\n        "\\u00e9": null\n    },\n    "b": 1\n}')
    assert part.node.find("é") is not None


def test_values_are_the_same_only_where_they_are_written_alike() -> None:
    assert same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not same(1, True) and not same(1, 1.0) and not same([1, 2], [2, 1])
