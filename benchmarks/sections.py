"""The sections of the table, in its order: what each is about, and what measures it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import (
    collect_cost,
    contention,
    publish_sizes,
    roster,
    rounds,
    session,
    signing,
    start,
    upkeep,
    visible,
)
from benchmarks.table import Row


@dataclass(frozen=True)
class Part:
    """One section: a sentence about it, and its rows.

    They are measured in a folder on the disk, or in one in memory, where fsync does not put a
    process to sleep; with at most so many agents, or publishes.
    """

    about: str
    rows: Callable[[Path, Path, int], Iterator[Row]]


def _start(disk: Path, memory: Path, most: int) -> Iterator[Row]:
    yield from start.rows(disk)
    yield from start.hook_rows(disk)


def _session(disk: Path, memory: Path, most: int) -> Iterator[Row]:
    yield session.launch_row(disk)
    yield from session.owner_rows(memory)
    yield session.death_row(disk)


def _rounds(disk: Path, memory: Path, most: int) -> Iterator[Row]:
    yield rounds.flat_row(memory)


PARTS = {
    "start": Part(
        "What agents and people call all the time, against an interpreter that does nothing.",
        _start,
    ),
    "roster": Part(
        "Reading a catalog, with its files in the cache of the system.",
        lambda disk, memory, most: roster.rows(disk, most),
    ),
    "session": Part(
        "A wrapped session: its start, its owner, how soon its end is on disk.", _session
    ),
    "publish": Part(
        "One publish of one host, every record changed, to a remote on the same machine.",
        lambda disk, memory, most: publish_sizes.rows(memory, most),
    ),
    "collect": Part(
        "What another host's records cost to fetch, check and write.",
        lambda disk, memory, most: collect_cost.rows(disk, most),
    ),
    "contention": Part(
        "Many hosts that publish at the same moment: a ref each, against one shared branch.",
        lambda disk, memory, most: contention.rows(memory),
    ),
    "growth": Part(
        "A remote after many publishes, with the upkeep that is documented.",
        lambda disk, memory, most: upkeep.upkeep_rows(memory, most),
    ),
    "visible": Part(
        "How long after a write another host has it.",
        lambda disk, memory, most: visible.visible_rows(disk),
    ),
    "loop": Part("Many rounds of `sync --watch`: what they leave behind.", _rounds),
    "signing": Part(
        "A signature made and checked.", lambda disk, memory, most: signing.rows(disk / "signing")
    ),
}
