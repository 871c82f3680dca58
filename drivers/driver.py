"""What a driver is: it turns the typed block of a declaration into a launch, by pure words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from catalog.json_nodes import Json
from catalog.kdl import Address

PROGRAM = "st2"
"""The word that stands for this program until a launch is bound to a machine."""

CATALOG = "$CATALOG"
"""The word that stands for the catalog until a launch is bound to a machine."""

HEAD = (PROGRAM, "--catalog", CATALOG)
"""How a launch of ours begins, as words."""

SHELL_HEAD = f'{PROGRAM} --catalog "{CATALOG}" '
"""How it begins, as the text of a shell."""

JSON_UPSERT = "json-upsert"
FILE = "file"
COPY = "copy"
ENSURE_LINE = "ensure-line"
GIT_EXCLUDE = "git-exclude"
"""What a line of ``render`` does."""


class BadNode(ValueError):
    """A node of a declaration is not as wanted: what was found and wanted, the way out.

    ``at`` is its address; the empty one stands for the launch as a whole.
    """

    def __init__(self, sentence: str, hint: str = "", *, at: Address = ()) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = hint
        self.at = at


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a driver is told besides the block: whose launch this is, and which file says so."""

    identity: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Render:
    """One thing that a harness needs to find in its workspace.

    ``op`` is ``json-upsert``: merge *value*, an object, into the JSON file *path*. ``arrays`` says
    what happens where both have an array: ``replace`` or ``union``. For ``file``, ``copy`` and
    ``ensure-line`` *value* is the text, the source or the line; for ``git-exclude`` *path* is the
    pattern.
    """

    op: str
    path: str
    value: Mapping[str, Json] | str
    arrays: str = "replace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """A launch, whole: the argument vector, and what has to lie in the workspace before it."""

    argv: tuple[str, ...]
    render: tuple[Render, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Lines that a user may put into a harness's own configuration; st2 never does."""

    file: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What ``st2 driver list`` tells of a harness besides its fields.

    ``activity`` says how its work is seen: ``hooks`` that are rendered, ``transcript`` (the owner
    looks at its growth), ``user-hooks`` (once the user wrote ``settings``), or not at all.
    ``tested`` is the version that the words of the launch were tried with.
    """

    activity: str | None = None
    tested: str | None = None
    settings: Settings | None = None


Block = TypeVar("Block", contravariant=True)


class Driver(Protocol[Block]):
    """One harness. Both methods are pure; a repeat gives the same."""

    verb: str
    about: About

    def provider(self, block: Block, facts: Facts) -> tuple[str, ...]:
        """Return the harness's own argument vector, without any of st2 before it."""

    def render(self, block: Block, facts: Facts) -> tuple[Render, ...]:
        """Return what the harness reads from the workspace; empty where it reads nothing."""


def flags(*pairs: tuple[str, str | None]) -> tuple[str, ...]:
    """Return each flag with its value; one without a value adds no word."""
    return tuple(word for flag, value in pairs if value is not None for word in (flag, value))


def prefix(verb: str, identity: str) -> tuple[str, ...]:
    """Return the words before every provider's own: the wrapper that owns the session."""
    return (*HEAD, "driver", verb, "--identity", identity, "--runtime-id", identity, "--")
