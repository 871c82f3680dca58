"""The table: one row a measurement, its budget beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Point(NamedTuple):
    """One point of a curve: how many there were (agents, publishes), and what was measured."""

    curve: str
    x: float
    y: float


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line: what was measured, against what, the result, the budget, and whether it is met.

    *points* are what the plots draw of it.
    """

    what: str
    measured: str
    floor: str = "–"
    result: str
    budget: str = "–"
    met: bool | None = None
    points: tuple[Point, ...] = ()


def markdown(rows: Iterable[Row]) -> str:
    """The rows as a markdown table."""
    verdict = {True: "yes", False: "**no**", None: "–"}
    lines = [
        "| what | measured | floor | result | budget | met |",
        "|---|---|---|---|---|---|",
        *(
            f"| {row.what} | {row.measured} | {row.floor} | {row.result} | {row.budget} "
            f"| {verdict[row.met]} |"
            for row in rows
        ),
    ]
    return "\n".join(lines) + "\n"


def times(
    what: str,
    floor_name: str,
    *,
    ms: float,
    floor_ms: float,
    ratio: float,
    budget: float | None,
    points: tuple[Point, ...] = (),
) -> Row:
    """A row for a time against a floor, with the largest ratio allowed."""
    return Row(
        what=what,
        measured=f"{ms:.1f} ms",
        floor=f"{floor_name}, {floor_ms:.1f} ms",
        result=f"{ratio:.2f} ×",
        budget=f"≤ {budget:g} ×" if budget is not None else "–",
        met=ratio <= budget if budget is not None else None,
        points=points,
    )
