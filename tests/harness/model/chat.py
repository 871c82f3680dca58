"""OpenAI's Chat Completions, as pi and opencode speak it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from harness.model.script import Asked, Call, Text

Event = tuple[str | None, Any]


def asked(body: dict[str, Any]) -> Asked:
    """Read a request. opencode hands a prompt with blanks on as a quoted string; that is undone."""
    prompt, results = "", 0
    for message in body["messages"]:
        if message["role"] == "tool":
            results += 1
        elif message["role"] == "user":
            prompt, results = _unquoted(_words(message["content"]).strip()), 0
    return Asked(prompt=prompt, results=results, tools=bool(body.get("tools")))


def _words(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return " ".join(part.get("text", "") for part in content)


def _unquoted(words: str) -> str:
    try:
        read = json.loads(words) if words.startswith('"') else words
    except ValueError:
        return words
    return read if isinstance(read, str) else words


def _delta(answer: Text | Call) -> tuple[dict[str, Any], str]:
    """The one delta that carries everything, and why the model stopped."""
    if isinstance(answer, Text):
        return {"role": "assistant", "content": answer.text}, "stop"
    function = {"name": answer.name, "arguments": json.dumps(answer.arguments)}
    call = {"index": 0, "id": f"call_{uuid4().hex}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"


def events(body: dict[str, Any], answer: Text | Call) -> Iterator[Event]:
    """Yield the chunks of a streamed answer."""
    delta, finish = _delta(answer)
    chunk = {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": body["model"],
    }
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
    yield None, {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield None, {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    yield None, {**chunk, "choices": [], "usage": usage}
    yield None, "[DONE]"
