"""Start of the commands that agents and people call all the time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks import fleet
from benchmarks.measure import interleaved, median, ratio
from benchmarks.table import Row, times

PASS = [sys.executable, "-c", "pass"]
FLOOR = "`python -c pass`"
SIZES = {10: 30, 100: 30, 1_000: 15, 10_000: 5}
"""Agents in the catalog, and rounds at that size."""
BUDGETS = {100: (2.0, None), 10_000: (None, 2.5)}
"""Largest ratios against the bare interpreter and against the raw loop, where there is a budget."""
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


def status_rows(base: Path) -> Iterator[Row]:
    """`status`, `beat` and `activity touch`, against the interpreter alone."""
    made = fleet.make(base / "status", 10)
    claim = ["session", "register", "a00000", "--session", "A", "--force"]
    subprocess.run([fleet.ST2, *claim], env=made.env, capture_output=True, check=True)
    commands = {
        "pass": PASS,
        "`st2 status A`": [fleet.ST2, "status", "a00000"],
        "`st2 status A --set busy`": [fleet.ST2, "status", "a00000", "--set", "busy"],
        "TAB after `st2 why `": [fleet.ST2, "completion", "bash", "--for", "st2 why "],
        "`st2 beat` of the holder": [fleet.ST2, "beat", "a00000", "--session", "A"],
        "`st2 beat` of anybody else": [fleet.ST2, "beat", "a00000", "--session", "B"],
        "`st2 activity touch`": [fleet.ST2, "activity", "touch", "a00000", "--session", "A"],
    }
    spent = interleaved(commands, made.env, rounds=40)
    floor = spent.pop("pass")
    for what, values in spent.items():
        yield times(
            what,
            FLOOR,
            ms=median(values),
            floor_ms=median(floor),
            ratio=ratio(values, floor),
            budget=1.4,
        )


def hook_rows(base: Path) -> Iterator[Row]:
    """`driver hook` as a wrapped harness calls it, again and again, against the interpreter."""
    made = fleet.make(base / "hook", 10)
    script = Path(__file__).with_name("hook_calls.py")
    name = "h1.a00000"
    verb = ["driver", "exec-session", "--identity", name, "--runtime-id", name, "--force", "--"]
    done = subprocess.run(
        [fleet.ST2, *verb, sys.executable, script, fleet.ST2, name],
        env=made.env,
        capture_output=True,
        check=True,
    )
    floor, spent = json.loads(done.stdout)
    yield times(
        "`st2 driver hook`",
        FLOOR,
        ms=median(spent),
        floor_ms=median(floor),
        ratio=ratio(spent, floor),
        budget=1.9,
    )


def roster_rows(base: Path) -> Iterator[Row]:
    """`agents --json`, against the interpreter alone and against only reading the files."""
    for size, rounds in SIZES.items():
        made = fleet.make(base / "roster", size)
        commands = {
            "pass": PASS,
            "raw": [sys.executable, "-c", RAW, made.root],
            "st2": [fleet.ST2, "agents", "--json"],
        }
        spent = interleaved(commands, made.env, rounds=rounds)
        for floor, name, budget in (
            ("pass", FLOOR, BUDGETS.get(size, (None, None))[0]),
            ("raw", "raw read loop", BUDGETS.get(size, (None, None))[1]),
        ):
            yield times(
                f"`st2 agents --json`, {size} agents",
                name,
                ms=median(spent["st2"]),
                floor_ms=median(spent[floor]),
                ratio=ratio(spent["st2"], spent[floor]),
                budget=budget,
            )
