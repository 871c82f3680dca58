"""Reading a catalog of 10 to 100 000 agents: all of it, one agent of it; time, memory, disk.

The floor of a row is named in it: the interpreter that does nothing, or a loop that lists the
same folders and reads the same files and does nothing else, its interpreter's start included.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import cold, fleet
from benchmarks.measure import Command, interleaved, median, peak_kb, ratio
from benchmarks.table import Point, Row, times

PASS = [sys.executable, "-c", "pass"]
FLOOR = "`python -c pass`"
LOOP = "raw read loop"
RAW = """\
import os, sys
top = sys.argv[1] + "/agents"
for host in os.listdir(top):
    for agent in os.listdir(top + "/" + host):
        folder = os.open(top + "/" + host + "/" + agent, os.O_RDONLY | os.O_DIRECTORY)
        for name in os.listdir(folder):
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
            os.read(file, 4097)
            os.close(file)
        os.close(folder)
"""


@dataclass(frozen=True)
class Rounds:
    """How often a catalog of one size is read: warm, and with nothing in the cache."""

    warm: int
    cold: int


SIZES = {
    10: Rounds(30, 5),
    100: Rounds(30, 5),
    1_000: Rounds(15, 4),
    10_000: Rounds(7, 3),
    100_000: Rounds(2, 1),
}
BUDGETS = {(100, FLOOR): 2.0, (10_000, LOOP): 2.5}
"""Largest ratios of `agents --json`, by agents and floor."""


def commands(made: fleet.Fleet) -> dict[str, Command]:
    """What is measured of one catalog, and the two floors."""
    return {
        FLOOR: PASS,
        LOOP: [sys.executable, "-c", RAW, made.root],
        "`st2 agents --json`": [fleet.ST2, "agents", "--json"],
        "`st2 agents`": [fleet.ST2, "agents"],
        "`st2 why A`": [fleet.ST2, "why", "a00000"],
        "`st2 status A`": [fleet.ST2, "status", "a00000"],
        "`st2 status H.A`": [fleet.ST2, "status", "h1.a00000"],
    }


def rows(base: Path, most: int) -> Iterator[Row]:
    """All sizes up to *most*: warm, then without a cache; then what it weighs."""
    for agents, often in SIZES.items():
        if agents > most:
            return
        made = fleet.make(base / "roster", agents)
        yield from warm_rows(made, agents, often.warm)
        yield from cold_rows(made, agents, often.cold)
        yield memory_row(made, agents)
        yield disk_row(made, agents)


def warm_rows(made: fleet.Fleet, agents: int, rounds: int) -> Iterator[Row]:
    """Each command against the floors that say something about it."""
    asked = commands(made)
    spent = interleaved(asked, made.env, rounds=rounds, warm=2 if agents <= 10_000 else 1)
    for name in asked:
        every = "agents" in name
        against = () if name in (FLOOR, LOOP) else (FLOOR, LOOP) if every else (FLOOR,)
        for floor in against:
            point = Point(f"{name}, warm", agents, median(spent[name]))
            beside = Point(f"{floor}, warm", agents, median(spent[floor]))
            yield times(
                f"{name}, {agents} agents",
                floor,
                ms=median(spent[name]),
                floor_ms=median(spent[floor]),
                ratio=ratio(spent[name], spent[floor]),
                budget=BUDGETS.get((agents, floor)) if "--json" in name else None,
                points=(point, beside) if floor == against[-1] else (),
            )


def cold_rows(made: fleet.Fleet, agents: int, rounds: int) -> Iterator[Row]:
    """`agents --json` when nothing of the catalog, or of anything, is in memory."""
    name = "`st2 agents --json`"
    asked = {each: commands(made)[each] for each in (LOOP, name)}
    spent = interleaved(
        asked, made.env, rounds=rounds, warm=0, before=lambda: cold.forget(made.root)
    )
    yield times(
        f"{name}, {agents} agents, cold ({cold.how()})",
        f"{LOOP}, cold",
        ms=median(spent[name]),
        floor_ms=median(spent[LOOP]),
        ratio=ratio(spent[name], spent[LOOP]),
        budget=None,
        points=(
            Point(f"{name}, cold", agents, median(spent[name])),
            Point(f"{LOOP}, cold", agents, median(spent[LOOP])),
        ),
    )


def memory_row(made: fleet.Fleet, agents: int) -> Row:
    """The most that `agents --json` holds."""
    own = peak_kb([fleet.ST2, "agents", "--json"], made.env)
    bare = peak_kb(PASS, made.env)
    return Row(
        what=f"`st2 agents --json`, {agents} agents: memory at its most",
        measured=f"{own / 1024:.1f} MiB",
        floor=f"{FLOOR}, {bare / 1024:.1f} MiB",
        result=f"{1024 * (own - bare) / agents:.0f} bytes an agent",
        points=(Point("memory", agents, own / 1024), Point("memory, floor", agents, bare / 1024)),
    )


def disk_row(made: fleet.Fleet, agents: int) -> Row:
    """What the catalog takes on the disk, against the bytes of its files."""
    held, said = _disk(made.root / "agents")
    kept, _ = _disk(made.root / ".st2")
    return Row(
        what=f"a catalog of {agents} agents, on disk",
        measured=f"{held / 2**20:.1f} MiB, and {kept / 2**20:.1f} MiB in `.st2`",
        floor=f"the bytes of its files, {said / 2**20:.1f} MiB",
        result=f"{(held + kept) / agents / 1024:.1f} KiB an agent",
        points=(Point("disk", agents, (held + kept) / 2**20), Point("bytes", agents, said / 2**20)),
    )


def _disk(top: Path) -> tuple[int, int]:
    """Bytes of the blocks of all that is below *top*, and of what its files say."""
    held = said = 0
    for folder, _, files in os.walk(top):
        held += os.stat(folder).st_blocks * 512
        for name in files:
            found = os.stat(os.path.join(folder, name))
            held += found.st_blocks * 512
            said += found.st_size
    return held, said
