"""The protocol, a line in and at most one line out (case F20)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.mcp import Server, Tool, ToolFailed, check
from drivers.rpc import MAX_LINE, shown

WORDS = {"type": "object", "properties": {"word": {"type": "string", "enum": ["a", "b"]}}}
ECHO = Tool("echo", "Echo", "Says it.", {**WORDS, "required": ["word"]}, {}, writes=False)
FREE = Tool("free", "Free", "Any.", {**WORDS, "properties": {"x": {}}}, {}, writes=True)


class Called:
    """What the tools of a server were called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, object]]] = []

    def __call__(self, name: str, arguments: dict[str, object]) -> dict[str, object]:
        self.calls.append((name, arguments))
        if arguments.get("x") == "fail":
            raise ToolFailed("the tool refused")
        if arguments.get("x") == "raise":
            raise ZeroDivisionError("a secret")
        return {"told": name}


@pytest.fixture
def called() -> Called:
    return Called()


def server(call: Called, version: str | None = None) -> Server:
    made = Server([ECHO, FREE], call, version="7", instructions="Be kind.")
    if version is not None:
        ask(made, "initialize", {"protocolVersion": version})
    return made


def answer(to: Server, message: object) -> Any:
    """The one frame that answers, or None."""
    frame = to.answer(json.dumps(message).encode())
    if frame is None:
        return None
    assert frame.endswith(b"\n") and frame.count(b"\n") == 1
    return json.loads(frame)


def request(method: str, params: object = None, ident: object = 1) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": ident, "method": method, "params": params or {}}


def ask(to: Server, method: str, params: object = None) -> Any:
    return answer(to, request(method, params))


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_initialize_answers_with_the_version_asked_for(called: Called, version: str) -> None:
    opening = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "c"}}
    assert ask(server(called), "initialize", opening) == {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "st2", "title": "st2", "version": "7"},
            "instructions": "Be kind.",
        },
    }


@pytest.mark.parametrize("version", [None, 5, "", "x" * 65, ["2025-06-18"]])
def test_initialize_without_a_version_is_refused(called: Called, version: object) -> None:
    error = ask(server(called), "initialize", {"protocolVersion": version})["error"]
    found = f"protocolVersion: found {shown(version)}, wanted a version"
    assert error == {"code": -32602, "message": found}
    for letters in (1, 64):
        opening = {"protocolVersion": "x" * letters}
        assert "result" in ask(server(called), "initialize", opening)


@pytest.mark.parametrize(
    ("method", "result"),
    [("ping", {}), ("resources/list", {"resources": []}), ("prompts/list", {"prompts": []})],
)
def test_the_empty_answers(called: Called, method: str, result: object) -> None:
    assert ask(server(called), method)["result"] == result


@pytest.mark.parametrize(
    "method",
    ["server/discover", "resources/read", "resources/templates/list", "logging/setLevel", "",
     "Ping", "tools/", "subscriptions/listen", "notifications/initialized"],
)  # fmt: skip
def test_every_other_method_is_unknown_so_that_clients_fall_back_to_initialize(
    called: Called, method: str
) -> None:
    assert ask(server(called), method) == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {
            "code": -32601,
            "message": f"found method {method!r}, which this server has not",
        },
    }


def test_a_tool_is_listed_with_its_schemas_and_whether_it_writes(called: Called) -> None:
    for tool, told in zip(
        (ECHO, FREE), ask(server(called), "tools/list")["result"]["tools"], strict=True
    ):
        hints = {"destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
        annotations = {"title": tool.title, "readOnlyHint": tool is ECHO, **hints}
        names = {"name": tool.name, "title": tool.title, "description": tool.description}
        schemas = {"inputSchema": tool.input, "outputSchema": tool.output}
        assert told == {**names, **schemas, "annotations": annotations}


def test_a_call_gives_its_answer_as_structure_and_as_text(called: Called) -> None:
    params = {"name": "echo", "arguments": {"word": "a"}, "_meta": {"x": 1}}
    assert ask(server(called), "tools/call", params)["result"] == {
        "content": [{"type": "text", "text": '{"told":"echo"}'}],
        "structuredContent": {"told": "echo"},
        "isError": False,
    }
    assert called.calls == [("echo", {"word": "a"})]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "arguments: found an array, wanted an object"),
        ({}, "word: found nothing, wanted it"),
        ({"word": "c"}, "word: found 'c', wanted one of a, b"),
        ({"word": 1}, "word: found 1, wanted one of a, b"),
        ({"word": "a", "\u202e": 1}, "argument: found '\\u202e', wanted one of word"),
    ],
)
def test_arguments_that_break_the_schema_are_the_models_to_mend(
    called: Called, arguments: object, sentence: str
) -> None:
    told = ask(server(called), "tools/call", {"name": "echo", "arguments": arguments})["result"]
    assert told == {"content": [{"type": "text", "text": sentence}], "isError": True}
    assert called.calls == []


def test_a_tool_that_refuses_is_a_result_and_one_that_fails_is_an_error(called: Called) -> None:
    made = server(called)
    refused = ask(made, "tools/call", {"name": "free", "arguments": {"x": "fail"}})["result"]
    assert refused == {"content": [{"type": "text", "text": "the tool refused"}], "isError": True}
    failed = ask(made, "tools/call", {"name": "free", "arguments": {"x": "raise"}})
    sentence = "unexpected: ZeroDivisionError, a fault of st2"
    assert (failed["id"], failed["error"]) == (1, {"code": -32603, "message": sentence})
    assert ask(made, "tools/call", {"name": "free"})["result"]["isError"] is False


def test_a_text_argument_is_a_string(called: Called) -> None:
    free = {"type": "object", "properties": {"x": {"type": "string"}}}
    made = Server(
        [Tool("f", "F", "F.", free, {}, writes=True)], called, version="", instructions=""
    )
    told = ask(made, "tools/call", {"name": "f", "arguments": {"x": 1}})["result"]
    assert told["content"][0]["text"] == "x: found 1, wanted a string"


@pytest.mark.parametrize("ident", [True, None, 1.5, [1]])
def test_an_error_about_a_bad_id_has_none(called: Called, ident: object) -> None:
    assert answer(server(called), request("ping", ident=ident))["id"] is None


@pytest.mark.parametrize("name", ["ghost", None, 5, ["echo"], {}])
def test_an_unknown_tool_is_an_error(called: Called, name: object) -> None:
    error = ask(server(called), "tools/call", {"name": name})["error"]
    assert error["code"] == -32602
    assert error["message"] == f"tool: found {shown(name)}, wanted one of echo, free"


@pytest.mark.parametrize("line", [b"", b" ", b"\r", b"\t \r"])
def test_a_blank_line_is_no_message(called: Called, line: bytes) -> None:
    assert server(called).answer(line) is None


def test_a_line_that_was_too_long_is_answered(called: Called) -> None:
    frame = server(called).answer(None)
    assert frame is not None
    error = json.loads(frame)["error"]
    found = f"found a line of more than {MAX_LINE} bytes, wanted a shorter one"
    assert error == {"code": -32700, "message": found}


def test_a_call_that_comes_as_a_notification_calls_nothing(called: Called) -> None:
    message = request("tools/call", {"name": "free", "arguments": {}})
    del message["id"]
    assert answer(server(called), message) is None
    assert called.calls == []


class TestBatches:
    """The version of 2025-03-26 has them, those before and after it have not."""

    def test_each_request_is_answered_and_nothing_else(self, called: Called) -> None:
        made = server(called, "2025-03-26")
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        batch = [request("ping", ident="a"), note, 7, request("nope", ident=2)]
        told = answer(made, batch)
        assert [each["id"] for each in told] == ["a", None, 2]
        assert [each.get("error", {}).get("code") for each in told] == [None, -32600, -32601]

    def test_a_batch_of_notifications_gets_no_answer(self, called: Called) -> None:
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert answer(server(called, "2025-03-26"), [note, note]) is None

    def test_initialize_is_not_part_of_one(self, called: Called) -> None:
        batch = [request("initialize", {"protocolVersion": "2025-06-18"})]
        [told] = answer(server(called, "2025-03-26"), batch)
        sentence = "found initialize in a batch, wanted it alone"
        assert told["error"] == {"code": -32600, "message": sentence}

    @pytest.mark.parametrize(("size", "code"), [(0, -32600), (100, None), (101, -32600)])
    def test_an_empty_one_and_a_long_one_are_refused_whole(
        self, called: Called, size: int, code: int | None
    ) -> None:
        told = answer(server(called, "2025-03-26"), [request("ping")] * size)
        if code is None:
            assert len(told) == size
        else:
            sentence = f"found a batch of {size}, wanted 1 to 100 messages"
            assert (told["id"], told["error"]) == (None, {"code": code, "message": sentence})

    @pytest.mark.parametrize("version", [None, "2024-11-05", "2025-06-18", "2025-11-25"])
    def test_in_other_versions_it_is_one_invalid_request(
        self, called: Called, version: str | None
    ) -> None:
        told = answer(server(called, version), [request("tools/call", {"name": "free"})])
        sentence = f"found a batch in protocol {shown(version)}, wanted a message a line"
        assert told["error"] == {"code": -32600, "message": sentence}
        assert (told["id"], called.calls) == (None, [])


METHODS = ["initialize", "ping", "tools/list", "tools/call", "server/discover", "x\ud800"]
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "protocolVersion": st.sampled_from(["2025-03-26", "2025-11-25", 5]),
        "name": st.sampled_from(["echo", "free", "ghost"]) | JUNK,
        "arguments": st.fixed_dictionaries({}, optional={"word": JUNK, "x": JUNK}) | JUNK,
    },
)
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.sampled_from(["2.0", "2.0", "2.0", "1.0"])},
    optional={
        "id": st.integers() | st.text(max_size=3) | JUNK,
        "method": st.sampled_from(METHODS) | JUNK,
        "params": PARAMS | JUNK,
        "result": JUNK,
    },
)
LINES = st.one_of(
    st.binary(max_size=40),
    st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")),
    JUNK.map(lambda value: json.dumps(value).encode()),
    MESSAGES.map(lambda value: json.dumps(value).encode()),
    st.lists(MESSAGES | JUNK, max_size=4).map(lambda value: json.dumps(value).encode()),
)


@given(st.lists(LINES, max_size=6))
def test_no_line_raises_or_is_answered_by_anything_but_one_frame(lines: list[bytes]) -> None:
    made = server(Called())
    for line in lines:
        frame = made.answer(line)
        if frame is None:
            continue
        assert frame.isascii() and frame.count(b"\n") == 1 and frame.endswith(b"\n")
        told = json.loads(frame)
        for each in told if isinstance(told, list) else [told]:
            assert each["jsonrpc"] == "2.0" and type(each["id"]) in (str, int, type(None))
            assert sorted(each) in (["id", "jsonrpc", "result"], ["error", "id", "jsonrpc"])


def test_every_argument_that_a_tool_takes_is_named() -> None:
    with pytest.raises(ToolFailed, match=r"^argument: found 'x', wanted one of a, b$"):
        check({"x": ""}, {"properties": {"a": {}, "b": {}}})
