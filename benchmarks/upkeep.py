"""A remote after many publishes with hourly upkeep: its size, and how long a publish takes.

Alone: ``python -m benchmarks.upkeep 10000``. An hour of publishes (one each 30 s) is made in as
long as it takes, and upkeep is told that this was its hour.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import fleet
from benchmarks.measure import median
from benchmarks.table import Row
from catalog.sync import bare, upkeep
from catalog.sync.publish import publish
from catalog.sync.remote import check
from catalog.sync.site import Site
from catalog.system.keeping import disk_bytes
from st2.context import make
from st2.serve.site import site_of

AN_HOUR = 120
"""How many publishes a host makes in an hour, at one each 30 s."""

PUBLISHES = 240
"""How many are made as part of all benchmarks; 10 000 take a quarter of an hour."""

LIMIT_BYTES = 2 * 1_048_576


def upkeep_rows(base: Path, publishes: int = PUBLISHES) -> Iterator[Row]:
    """Publish 10 agents again and again, with upkeep each hour."""
    made = fleet.make(base / "upkeep", 10, hosts=1, sessions=True)
    remote = made.root.parent / "kept.git"
    bare.prepare(check(str(remote), base="/"))
    site = _site(made, remote)
    first: list[float] = []
    last: list[float] = []
    grown = spent = 0.0
    began = time.time()
    for number in range(1, publishes + 1):
        fleet.touch_all(made, sessions=True)
        start = time.perf_counter()
        publish(site)
        took = (time.perf_counter() - start) * 1000
        (first if number <= AN_HOUR else last).append(took)
        if number % AN_HOUR == 0:
            grown = max(grown, disk_bytes(str(remote)))
            start = time.perf_counter()
            _keep(remote, began)
            spent = max(spent, time.perf_counter() - start)
            began = time.time()
    size = disk_bytes(str(remote))
    yield Row(
        what=f"a remote after {publishes} publishes with hourly upkeep",
        measured=f"{size / 1024:.0f} KiB, {grown / 1024:.0f} KiB before upkeep",
        result=f"upkeep took {spent:.1f} s at most",
        budget="≤ 2 MiB",
        met=size <= LIMIT_BYTES,
    )
    ratio = median(last[-AN_HOUR:]) / median(first)
    yield Row(
        what="a publish in the last hour, against one in the first",
        measured=f"{median(last[-AN_HOUR:]):.1f} ms",
        floor=f"{median(first):.1f} ms",
        result=f"{ratio:.2f} ×",
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


if __name__ == "__main__":
    folder = Path(tempfile.mkdtemp(prefix="st2-bench-"))
    try:
        for each in upkeep_rows(folder, int(sys.argv[1]) if len(sys.argv) > 1 else PUBLISHES):
            print(each)
    finally:
        shutil.rmtree(folder)
