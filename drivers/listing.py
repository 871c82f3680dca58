"""What ``st2 driver list`` tells of each harness, taken from its model and its driver."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.block import TAG, fields_of, kind_of
from drivers.driver import About, Facts
from drivers.harnesses import BLOCKS, DRIVERS, MODELS


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a block: ``kind`` is ``string``, ``strings`` or ``boolean``."""

    name: str
    kind: str
    required: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Harness:
    """One harness. ``renders`` are the files of a workspace that it finds something in."""

    name: str
    verb: str
    fields: tuple[Field, ...]
    renders: tuple[str, ...]
    about: About


def harnesses() -> tuple[Harness, ...]:
    """Return every harness, sorted by name."""
    return tuple(_harness(name) for name in sorted(DRIVERS))


def _harness(name: str) -> Harness:
    driver = DRIVERS[name]
    fields = tuple(
        Field(name=key, kind=kind_of(info), required=info.is_required())
        for key, info in fields_of(MODELS[name])
    )
    return Harness(
        name=name,
        verb=driver.verb,
        fields=fields,
        renders=_renders(name, fields),
        about=driver.about,
    )


def _renders(name: str, fields: tuple[Field, ...]) -> tuple[str, ...]:
    """Ask the driver itself, with a block of nothing but what is required."""
    some = {"string": "x", "strings": ("x",), "boolean": False}
    values = {each.name: some[each.kind] for each in fields if each.required}
    block = BLOCKS.validate_python({TAG: name, **values})
    facts = Facts(identity="host.agent", path="agent.kdl")
    return tuple(render.path for render in DRIVERS[name].render(block, facts))
