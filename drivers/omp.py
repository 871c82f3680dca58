"""``omp``: oh-my-pi, a fork of pi, with pi's words and pi's rule for a prompt."""

from __future__ import annotations

from typing import Literal

from pydantic import field_validator

from catalog.verbs import VERBS
from drivers.block import BlockModel
from drivers.driver import About, Facts, Render, flags
from drivers.pi import positional


class OmpBlock(BlockModel):
    """The fields of an ``omp`` block; effort is what omp calls thinking."""

    harness: Literal["omp"]
    model: str | None = None
    effort: str | None = None
    prompt: str
    args: tuple[str, ...] = ()

    @field_validator("prompt")
    @classmethod
    def _prompt(cls, prompt: str) -> str:
        return positional(prompt, "omp")


class Omp:
    """Launches omp with the block's flags first, so that a repeat in ``args`` wins."""

    verb = VERBS["omp"]
    about = About(tested="18.2.3")

    def provider(self, block: OmpBlock, facts: Facts) -> tuple[str, ...]:
        """Return ``omp [--model M] [--thinking E] args… PROMPT``."""
        typed = flags(("--model", block.model), ("--thinking", block.effort))
        return ("omp", *typed, *block.args, block.prompt)

    def render(self, block: OmpBlock, facts: Facts) -> tuple[Render, ...]:
        """Return nothing: omp reads nothing of ours."""
        return ()
