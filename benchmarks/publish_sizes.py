"""What a publish of 10, 1 000 and 10 000 agents sends, and its time against the smallest push.

Run alone: `python -m benchmarks.publish_sizes`. In memory where there is some: changing 10 000
files on a disk takes longer than all that is measured.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.publish import publish_rows
from benchmarks.table import Row, markdown

SIZES = {10: 12, 1_000: 12, 10_000: 3}
"""How many rounds are measured, by the number of agents."""


def rows(folder: Path) -> Iterator[Row]:
    """Every size, without sessions and with them."""
    for agents, rounds in SIZES.items():
        for sessions in (False, True):
            yield from publish_rows(folder, agents, sessions=sessions, rounds=rounds)


def main() -> None:
    """Measure in a temporary folder and print the table."""
    place = "/dev/shm" if os.path.isdir("/dev/shm") else None
    measured = []
    with tempfile.TemporaryDirectory(prefix="st2-bench-", dir=place) as folder:
        for row in rows(Path(folder)):
            print(f"{row.what}: {row.measured}, {row.result}", file=sys.stderr)
            measured.append(row)
    print(markdown(measured))


if __name__ == "__main__":
    main()
