"""Anthropic's Messages, as Claude Code speaks it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from harness.model.script import Asked, Call, Text

_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_USAGE = {
    "input_tokens": 9,
    "output_tokens": 3,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}
Event = tuple[str | None, Any]


def asked(body: dict[str, Any]) -> Asked:
    """Read a request. What the program adds to the user's words (reminders) is not theirs."""
    prompt, results = "", 0
    for message in body["messages"]:
        blocks = message["content"]
        if isinstance(blocks, str):
            blocks = [{"type": "text", "text": blocks}]
        if message["role"] != "user":
            continue
        answered = sum(block["type"] == "tool_result" for block in blocks)
        words = " ".join(block["text"] for block in blocks if block["type"] == "text")
        words = _REMINDER.sub("", words).strip()
        if answered:
            results += answered
        elif words:
            prompt, results = words, 0
    return Asked(prompt=prompt, results=results, tools=bool(body.get("tools")))


def _block(answer: Text | Call) -> tuple[dict[str, Any], dict[str, Any], str]:
    """The block as it begins, the delta that fills it, and why the model stopped."""
    if isinstance(answer, Text):
        text = {"type": "text_delta", "text": answer.text}
        return {"type": "text", "text": ""}, text, "end_turn"
    call = {"type": "tool_use", "id": f"toolu_{uuid4().hex}", "name": answer.name, "input": {}}
    filled = {"type": "input_json_delta", "partial_json": json.dumps(answer.arguments)}
    return call, filled, "tool_use"


def events(body: dict[str, Any], answer: Text | Call) -> Iterator[Event]:
    """Yield the events of a streamed answer."""
    block, delta, stop = _block(answer)
    message = {
        "id": f"msg_{uuid4().hex}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _USAGE,
    }
    ended = {"stop_reason": stop, "stop_sequence": None}
    for each in (
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ):
        yield str(each["type"]), each
