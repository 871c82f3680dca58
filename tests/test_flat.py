"""One JSON object, one key a line: read without `json` where it can be, never read differently."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.flat import Raw, read, render
from strategies import scalars

KEYS = st.sampled_from(("agent", "self", "v", 'a"b', "é", "a: b", "")) | st.text(max_size=6)
FIELDS = st.dictionaries(KEYS, scalars() | st.just(Raw("[1,2.5]")), max_size=6)
LINES = st.lists(
    st.sampled_from(
        [
            *('  "a": 1,', '  "a": 1', '  "b": "x",', '  "b": true', ' "a": 1,', '  "c": "x": 1,'),
            *(
                '  "d": "e\\n",',
                '  "d": -0,',
                '  "e": 01,',
                '  "f": 9999999999999999999',
                "}",
                "{",
                "",
            ),
            *('  "g": null', '  "g" : 1', '  "h": 1.0,', '  "i": " ",', "  'a': 1", '  "j": "",'),
        ]
    ),
    max_size=5,
).map(lambda lines: "\n".join(["{", *lines, "}", ""]))


@given(FIELDS)
def test_what_is_rendered_reads_back_the_same(fields: dict[str, object]) -> None:
    assert read(render(fields)) == fields


@given(FIELDS)
def test_rendered_bytes_are_json_that_any_reader_takes(fields: dict[str, object]) -> None:
    found = json.loads(render(fields), parse_constant=pytest.fail)
    assert list(found) == sorted(fields)


def by_json(text: str) -> object:
    """What `json` makes of *text*, where each key stands once and every number is one."""

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    try:
        found = json.loads(text, object_pairs_hook=unique)
    except (ValueError, AssertionError):
        return None
    return found if isinstance(found, dict) else None


@given(LINES | FIELDS.map(lambda fields: render(fields).decode()))
def test_it_reads_what_json_reads(text: str) -> None:
    found, expected = read(text.encode()), by_json(text)
    assert (found is None) == (expected is None)
    if found is not None:
        assert by_json(render(found).decode()) == expected


@given(st.binary(max_size=60) | LINES.map(str.encode))
def test_no_bytes_raise(raw: bytes) -> None:
    found = read(raw)
    assert found is None or read(render(found)) == found


def test_plain_fields_are_one_a_line_and_sorted() -> None:
    fields: dict[str, object] = {"b": None, "a": "x", "c": True, "d": -5}
    assert render(fields) == b'{\n  "a": "x",\n  "b": null,\n  "c": true,\n  "d": -5\n}\n'


@pytest.mark.parametrize(
    "raw",
    [
        *(
            b"",
            b"[]",
            b"1",
            b"null",
            b"{",
            b'{"a":1',
            b'{"a":1}x',
            b"\xff",
            b"\xef\xbb\xbf{}",
            b"{,}",
        ),
        *(b'{"a":NaN}', b'{"a":Infinity}', b'{"a":[1e999]}', b'{"a":1e999}', b"<<<<<<< o\n{}\n"),
        *(b'{"a":1,"a":2}', b'{"a":{"b":1,"b":1}}', b'{\n  "a": 1,\n  "a": 2\n}\n'),
        *(b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}", b'{"a":' + b"9" * 5000 + b"}"),
    ],
)
def test_anything_but_one_object_with_each_key_once_is_none(raw: bytes) -> None:
    assert read(raw) is None


@pytest.mark.parametrize("depth", range(940, 1000, 3))
def test_no_depth_is_read_that_cannot_be_written_back(depth: int) -> None:
    """The reader gives up at another depth than the writer, and neither may raise."""
    found = read(b'{"a":' + b"[" * depth + b"]" * depth + b"}")
    assert found is None or read(render(found)) is not Raw


@pytest.mark.parametrize(
    ("number", "kept"),
    [
        (2**63 - 1, 2**63 - 1),
        (2**63, Raw(str(2**63))),
        (-(2**63), -(2**63)),
        (-(2**63) - 1, Raw(str(-(2**63) - 1))),
    ],
)
def test_a_number_of_64_bits_is_a_number_and_a_longer_one_its_text(
    number: int, kept: object
) -> None:
    line, compact = f'{{\n  "a": {number}\n}}\n', f'{{"a":{number}}}'
    assert read(line.encode()) == read(compact.encode()) == {"a": kept}


def test_true_is_no_number() -> None:
    assert repr(read(b'{\n  "a": true\n}\n')) == "{'a': True}"
    assert read(b'{\n  "a": "true"\n}\n') == {"a": "true"}


def test_blanks_around_it_are_those_of_json_and_its_text_is_utf_8() -> None:
    assert read(b' \n\r\t{"k": "\xc3\xa9"}\t\r\n ') == {"k": "é"}
    assert read(b'\x0b{"k": 1}') is None
    assert read(b'{"k": 1}\x0c') is None
