"""The loop of sync over many rounds: memory, descriptors and children at the end as near the start.

Its clock jumps and its remote is a dictionary, so that what is measured is the loop and the
files, not the waiting.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from benchmarks.table import Row

sys.path.append(str(Path(__file__).parents[1] / "tests"))

ROUNDS = 3_000
GROWTH_KB = 1_024
"""The most that memory may grow between a tenth of the rounds and their end."""


def memory_kb() -> int:
    """Return the memory that this process holds, in KB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1_024


def descriptors() -> int:
    """Return how many files this process has open."""
    return len(os.listdir("/proc/self/fd"))


def children() -> int:
    """Return how many children this process has, also those that have ended."""
    threads = Path("/proc/self/task").iterdir()
    return sum(len((thread / "children").read_text().split()) for thread in threads)


def flat_row(base: Path, rounds: int = ROUNDS) -> Row:
    """Go through *rounds* rounds, each with a change, every seventh with a remote that is away."""
    from catalog.sync.policy import Policy
    from support.looped import looped

    one = looped(base / f"rounds-{rounds}", policy=Policy(publish_ms=1_000, collect_ms=1_000))
    (base / f"rounds-{rounds}/h2/agents").mkdir(parents=True)
    began, early = time.monotonic(), (0, 0, 0)
    for number in range(rounds):
        if number == rounds // 10:
            early = (memory_kb(), descriptors(), children())
        one.put("busy" if number % 2 else "away", agent=f"a{number % 5}")
        one.down() if number % 7 == 0 else one.up()
        one.run(1_300)
        one.forget()
    late = (memory_kb(), descriptors(), children())
    grown = late[0] - early[0]
    return Row(
        what=f"sync --watch, {rounds} rounds: growth after the first tenth",
        measured=f"{grown} KB, {late[1] - early[1]} files, {late[2] - early[2]} children",
        floor=f"after the first tenth, {early[0]} KB",
        result=f"{1_000 * (time.monotonic() - began) / rounds:.1f} ms a round",
        budget=f"≤ {GROWTH_KB} KB, 0, 0",
        met=grown <= GROWTH_KB and late[1:] == early[1:],
    )
