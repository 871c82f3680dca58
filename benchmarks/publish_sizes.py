"""What a publish of 10 to 100 000 agents sends, and its time against the smallest push.

In memory where there is some: changing 10 000 files on a disk takes longer than all that is
measured. The largest has no sessions: with them a snapshot of one host would be larger than
what a reader accepts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.publish import publish_rows
from benchmarks.table import Row

SIZES = {10: 12, 100: 12, 1_000: 12, 10_000: 3, 100_000: 1}
"""How many rounds are measured, by the number of agents."""
WITH_SESSIONS = 10_000
"""The most agents that have sessions here."""


def rows(folder: Path) -> Iterator[Row]:
    """Every size, without sessions and with them."""
    for agents, rounds in SIZES.items():
        for sessions in (False, True) if agents <= WITH_SESSIONS else (False,):
            yield from publish_rows(folder, agents, sessions=sessions, rounds=rounds)
