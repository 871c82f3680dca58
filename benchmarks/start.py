"""Start of the commands that agents and people call all the time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks import fleet
from benchmarks.measure import Command, Spent, interleaved, median, ratio, walls
from benchmarks.table import Row, times

PASS = [sys.executable, "-c", "pass"]
FLOOR = "`python -c pass`"
TAB = "TAB after `st2 why `"
EVERY_STEP, HOOK, BY_HAND = 1.4, 1.9, 5.0
"""Budgets: what agents call at every step (and each press of TAB), hooks, what people call."""


def commands(made: fleet.Fleet) -> dict[str, Command]:
    """What is called all the time, and the floor, in a catalog whose first agent has a session.

    By the bus id, as `$ST_AGENT` tells it to what calls these at every step. A bare name, which
    a person types, is looked for at every host: one row shows by how much that is more.
    """
    agent = "h1.a00000"
    claim = ["session", "register", "a00000", "--session", "A", "--force"]
    subprocess.run([fleet.ST2, *claim], env=made.env, capture_output=True, check=True)
    return {
        FLOOR: PASS,
        "`st2 status A`": [fleet.ST2, "status", agent],
        "`st2 status A --set busy`": [fleet.ST2, "status", agent, "--set", "busy"],
        "`st2 beat` of the holder": [fleet.ST2, "beat", agent, "--session", "A"],
        "`st2 beat` by a bare name": [fleet.ST2, "beat", "a00000", "--session", "A"],
        "`st2 beat` of anybody else": [fleet.ST2, "beat", agent, "--session", "B"],
        "`st2 activity touch`": [fleet.ST2, "activity", "touch", agent, "--session", "A"],
    }


def by_hand() -> dict[str, Command]:
    """What a person waits for, and the floor."""
    return {
        FLOOR: PASS,
        TAB: [fleet.ST2, "completion", "bash", "--for", "st2 why "],
        "`st2 --version`": [fleet.ST2, "--version"],
        "`st2 --help`": [fleet.ST2, "--help"],
    }


def budget_of(what: str) -> float:
    """The largest ratio that a command may have."""
    return BY_HAND if what in by_hand() and what != TAB else EVERY_STEP


def rows(base: Path) -> Iterator[Row]:
    """`status`, `beat`, `activity touch`, help and completion, against the interpreter alone."""
    made = fleet.make(base / "start", 10)
    for asked, often in ((commands(made), 40), (by_hand(), 20)):
        spent = interleaved(asked, made.env, rounds=often)
        floor = spent.pop(FLOOR)
        for what, values in spent.items():
            yield times(
                what,
                FLOOR,
                ms=median(values),
                floor_ms=median(floor),
                ratio=ratio(values, floor),
                budget=budget_of(what),
            )


def hook_times(base: Path, rounds: int) -> tuple[list[Spent], list[Spent]]:
    """The bare interpreter, and `driver hook` as a wrapped harness calls it, in pairs."""
    made = fleet.make(base, 10)
    script = Path(__file__).with_name("hook_calls.py")
    name = "h1.a00000"
    verb = ["driver", "exec-session", "--identity", name, "--runtime-id", name, "--force", "--"]
    done = subprocess.run(
        [fleet.ST2, *verb, sys.executable, script, fleet.ST2, name, str(rounds)],
        env=made.env,
        capture_output=True,
        check=True,
    )
    floor, spent = ([Spent(*each) for each in side] for side in json.loads(done.stdout))
    return floor, spent


def hook_rows(base: Path) -> Iterator[Row]:
    """`driver hook`, again and again, against the interpreter."""
    floor, spent = map(walls, hook_times(base / "hook", 58))
    yield times(
        "`st2 driver hook`",
        FLOOR,
        ms=median(spent),
        floor_ms=median(floor),
        ratio=ratio(spent, floor),
        budget=HOOK,
    )
