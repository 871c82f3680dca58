"""``gemini``: Google's Gemini CLI. Its prompt is a flag's value, joined by ``=``.

Tried with 0.61.0: ``-i`` before a prompt that starts with a dash is refused; joined, dashes,
quotes and line ends reach the model as they are.

Its hooks stand in the user's own settings, so the lines for them are only shown.
"""

from __future__ import annotations

import json
from typing import ClassVar, Literal

from catalog.verbs import VERBS
from drivers.block import BlockModel
from drivers.driver import About, Facts, Render, Settings, flags

HOOK_EVENTS = ("SessionStart", "BeforeAgent", "BeforeModel", "AfterAgent", "SessionEnd")
"""Beginnings and ends of work; ``AfterModel`` fires for each piece of an answer."""


class GeminiBlock(BlockModel):
    """The fields of a ``gemini`` block."""

    has_no: ClassVar[dict[str, str]] = {"effort": "gemini has no effort axis"}

    harness: Literal["gemini"]
    model: str | None = None
    prompt: str
    args: tuple[str, ...] = ()


def settings() -> Settings:
    """Return the hooks that its user may add to his own settings."""

    def hooks(event: str) -> object:
        command = f"st2 driver hook gemini {event}"
        return [{"hooks": [{"type": "command", "command": command}]}]

    value = {"hooks": {event: hooks(event) for event in HOOK_EVENTS}}
    lines = json.dumps(value, indent=2).splitlines()
    return Settings(file="~/.gemini/settings.json", lines=tuple(lines))


class Gemini:
    """Launches gemini with the block's flags first, so that a repeat in ``args`` wins."""

    verb = VERBS["gemini"]
    about = About(activity="user-hooks", tested="0.61.0", settings=settings())

    def provider(self, block: GeminiBlock, facts: Facts) -> tuple[str, ...]:
        """Return ``gemini [--model M] args… --prompt-interactive=PROMPT``, the long ``-i``."""
        typed = flags(("--model", block.model))
        return ("gemini", *typed, *block.args, f"--prompt-interactive={block.prompt}")

    def render(self, block: GeminiBlock, facts: Facts) -> tuple[Render, ...]:
        """Return nothing: a workspace's settings are the user's."""
        return ()
