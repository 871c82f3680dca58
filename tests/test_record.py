"""The two-line record: exactly the bytes that are written, every other kept apart by its class."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from catalog.record import (
    LARGEST_STAMP_MS,
    SETTABLE,
    Invalid,
    Legacy,
    Literal,
    Malformed,
    Newer,
    Record,
    as_written,
    is_settable,
    parse,
    parse_any,
    render,
)
from strategies import record_bytes, stamps, tokens, words

FORM = re.compile(rb"([a-z]+)\nv1 (0|[1-9][0-9]{0,18})\n", re.ASCII)
NEWER = re.compile(rb"v([2-9]|[1-9][0-9]{1,3})( .*)?", re.ASCII | re.DOTALL)


@given(words(), stamps())
def test_what_is_rendered_parses_to_itself(word: str, stamp_ms: int) -> None:
    assert parse(render(word, stamp_ms)) == Record(word, stamp_ms)


@example(b"busy\nv1 05\n")
@given(record_bytes() | st.binary(max_size=300))
def test_whatever_parses_as_a_record_is_byte_for_byte_what_would_be_rendered(raw: bytes) -> None:
    parsed = parse(raw)
    if isinstance(parsed, Record):
        assert render(parsed.word, parsed.stamp_ms) == raw


@example(b"busy\nv1 05\n")
@given(record_bytes() | st.binary(max_size=300))
def test_every_file_has_the_class_that_the_grammar_gives_it(raw: bytes) -> None:
    first, newline, rest = raw.partition(b"\n")
    form = FORM.fullmatch(raw)
    if first == b"unknown":
        assert parse(raw) == Literal()
    elif first not in {word.encode() for word in SETTABLE}:
        assert parse(raw) == Invalid()
    elif not newline or not rest:
        assert parse(raw) == Legacy(first.decode())
    elif NEWER.fullmatch(rest.partition(b"\n")[0]):
        assert isinstance(parse(raw), Newer)
    elif form and int(form[2]) < 2**63 and len(raw) <= 256:
        assert parse(raw) == Record(first.decode(), int(form[2]))
    else:
        assert parse(raw) == Malformed(first.decode())


@example(b"busy\nv2 " + b"x" * 400, 400)
@example(b"busy\nv1 5\n" + b"x" * 400, 400)
@given(record_bytes(), st.integers(257, 400))
def test_bytes_past_the_limit_never_change_a_class_that_is_settled(raw: bytes, at: int) -> None:
    assert type(parse(raw[:257])) is type(parse(raw[:at]))


@pytest.mark.parametrize(
    "second",
    [
        *("\n", "v1\n", "v1 \n", "v1 x\n", "v1 -5\n", "v1 +5\n", "v1 1.5\n", "v1  5\n", "v1\t5\n"),
        *("v1 5 6\n", "v1 05\n", "v1 00\n", "v1 5\r\n", "v1 5\nmore\n", "v1 5\n\n", "v1 5"),
        *(f"v1 {'9' * 30}\n", f"v1 {'9' * 5000}\n", f"v1 {2**63}\n", "v1 5\n" + " " * 300),
        *(
            "v0 5\n",
            "v01 5\n",
            "v02 5\n",
            "v10000 5\n",
            "V2 5\n",
            "v2x\n",
            "v2\r\n",
            "v1 ٣\n",
            "\0\n",
        ),
    ],
)
def test_a_good_word_and_a_line_two_of_no_version_is_malformed(second: str) -> None:
    """Case C11."""
    assert parse(f"busy\n{second}".encode()) == Malformed("busy")


@pytest.mark.parametrize(
    ("second", "version"),
    [("v2 5\n", 2), ("v2", 2), ("v2\n", 2), ("v9 x y z", 9), ("v10 5\n", 10), ("v9999\n", 9999)],
)
def test_a_later_version_is_newer_and_not_malformed(second: str, version: int) -> None:
    assert parse(f"busy\n{second}".encode()) == Newer("busy", version)


def test_a_later_version_is_newer_even_past_256_bytes() -> None:
    assert parse(b"busy\nv2 " + b"x" * 300) == Newer("busy", 2)


@pytest.mark.parametrize(
    "raw",
    [
        *(
            b"",
            b"\n",
            b" available\n",
            b"AVAILABLE\n",
            b"available\r\n",
            b"available \n",
            b"\xff\n",
        ),
        *(
            b"\0" * 30,
            b"\0" * 257,
            b"avail\0able\nv1 5\n",
            b"\xef\xbb\xbfbusy\n",
            b"idle\n",
            b"Unknown\n",
        ),
    ],
)
def test_line_one_that_is_no_word_of_ours_is_invalid(raw: bytes) -> None:
    """Case C13."""
    assert parse(raw) == Invalid()


def test_the_derived_word_written_out_has_a_class_of_its_own_whatever_follows() -> None:
    """Case C14."""
    assert [parse(raw) for raw in (b"unknown", b"unknown\n", b"unknown\nv1 5\n")] == [Literal()] * 3


def test_a_good_word_alone_is_legacy_with_and_without_its_newline() -> None:
    assert [parse(b"dnd"), parse(b"dnd\n")] == [Legacy("dnd"), Legacy("dnd")]


def test_a_nul_on_line_two_is_malformed_and_not_invalid() -> None:
    assert parse(b"busy\n" + b"\0" * 30) == Malformed("busy")


@pytest.mark.parametrize(
    ("stamp", "parsed"),
    [
        (LARGEST_STAMP_MS, Record("busy", 2**63 - 1)),
        (LARGEST_STAMP_MS + 1, Malformed("busy")),
        (0, Record("busy", 0)),
    ],
)
def test_the_largest_stamp_is_the_largest_that_64_bits_hold(stamp: int, parsed: object) -> None:
    assert parse(b"busy\nv1 %d\n" % stamp) == parsed


def test_a_record_has_at_most_256_bytes_to_the_byte() -> None:
    for letter in "t-":
        token = letter * (256 - len("\nv1 5\n"))
        assert parse(render(token, 5), lambda _: True) == Record(token, 5)
        assert parse(render(token + "t", 5), lambda _: True) == Malformed(token + "t")


def test_render_keeps_a_stamp_within_what_can_be_read() -> None:
    assert render("busy", -1) == b"busy\nv1 0\n"
    assert render("busy", 2**63) == b"busy\nv1 9223372036854775807\n"


@given(tokens() | st.just("unknown"), stamps())
def test_a_record_of_another_question_may_hold_any_word_of_its_own(token: str, stamp: int) -> None:
    assert parse(render(token, stamp), lambda _: True) == Record(token, stamp)


def test_the_settable_words_are_five_and_unknown_is_none_of_them() -> None:
    assert SETTABLE == ("offline", "available", "busy", "away", "dnd")
    assert not is_settable("unknown")


class TestTheShortWay:
    """What is read by the short way is what the whole table says."""

    @example(b"busy\nv1 0\n")
    @example(b"busy\nv1 05\n")
    @example(b"busy\nv1 9223372036854775807\n")
    @example(b"busy\nv1 123456789012345678\n")
    @example(b"busy\nv1 \n")
    @example(b"busy\nv1 5\n\n")
    @example(b"busy\nv1 5")
    @example(b"busy\nv1 1\nv1 2\n")
    @example(b"unknown\nv1 5\n")
    @example("búsy\nv1 5\n".encode())
    @given(record_bytes() | st.binary(max_size=300))
    def test_both_say_the_same_of_any_bytes(self, raw: bytes) -> None:
        for is_word in (is_settable, lambda word: True):
            assert parse(raw, is_word) == parse_any(raw, is_word)

    @given(words(), st.integers(1, 10**18 - 1))
    def test_what_we_write_takes_it(self, word: str, stamp_ms: int) -> None:
        assert as_written(render(word, stamp_ms)) == Record(word, stamp_ms)

    @pytest.mark.parametrize(("longest", "short"), [(256, True), (257, False)])
    def test_a_word_that_makes_the_record_too_long_is_left_to_the_table(
        self, longest: int, short: bool
    ) -> None:
        raw = b"a" * (longest - len(b"\nv1 5\n")) + b"\nv1 5\n"
        assert (as_written(raw) is not None) is short
