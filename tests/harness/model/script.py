"""What the model answers: the prompt itself says so, by marks.

``((call NAME {"json": "arguments"}))`` asks for a tool call. Several are made one after the other,
each when the result of the one before it has arrived. ``((say TEXT))`` is the text at the end,
``((fail CODE))`` an HTTP status in place of an answer, and ``((hold NAME))`` makes the answer wait
until the test says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_CALL = re.compile(r"\(\(call (?P<name>[\w./:-]+) (?=\{)")
_SAY = re.compile(r"\(\(say (?P<text>.*?)\)\)", re.DOTALL)
_FAIL = re.compile(r"\(\(fail (?P<code>\d{3})\)\)")
_HOLD = re.compile(r"\(\(hold (?P<name>[a-z0-9-]+)\)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request, whatever dialect it came in: the newest words of the user and what came since.

    ``results`` counts the tool results after those words; ``tools`` says whether any may be called.
    """

    prompt: str
    results: int
    tools: bool


@dataclass(frozen=True, slots=True)
class Text:
    """An answer of words, which ends the turn."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """An answer that calls one tool."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Failure:
    """No answer, but this HTTP status."""

    code: int


def answer(asked: Asked) -> Text | Call | Failure:
    """Return what *asked* is answered with. Chores without tools (a title, a summary) get words."""
    if not asked.tools:
        return Text("a chore")
    if failing := _FAIL.search(asked.prompt):
        return Failure(int(failing["code"]))
    calls = list(_calls(asked.prompt))
    if asked.results < len(calls):
        return calls[asked.results]
    if saying := _SAY.search(asked.prompt):
        return Text(saying["text"])
    return Text(f"heard: {asked.prompt}")


def hold(asked: Asked) -> str | None:
    """Return the name that the first answer to *asked* waits for."""
    found = _HOLD.search(asked.prompt)
    return found["name"] if found and asked.tools and not asked.results else None


def _calls(prompt: str) -> Iterator[Call]:
    for found in _CALL.finditer(prompt):
        arguments, _ = json.JSONDecoder().raw_decode(prompt, found.end())
        yield Call(found["name"], arguments)
