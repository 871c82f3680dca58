"""``exec``: any program, taken word for word."""

from __future__ import annotations

from catalog.kdl import Node
from drivers.block import BlockModel, read
from drivers.driver import Facts, Render


class ExecBlock(BlockModel):
    """The fields of an ``exec`` block."""

    argv: tuple[str, ...]


class Exec:
    """Runs the argument vector of the block."""

    verb = "exec-session"

    def provider(self, fields: tuple[Node, ...], facts: Facts) -> tuple[str, ...]:
        """Return ``argv`` itself."""
        return read(ExecBlock, "exec", fields, facts).argv

    def render(self, fields: tuple[Node, ...], facts: Facts) -> tuple[Render, ...]:
        """Return nothing: such a program reads nothing of ours."""
        return ()
