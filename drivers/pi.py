"""``pi``: the pi coding agent.

It knows no ``--`` (tried: the word after it is swallowed as that flag's value), so a prompt that
looks like a flag, or like ``@file``, cannot reach it and is refused.
"""

from __future__ import annotations

from typing import Literal

from pydantic import field_validator

from catalog.verbs import VERBS
from drivers.block import BlockModel
from drivers.driver import About, BadNode, Facts, Render, flags


def positional(prompt: str, harness: str) -> str:
    """Return *prompt* where *harness* would take it for one, else raise :class:`BadNode`."""
    if not prompt.startswith(("-", "@")):
        return prompt
    kind = "a flag" if prompt[0] == "-" else "the name of a file"
    found = f"found {prompt[0]!a} in front, which {harness} takes for {kind}"
    raise BadNode(f"{found}, wanted another first letter", "begin with a word or a blank")


class PiBlock(BlockModel):
    """The fields of a ``pi`` block; effort is what pi calls thinking."""

    harness: Literal["pi"]
    model: str | None = None
    effort: str | None = None
    prompt: str
    args: tuple[str, ...] = ()

    @field_validator("prompt")
    @classmethod
    def _prompt(cls, prompt: str) -> str:
        return positional(prompt, "pi")


class Pi:
    """Launches pi with the block's flags first, so that a repeat in ``args`` wins."""

    verb = VERBS["pi"]
    about = About(activity="transcript", tested="0.73.1")

    def provider(self, block: PiBlock, facts: Facts) -> tuple[str, ...]:
        """Return ``pi [--model M] [--thinking E] args… PROMPT``."""
        typed = flags(("--model", block.model), ("--thinking", block.effort))
        return ("pi", *typed, *block.args, block.prompt)

    def render(self, block: PiBlock, facts: Facts) -> tuple[Render, ...]:
        """Return nothing: pi reads nothing of ours."""
        return ()
