"""OpenAI's Responses, as Codex speaks it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from harness.model.script import Asked, Call, Text

Event = tuple[str | None, Any]


def asked(body: dict[str, Any]) -> Asked:
    """Read a request. What codex adds to the user's words is in parts of their own, each a tag."""
    prompt, results = "", 0
    for item in body["input"]:
        if item.get("type", "").endswith("_call_output"):
            results += 1
        elif item.get("role") == "user":
            parts = [part.get("text", "").strip() for part in item["content"]]
            words = " ".join(part for part in parts if part and not part.startswith("<"))
            if words:
                prompt, results = words, 0
    return Asked(prompt=prompt, results=results, tools=bool(body.get("tools")))


def _item(answer: Text | Call) -> dict[str, Any]:
    """The output item. ``mcp__SERVER/TOOL`` is a tool inside the namespace of its server."""
    if isinstance(answer, Text):
        part = {"type": "output_text", "text": answer.text, "annotations": []}
        return {
            "type": "message",
            "id": f"msg_{uuid4().hex}",
            "role": "assistant",
            "content": [part],
        }
    namespace, _, name = answer.name.rpartition("/")
    call: dict[str, Any] = {
        "type": "function_call",
        "id": f"fc_{uuid4().hex}",
        "call_id": f"call_{uuid4().hex}",
        "name": name,
        "arguments": json.dumps(answer.arguments),
    }
    return {**call, "namespace": namespace} if namespace else call


def events(body: dict[str, Any], answer: Text | Call) -> Iterator[Event]:
    """Yield the events of a streamed answer."""
    item = {**_item(answer), "status": "completed"}
    response = {
        "id": f"resp_{uuid4().hex}",
        "object": "response",
        "created_at": int(time.time()),
        "model": body["model"],
    }
    usage = {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12}
    begun = {**response, "status": "in_progress", "output": []}
    done = {**response, "status": "completed", "output": [item], "usage": usage}
    for number, each in enumerate(
        (
            {"type": "response.created", "response": begun},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": done},
        )
    ):
        yield str(each["type"]), {**each, "sequence_number": number}
