"""``codex``: OpenAI's Codex. ``--`` keeps a prompt that starts with a dash a prompt."""

from __future__ import annotations

from catalog.kdl import Node
from drivers.block import BlockModel, read
from drivers.driver import Facts, Render


class CodexBlock(BlockModel):
    """The fields of a ``codex`` block; effort has no flag of its own, it is a setting."""

    model: str | None = None
    effort: str | None = None
    prompt: str
    args: tuple[str, ...] = ()


class Codex:
    """Launches codex with the block's flags first, so that a repeat in ``args`` wins."""

    verb = "codex"

    def provider(self, fields: tuple[Node, ...], facts: Facts) -> tuple[str, ...]:
        """Return ``codex [--model M] [-c model_reasoning_effort=E] args… -- PROMPT``."""
        block = read(CodexBlock, "codex", fields, facts)
        words = ["codex"]
        if block.model is not None:
            words += ["--model", block.model]
        if block.effort is not None:
            words += ["-c", f"model_reasoning_effort={block.effort}"]
        return (*words, *block.args, "--", block.prompt)

    def render(self, fields: tuple[Node, ...], facts: Facts) -> tuple[Render, ...]:
        """Return nothing: codex keeps its settings outside the workspace."""
        return ()
