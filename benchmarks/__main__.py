"""Measure the sections asked for, or all; print their tables, and keep them where asked to."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks import plots, results
from benchmarks.facts import facts, load
from benchmarks.folders import folders
from benchmarks.results import FOLDER, STORED, TABLE, Results, Section
from benchmarks.sections import PARTS
from benchmarks.table import markdown


def arguments(argv: list[str]) -> argparse.Namespace:
    """The sections to measure, and what to do with what is found."""
    width = max(map(len, PARTS))
    listed = "\n".join(f"  {name:{width}}  {part.about}" for name, part in PARTS.items())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        epilog=f"sections:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("section", nargs="*", help="measure only these")
    parser.add_argument(
        "--write", action="store_true", help=f"keep it in benchmarks/results/{STORED}, and draw"
    )
    parser.add_argument(
        "--redraw", action="store_true", help="measure nothing; tables and plots from what is kept"
    )
    parser.add_argument(
        "--most", type=int, default=100_000, help="leave out what has more agents or publishes"
    )
    parser.add_argument("--into", type=Path, default=FOLDER, help="another folder for results")
    found = parser.parse_args(argv)
    unknown = [name for name in found.section if name not in PARTS]
    if unknown:
        parser.error(f"{unknown[0]}: no section; there are {', '.join(PARTS)}")
    return found


def measured(name: str, most: int) -> tuple[dict[str, str], Section]:
    """The machine, and one section, in folders of its own; up to *most* agents or publishes."""
    with folders() as (disk, memory):
        machine, busy, began, rows = facts(disk), load(), time.monotonic(), []
        for row in PARTS[name].rows(disk, memory, most):
            rows.append(row)
            spent = time.monotonic() - began
            print(f"{name} {spent:6.1f} s  {row.what}: {row.result}", file=sys.stderr)
        spent_s = round(time.monotonic() - began, 1)
    about = PARTS[name].about
    return machine, Section(about=about, load=busy, spent_s=spent_s, rows=tuple(rows))


def keep(folder: Path, machine: dict[str, str], found: dict[str, Section]) -> None:
    """Put *found* in the place of what was kept of the same sections."""
    stored = folder / STORED
    before = results.parsed(stored.read_text("utf-8")).sections if stored.exists() else {}
    all_of_it = {**before, **found}
    ordered = {name: all_of_it[name] for name in PARTS if name in all_of_it}
    folder.mkdir(exist_ok=True)
    stored.write_text(results.dumped(Results(facts=machine, sections=ordered)), "utf-8")


def draw(folder: Path) -> None:
    """Write table and plots of what is kept in *folder*."""
    kept = results.parsed((folder / STORED).read_text("utf-8"))
    (folder / TABLE).write_text(results.table(kept), "utf-8")
    if not plots.draw(kept, folder):
        print("no plots: matplotlib is not installed, see the extra `bench`", file=sys.stderr)


def main(argv: list[str]) -> None:
    """Measure, print, keep, draw, as *argv* asks for."""
    asked = arguments(argv)
    if not asked.redraw:
        found, machine = {}, {}
        for name in asked.section or PARTS:
            machine, found[name] = measured(name, asked.most)
            print(f"## {name}\n\n{markdown(found[name].rows)}")
            if asked.write:  # section by section: what was measured stays if a later one fails
                keep(asked.into, machine, {name: found[name]})
    if asked.redraw or asked.write:
        draw(asked.into)


if __name__ == "__main__":
    main(sys.argv[1:])
