"""``exec``: any program, taken word for word."""

from __future__ import annotations

from typing import Literal

from pydantic import field_validator

from catalog.verbs import VERBS
from drivers.block import BlockModel
from drivers.driver import About, BadNode, Facts, Render


class ExecBlock(BlockModel):
    """The fields of an ``exec`` block."""

    harness: Literal["exec"]
    argv: tuple[str, ...]

    @field_validator("argv")
    @classmethod
    def _argv(cls, argv: tuple[str, ...]) -> tuple[str, ...]:
        if not argv[0]:
            raise BadNode("found an empty first word, wanted a program", "write its name or path")
        return argv


class Exec:
    """Runs the argument vector of the block."""

    verb = VERBS["exec"]
    about = About()

    def provider(self, block: ExecBlock, facts: Facts) -> tuple[str, ...]:
        """Return ``argv`` itself."""
        return block.argv

    def render(self, block: ExecBlock, facts: Facts) -> tuple[Render, ...]:
        """Return nothing: such a program reads nothing of ours."""
        return ()
