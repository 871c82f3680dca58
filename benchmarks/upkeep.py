"""A remote after many publishes with hourly upkeep: its size, and how long a publish takes.

An hour of publishes (one each 30 s) is made in as long as it takes, and upkeep is told that this
was its hour.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import fleet
from benchmarks.measure import median, spent_ms
from benchmarks.table import Point, Row
from catalog.sync import bare, upkeep
from catalog.sync.publish import publish
from catalog.sync.remote import check
from catalog.sync.site import Site
from catalog.system.keeping import disk_bytes
from st2.context import make
from st2.serve.site import site_of

AN_HOUR = 120
"""How many publishes a host makes in an hour, at one each 30 s."""

PUBLISHES = 10_000
"""How many are made: 83 hours of them."""

LIMIT_BYTES = 2 * 1_048_576


def upkeep_rows(base: Path, most: int = PUBLISHES) -> Iterator[Row]:
    """Publish 10 agents again and again, at most so often and two hours, with upkeep each hour."""
    publishes = max(min(most, PUBLISHES), 2 * AN_HOUR)
    made = fleet.make(base / "upkeep", 10, hosts=1, sessions=True)
    remote = made.root.parent / "kept.git"
    bare.prepare(check(str(remote), base="/"))
    site = _site(made, remote)
    spent: list[float] = []
    kept: list[float] = []
    sizes = [Point("remote, kept", 0, disk_bytes(str(remote)))]
    began = time.time()
    for number in range(1, publishes + 1):
        fleet.touch_all(made, sessions=True)
        spent.append(spent_ms(lambda: publish(site)))
        if number % AN_HOUR == 0:
            sizes.append(Point("remote, grown", number, disk_bytes(str(remote))))
            kept.append(spent_ms(lambda began=began: _keep(remote, began)))
            sizes.append(Point("remote, kept", number, disk_bytes(str(remote))))
            sizes.append(Point("own", number, disk_bytes(str(made.root / ".st2"))))
            began = time.time()
    yield _size_row(publishes, disk_bytes(str(remote)), sizes, kept)
    first, last = median(spent[:AN_HOUR]), median(spent[-AN_HOUR:])
    yield Row(
        what="a publish in the last hour, against one in the first",
        measured=f"{last:.1f} ms",
        floor=f"one in the first hour, {first:.1f} ms",
        result=f"{last / first:.2f} ×",
    )


def _size_row(publishes: int, size: int, sizes: list[Point], kept: list[float]) -> Row:
    most = max(point.y for point in sizes)
    return Row(
        what=f"a remote after {publishes} publishes with hourly upkeep",
        measured=f"{size / 1024:.0f} KiB, at most {most / 1024:.0f} KiB before upkeep",
        floor=f"before the first, {sizes[0].y / 1024:.0f} KiB",
        result=f"upkeep took {max(kept) / 1000:.1f} s at most",
        budget="≤ 2 MiB",
        met=size <= LIMIT_BYTES,
        points=tuple(Point(p.curve, p.x, round(p.y / 1024)) for p in sizes),
    )


def _keep(remote: Path, began: float) -> None:
    """Run upkeep as if what was made since *began* had been made in an hour."""
    upkeep._GRACE = f"{max(int(time.time() - began), 1)}.seconds.ago"
    done = upkeep.upkeep(str(remote), now_ms=time.time_ns() // 1_000_000)
    if done.failed or done.removed:
        raise SystemExit(f"bench: upkeep: {done.failed} {done.removed}")


def _site(made: fleet.Fleet, remote: Path) -> Site:
    context = make(str(made.root), "h1", made.env)
    return site_of(context, "0" * 16, check(str(remote), base="/"))
