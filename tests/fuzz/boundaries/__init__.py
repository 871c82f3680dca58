"""One module a boundary where bytes of somebody else's enter.

Each has ``check(data)``, which raises where a property fails and returns words for what the
input came to; ``REACHED``, the words that the kept inputs have to come to between them; and
``GROWING``, ways to make an input of any size, for which the cost may grow no faster than it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Protocol

NAMES = (
    *("commands", "declaration", "git", "hook", "mcp", "merge"),
    *("record", "session", "settings", "snapshot", "state", "terminal"),
)


class Boundary(Protocol):
    """What each module here has."""

    REACHED: frozenset[str]
    GROWING: Mapping[str, Callable[[int], bytes]]

    @staticmethod
    def check(data: bytes) -> set[str]:
        """Say what *data* comes to, or raise where a property fails."""


def boundary(name: str) -> Boundary:
    """Return the module of that name."""
    return import_module(f"fuzz.boundaries.{name}")  # type: ignore[return-value]
