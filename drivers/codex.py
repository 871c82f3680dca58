"""``codex``: OpenAI's Codex. ``--`` keeps a prompt that starts with a dash a prompt.

Its activity is the growth of its rollout file, which needs nothing of the user. ``notify`` tells
of the end of a turn at once; it belongs into the user's own configuration, so it is only shown.
"""

from __future__ import annotations

from typing import Literal

from catalog.verbs import VERBS
from drivers.block import BlockModel
from drivers.driver import About, Facts, Render, Settings, flags

NOTIFY = 'notify = ["st2", "driver", "hook", "codex", "notify"]'
"""Codex adds one word to it, the JSON of the event."""


class CodexBlock(BlockModel):
    """The fields of a ``codex`` block; effort has no flag of its own, it is a setting."""

    harness: Literal["codex"]
    model: str | None = None
    effort: str | None = None
    prompt: str
    args: tuple[str, ...] = ()


class Codex:
    """Launches codex with the block's flags first, so that a repeat in ``args`` wins."""

    verb = VERBS["codex"]
    about = About(
        activity="transcript",
        tested="0.171.0",
        settings=Settings(file="$CODEX_HOME/config.toml", lines=(NOTIFY,)),
    )

    def provider(self, block: CodexBlock, facts: Facts) -> tuple[str, ...]:
        """Return ``codex [--model M] [-c model_reasoning_effort=E] args… -- PROMPT``."""
        effort = None if block.effort is None else f"model_reasoning_effort={block.effort}"
        typed = flags(("--model", block.model), ("-c", effort))
        return ("codex", *typed, *block.args, "--", block.prompt)

    def render(self, block: CodexBlock, facts: Facts) -> tuple[Render, ...]:
        """Return nothing: codex keeps its settings outside the workspace."""
        return ()
