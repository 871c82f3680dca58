"""The launches that are tested: how each program is declared for one turn, and for a terminal."""

from __future__ import annotations

import json
from typing import Any

import pytest

from drivers.driver import prefix
from harness.model import anthropic, chat, responses
from harness.programs import WORDS

Body = dict[str, Any]
EACH_PROGRAM = pytest.mark.parametrize(
    "word", [pytest.param(word, marks=pytest.mark.xdist_group(word)) for word in WORDS]
)
"""One test for each. A worker has the tests of a program: two opencodes at once are a gigabyte."""
DIALECT: dict[str, Any] = {
    "claude": anthropic,
    "codex": responses,
    "pi": chat,
    "opencode": chat,
}
QUIT = {"claude": "/exit", "codex": "/quit", "pi": "/quit", "opencode": "/exit"}
"""What a person types to leave."""

AS_DECLARED = {
    "claude": ("claude-opus-5-5", "high"),
    "codex": ("other-model", "low"),
    "pi": ("other-model", "high"),
    "opencode": ("other-model", None),
}
"""Model and effort that reach the model for the declarations below; opencode has no effort."""

_WORDS = {
    "claude": 'model "opus"; effort "high"',
    "codex": 'model "other-model"; effort "low"',
    "pi": 'model "stub/other-model"; effort "high"',
    "opencode": 'model "stub/other-model"',
}
_ONE_TURN = {"claude": ("-p",), "codex": ("exec",), "pi": ("-p",)}
_TERMINAL = {"codex": ("--no-daemon",)}


def kdl(*words: str) -> str:
    """Return *words* as KDL strings."""
    return " ".join(json.dumps(word, ensure_ascii=False) for word in words)


def block(word: str, prompt: str, *args: str) -> str:
    """Return the typed block of a program."""
    given = f"args {kdl(*args)}; " if args else ""
    return f"{word} {{ {_WORDS[word]}; {given}prompt {kdl(prompt)} }}"


def one_turn(word: str, prompt: str, *args: str) -> str:
    """Return the launch of one turn without a terminal.

    opencode's block is for its terminal, so ``opencode run`` is a launch written by hand.
    """
    if word == "opencode":
        argv = ("opencode", "run", "-m", "stub/other-model", *args, prompt)
        return f"argv {kdl(*prefix('opencode-session', 'h1.w'), *argv)}"
    return block(word, prompt, *_ONE_TURN[word], *args)


def in_terminal(word: str, prompt: str, *args: str) -> str:
    """Return the launch of a session in a terminal."""
    return block(word, prompt, *_TERMINAL.get(word, ()), *args)


def prompt_of(word: str, body: Body) -> str:
    """Return the newest words of the user in a request of this program."""
    prompt: str = DIALECT[word].asked(body).prompt
    return prompt


def model_of(word: str, body: Body) -> tuple[str, str | None]:
    """Return the model and the effort that a request of this program asks for."""
    efforts = {
        "claude": body.get("output_config", {}).get("effort"),
        "codex": (body.get("reasoning") or {}).get("effort"),
        "pi": body.get("reasoning_effort"),
    }
    return body["model"], efforts.get(word)
