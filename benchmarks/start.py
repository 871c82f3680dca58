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
EVERY_STEP, BY_HAND = 1.4, 5.0
"""Budgets: what agents call at every step, and what a person waits for."""
SEEN_BY_HAND = ("`st2 --version`", "`st2 --help`", "TAB after `st2 why `")


def status_rows(base: Path) -> Iterator[Row]:
    """`status`, `beat`, `activity touch`, help and completion, against the interpreter alone."""
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
        "`st2 --version`": [fleet.ST2, "--version"],
        "`st2 --help`": [fleet.ST2, "--help"],
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
            budget=BY_HAND if what in SEEN_BY_HAND else EVERY_STEP,
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
