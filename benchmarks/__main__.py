"""Run everything, print the table, keep it in benchmarks/results/."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import publish, rounds, session, start, upkeep, visible
from benchmarks.table import Row, markdown

RESULTS = Path(__file__).parent / "results" / "first-light.md"
HEAD = """\
# First light

Paired, interleaved runs; medians; a ratio is the median of the ratios of the pairs. Absolute
times depend on the machine; ratios are the result, and they grow on a busy one.
Python {python}, {system}, {cores} cores, load {load:.1f} at the start.

"""


def sections(disk: Path, memory: Path) -> Iterator[Row]:
    """All rows, as they are measured; *memory* is where fsync does not put a process to sleep."""
    yield from start.status_rows(disk)
    yield from start.hook_rows(disk)
    yield from start.roster_rows(disk)
    yield session.launch_row(disk)
    yield from session.owner_rows(memory)
    yield session.death_row(disk)
    for agents in (10, 1_000):
        for sessions in (False, True):
            yield from publish.publish_rows(disk, agents, sessions=sessions)
    yield from upkeep.upkeep_rows(disk)
    yield from visible.visible_rows(disk)
    yield rounds.flat_row(memory)


def main() -> None:
    """Measure in temporary folders and write the table."""
    shm = Path("/dev/shm")
    disk = Path(tempfile.mkdtemp(prefix="st2-bench-"))
    memory = Path(tempfile.mkdtemp(prefix="st2-bench-", dir=shm if shm.is_dir() else None))
    rows = []
    began, load = time.monotonic(), os.getloadavg()[0]
    try:
        for row in sections(disk, memory):
            rows.append(row)
            print(f"{time.monotonic() - began:6.1f} s  {row.what}: {row.result}", file=sys.stderr)
    finally:
        shutil.rmtree(disk)
        shutil.rmtree(memory)
    text = markdown(rows)
    print(text)
    RESULTS.parent.mkdir(exist_ok=True)
    facts = {"python": platform.python_version(), "system": platform.system()}
    head = HEAD.format(**facts, cores=os.cpu_count(), load=load)
    RESULTS.write_text(head + text)


if __name__ == "__main__":
    main()
