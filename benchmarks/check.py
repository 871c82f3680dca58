"""Check the budgets, all or those of the groups named; exit 1 where one is missed three times."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from pathlib import Path

from benchmarks.checked import IN_MEMORY, ON_DISK, STATED, Group, folder
from benchmarks.folders import folders
from benchmarks.verdict import Verdict, repeated, summary, table


def chosen(argv: list[str]) -> list[str]:
    """The groups that *argv* names, or all."""
    groups = [*ON_DISK, *IN_MEMORY]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.check", description=__doc__)
    parser.add_argument("group", nargs="*", help=f"one of {', '.join(groups)}")
    asked: list[str] = parser.parse_args(argv).group
    for name in asked:
        if name not in groups:
            parser.error(f"{name}: no group; there are {', '.join(groups)}")
    return asked or groups


def verdicts_of(group: Group, base: Path) -> list[Verdict]:
    """All attempts of one group, in a folder that is gone afterwards."""
    place = folder(base)
    try:
        return repeated(lambda: group(place))
    finally:
        shutil.rmtree(place, ignore_errors=True)


def stale(verdicts: list[Verdict]) -> list[str]:
    """What is stated of nothing that was checked: a name that changed, or a miss that is none."""
    return sorted(STATED.keys() - {verdict.what for verdict in verdicts})


def main(argv: list[str]) -> int:
    """Check every group, print one table; 0 when all hold."""
    began, load = time.monotonic(), os.getloadavg()[0]
    names, verdicts = chosen(argv), list[Verdict]()
    with folders() as (disk, memory):
        for base, groups in ((disk, ON_DISK), (memory, IN_MEMORY)):
            for name in filter(names.__contains__, groups):
                verdicts += verdicts_of(groups[name], base)
                spent = time.monotonic() - began
                print(f"bench-check: {spent:4.0f} s  {name}", file=sys.stderr, flush=True)
    print(table(verdicts))
    print(f"load {load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end")
    unknown = stale(verdicts) if not argv else []
    if unknown:
        print(f"bench-check: stated of nothing that is checked: {', '.join(unknown)}")
    print(summary(verdicts))
    return int(bool(unknown) or not all(verdict.holds for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
