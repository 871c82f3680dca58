"""Lines to messages: every byte string is one or is refused, and no line is kept beyond a limit."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers import rpc
from drivers.rpc import Lines, Refused


def cut(chunks: list[bytes], limit: int) -> list[bytes | None]:
    lines = Lines(limit)
    return [line for chunk in chunks for line in lines.feed(chunk)] + lines.end()


@given(st.lists(st.binary(max_size=12) | st.sampled_from([b"\n", b"a\n\n", b"\r\n"]), max_size=8))
def test_a_stream_gives_the_same_lines_in_whatever_chunks_it_comes(chunks: list[bytes]) -> None:
    whole = b"".join(chunks).split(b"\n")
    wanted = whole if whole[-1] else whole[:-1]
    assert cut(chunks, limit=1_000) == wanted
    assert cut([bytes([byte]) for byte in b"".join(chunks)], limit=1_000) == wanted


@pytest.mark.parametrize("chunk", [1, 3, 64])
def test_a_line_of_the_limit_is_kept_and_one_byte_more_is_not(chunk: int) -> None:
    stream = b"12345678\n123456789\n1234\n123456789"
    chunks = [stream[at : at + chunk] for at in range(0, len(stream), chunk)]
    assert cut(chunks, limit=8) == [b"12345678", None, b"1234", None]


def test_of_a_line_that_never_ends_nothing_is_kept() -> None:
    lines = Lines(limit=100)
    for _ in range(1_000):
        assert lines.feed(b"x" * 60) == []
    assert len(lines._kept) <= 100
    assert lines.feed(b"\n{}\n") == [None, b"{}"]


@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_are_a_value_or_a_parse_error(line: bytes) -> None:
    try:
        rpc.parse(line)
    except Refused as refused:
        assert refused.code == -32700


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"nul", b"NaN", b"[Infinity]", b"{} {}", b"\xff", b'"\xc3"', b"[" * 100_000,
     b"1" * 5_000],
    ids=lambda line: line[:12],
)  # fmt: skip
def test_what_is_no_json_is_a_parse_error(line: bytes) -> None:
    with pytest.raises(Refused) as refused:
        rpc.parse(line)
    assert (refused.value.code, str(refused.value)) == (
        *(-32700, "found no JSON in UTF-8, wanted one message a line"),
    )


@pytest.mark.parametrize(
    ("message", "code", "sentence"),
    [
        (7, -32600, "found no JSON-RPC 2.0 object, wanted one"),
        ({"id": 1, "method": "ping"}, -32600, "found no JSON-RPC 2.0 object, wanted one"),
        ({"jsonrpc": "2.0", "id": 1}, -32600, "method: found nothing, wanted a string"),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, -32600, "method: found 5, wanted a string"),
        *[
            (
                {"jsonrpc": "2.0", "id": ident, "method": "ping"},
                -32600,
                f"id: found {told}, wanted a string or an integer",
            )
            for ident, told in ((None, "nothing"), (True, "true"), (1.5, "1.5"), ({}, "an object"))
        ],
        (
            {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]},
            *(-32602, "params: found an array, wanted an object"),
        ),
    ],
)
def test_a_message_that_is_no_request_is_refused(message: object, code: int, sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        rpc.request(message)
    assert (refused.value.code, str(refused.value)) == (code, sentence)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "set_status"}},
        {"jsonrpc": "2.0", "method": "x", "params": 5},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": ""}},
    ],
)
def test_a_notification_and_an_answer_get_none(message: object) -> None:
    assert rpc.request(message) is None


def test_a_request_may_come_without_params_or_with_null() -> None:
    asked = {"jsonrpc": "2.0", "id": "x", "method": "ping"}
    assert rpc.request(asked) == rpc.request({**asked, "params": None})


def test_a_method_makes_a_request_whatever_stands_beside_it() -> None:
    assert rpc.request({"jsonrpc": "2.0", "id": 1, "method": "ping", "result": {}}) is not None


@given(st.text() | st.integers())
def test_a_frame_is_one_ascii_line_of_json_whatever_is_in_it(ident: str | int) -> None:
    frame = rpc.frame(rpc.error(ident, Refused(-32600, "found \u202e")))
    assert frame.isascii() and frame.count(b"\n") == 1 and frame.endswith(b"\n")
    assert json.loads(frame)["id"] == ident


def test_a_request_carries_its_id_its_method_and_its_params() -> None:
    asked = {"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": [1]}}
    found = rpc.request(rpc.parse(json.dumps(asked).encode()))
    assert found == rpc.Request(7, "ping", {"a": [1]})
    assert rpc.request({**asked, "params": {}}) == rpc.Request(7, "ping", {})


def test_an_answer_carries_the_id_and_either_a_result_or_an_error() -> None:
    assert rpc.result("x", {"a": 1}) == {"jsonrpc": "2.0", "id": "x", "result": {"a": 1}}
    assert rpc.error(None, Refused(-32601, "found é")) == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32601, "message": "found é"},
    }
    assert rpc.frame({"a": "é"}) == b'{"a":"\\u00e9"}\n'


@pytest.mark.parametrize(
    ("message", "ident"),
    [
        ({"id": 0}, 0),
        ({"id": "x"}, "x"),
        *((message, None) for message in ({"id": True}, {"id": 1.5}, {"id": None}, {}, 7, ["id"])),
    ],
)
def test_an_error_has_the_id_of_the_message_where_it_is_one(
    message: object, ident: str | int | None
) -> None:
    assert rpc.ident_of(message) == ident


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("é" * 60, ascii("é" * 60)),
        ("x" * 61, f"'{'x' * 60}'..."),
        ([], "an array"),
        ({}, "an object"),
        (None, "nothing"),
        (False, "false"),
        (True, "true"),
        (10**59, "1" + "0" * 59),
        (10**60, "1" + "0" * 59),
    ],
    ids=["60", "61", "array", "object", "nothing", "false", "true", "60 digits", "61 digits"],
)
def test_what_was_found_is_told_in_bounded_letters(value: object, told: str) -> None:
    assert rpc.shown(value) == told


def test_a_line_of_a_mebibyte_is_kept() -> None:
    lines = Lines()
    line = b"x" * 1_048_576
    assert lines.feed(line + b"\n" + line + b"x\n" + line) == [line, None]
    assert lines.end() == [line]
    assert lines.end() == []
