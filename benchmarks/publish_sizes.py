"""What a publish of 10 to 100 000 agents sends, and its time against the smallest push.

In memory where there is some: changing 10 000 files on a disk takes longer than all that is
measured. The largest has no sessions: with them a snapshot of one host would be larger than
what a reader accepts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Spent, median, ratio, walls
from benchmarks.publish import Published, published
from benchmarks.table import Point, Row, times

SIZES = {10: 12, 100: 12, 1_000: 12, 10_000: 3, 100_000: 1}
"""How many rounds are measured, by the number of agents."""
WITH_SESSIONS = 10_000
"""The most agents that have sessions here."""
LIMITS_KB = {(1_000, True): 60, (1_000, False): 12}
"""The most that may go up, by agents and whether they have sessions."""
SENT, READ = 2.0, 2.5
"""Budgets, at 1 000 agents: against the smallest push, and of the reading against a raw loop."""
PUSH = "`git push` of an empty-tree commit"
LOOP = "raw loop that reads the same records"


def rows(folder: Path, most: int) -> Iterator[Row]:
    """Every size up to *most*, without sessions and with them."""
    for agents, rounds in SIZES.items():
        if agents > most:
            return
        for sessions in (False, True) if agents <= WITH_SESSIONS else (False,):
            found = published(folder, agents, sessions=sessions, rounds=rounds)
            kind = f"{'with' if sessions else 'without'} sessions"
            yield sent_row(found, agents, sessions=sessions)
            yield from _time_rows(found, agents, kind)


def sent_row(found: Published, agents: int, *, sessions: bool) -> Row:
    """Bytes and objects that each publish sent: neither depends on the machine."""
    kind = f"{'with' if sessions else 'without'} sessions"
    limit = LIMITS_KB.get((agents, sessions))
    sizes, objects = found.sizes, found.objects
    return Row(
        what=f"publish, {agents} agents {kind}, all changed: bytes and objects",
        measured=f"{median(sizes) / 1000:.1f} KB, {'/'.join(map(str, sorted(objects)))} objects",
        floor="a commit, its tree, its blob",
        result=f"{median(sizes) / agents:.0f} bytes an agent",
        budget=f"≤ {limit} KB, 3 objects" if limit else "3 objects",
        met=objects == {3} and (limit is None or max(sizes) <= limit * 1000),
        points=(Point(f"publish, bytes {kind}", agents, median(sizes)),),
    )


def _time_rows(found: Published, agents: int, kind: str) -> Iterator[Row]:
    def row(what: str, spent: list[Spent], floor: str, least: list[Spent], most: float) -> Row:
        ms, floor_ms = walls(spent), walls(least)
        return times(
            f"{what}, {agents} agents {kind}, all changed",
            floor,
            ms=median(ms),
            floor_ms=median(floor_ms),
            ratio=ratio(ms, floor_ms),
            budget=most if most and agents == 1_000 else None,
            points=(
                Point(f"{what}, {kind}", agents, median(ms)),
                Point(f"{floor}, {kind}", agents, median(floor_ms)),
            ),
        )

    yield row("publish, objects made and pushed", found.pushed, PUSH, found.empty, SENT)
    yield row("publish, reading the records", found.reading, LOOP, found.raw, READ)
    yield row("publish, both together", found.alone, PUSH, found.empty, SENT)
    yield row("`st2 sync`, the whole command", found.whole, PUSH, found.empty, 0)
