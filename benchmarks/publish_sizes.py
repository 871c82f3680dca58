"""What a publish of 10, 1 000 and 10 000 agents sends, and its time against the smallest push.

Run alone: `python -m benchmarks.publish_sizes`.
"""

from __future__ import annotations

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
    with tempfile.TemporaryDirectory(prefix="st2-bench-") as folder:
        print(markdown(list(rows(Path(folder)))))


if __name__ == "__main__":
    main()
