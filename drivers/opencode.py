"""``opencode``: its prompt is a flag's value, joined by ``=``, so that any text stays a prompt."""

from __future__ import annotations

from typing import ClassVar, Literal

from catalog.verbs import VERBS
from drivers.block import BlockModel
from drivers.driver import About, Facts, Render, flags


class OpencodeBlock(BlockModel):
    """The fields of an ``opencode`` block."""

    has_no: ClassVar[dict[str, str]] = {"effort": "opencode has no effort axis"}

    harness: Literal["opencode"]
    model: str | None = None
    prompt: str
    args: tuple[str, ...] = ()


class Opencode:
    """Launches opencode with the block's flags first, so that a repeat in ``args`` wins."""

    verb = VERBS["opencode"]
    about = About(activity="transcript", tested="1.18.33")

    def provider(self, block: OpencodeBlock, facts: Facts) -> tuple[str, ...]:
        """Return ``opencode [--model M] args… --prompt=PROMPT``."""
        typed = flags(("--model", block.model))
        return ("opencode", *typed, *block.args, f"--prompt={block.prompt}")

    def render(self, block: OpencodeBlock, facts: Facts) -> tuple[Render, ...]:
        """Return nothing: opencode reads nothing of ours."""
        return ()
