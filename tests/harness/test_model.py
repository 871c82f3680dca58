"""The stub itself: what it understands of each dialect, and what it answers."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness import jsonl
from harness.model import anthropic, chat, responses
from harness.model.script import Asked, Call, Failure, Text, answer, hold

CALLS = '((call Bash {"command": "echo )) }"})) ((call Read {"path": "a"})) ((say done))'
USER, TOOLS = {"role": "user"}, [{"name": "Bash"}]


def asked(prompt: str, results: int = 0, tools: bool = True) -> Asked:
    return Asked(prompt=prompt, results=results, tools=tools)


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        (0, Call("Bash", {"command": "echo )) }"})),
        (1, Call("Read", {"path": "a"})),
        (2, Text("done")),
    ],
)
def test_calls_are_made_in_order_and_then_it_speaks(results: int, expected: object) -> None:
    assert answer(asked(CALLS, results)) == expected


def test_without_marks_it_repeats_and_a_failure_is_what_it_says() -> None:
    assert answer(asked("a task")) == Text("heard: a task")
    assert answer(asked("now ((fail 529))")) == Failure(529)


def test_a_chore_without_tools_is_neither_a_call_nor_held() -> None:
    chore = asked(CALLS + "((hold it))", tools=False)
    assert answer(chore) == Text("a chore")
    assert (hold(chore), hold(asked("((hold it))")), hold(asked("((hold it))", 1))) == (
        *(None, "it", None),
    )


def test_messages_are_read_without_what_the_program_adds() -> None:
    said = [{"type": "text", "text": "<system-reminder>x</system-reminder>"}]
    told = [*said, {"type": "text", "text": "a task"}]
    result = {"type": "tool_result", "tool_use_id": "1", "content": "x"}
    messages = [{**USER, "content": told}, {**USER, "content": [result, *said]}]
    body = {"messages": messages, "tools": TOOLS}
    assert anthropic.asked(body) == asked("a task", 1)
    messages.append({**USER, "content": "another"})
    assert anthropic.asked(body) == asked("another")


def test_responses_are_read_without_what_the_program_adds() -> None:
    around = {**USER, "content": [{"text": "<environment_context>x</environment_context>"}]}
    task = {**USER, "content": [{"text": "<image>"}, {"text": "a task"}]}
    items = [around, task, around, {"type": "function_call_output"}]
    assert responses.asked({"input": items, "tools": TOOLS}) == asked("a task", 1)


def test_chat_is_read_and_a_quoted_prompt_is_what_was_quoted() -> None:
    messages = [{**USER, "content": [{"text": json.dumps('say "hi" there')}]}, {"role": "tool"}]
    assert chat.asked({"messages": messages}) == asked('say "hi" there', 1, tools=False)
    assert chat.asked({"messages": [{**USER, "content": '"half'}]}).prompt == '"half'


def post(rooms: Path, path: str, body: Any) -> list[str]:
    port = (rooms / "port").read_text()
    url = f"http://127.0.0.1:{port}{path}"
    headers = {"x-api-key": "sk-secret", "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=90) as reply:
        return reply.read().decode().splitlines()


def said(lines: list[str]) -> Iterator[Any]:
    return (json.loads(line[6:]) for line in lines if line.startswith("data: {"))


@pytest.mark.parametrize(
    ("path", "request_", "last"),
    [
        ("/v1/messages", {"messages": []}, "message_stop"),
        ("/v1/responses", {"input": []}, "response.completed"),
    ],
)
def test_a_stream_ends_as_its_dialect_does(
    rooms: Path, path: str, request_: dict[str, Any], last: str
) -> None:
    events = list(said(post(rooms, f"/ends{path}", {"model": "m", "stream": True, **request_})))
    assert events[-1]["type"] == last


def test_what_was_asked_is_written_down_in_its_room_without_its_key(rooms: Path) -> None:
    body = {"model": "m", "stream": True, "messages": []}
    assert post(rooms, "/a-room/v1/chat/completions?x=1", body)[-2] == "data: [DONE]"
    log = (rooms / "a-room" / "requests.jsonl").read_text()
    entry = json.loads(log)
    assert (entry["path"], entry["body"]) == ("/v1/chat/completions", body)
    assert entry["headers"]["x-api-key"] == "(masked)" and "sk-secret" not in log


def test_a_failure_and_an_unknown_path_are_errors_of_http(rooms: Path) -> None:
    failing = [{**USER, "content": "((fail 429))"}]
    body = {"model": "m", "stream": True, "messages": failing, "tools": TOOLS}
    for path, code in (("/b/v1/messages", 429), ("/b/v1/nothing", 404), ("/../v1/messages", 404)):
        with pytest.raises(urllib.error.HTTPError) as refused:
            post(rooms, path, body)
        assert refused.value.code == code
        refused.value.close()


def test_a_line_that_is_being_written_is_not_there_yet(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert jsonl.read(log) == []
    log.write_bytes(b'{"a": 1}\n{"b"')
    assert jsonl.read(log) == [{"a": 1}]
