"""Whether a budget holds, on a machine that may be busy: what is compared, how often, how closely.

A time is judged by two ratios against its floor, each the median of the ratios of pairs that were
measured next to each other: of processor time, which other work on the machine hardly changes,
and of wall time, which also sees waiting, and is given more room. Measured while twenty other
processes wanted two cores and the disk, the first stayed within 8 % of what a quiet machine
shows, the second within a third; the ratio of the two least times, in place of a median, fell to
a half and rose to double. What is missed is measured again, twice; only what is missed each time
counts.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.measure import Spent

CPU_ROOM, WALL_ROOM = 1.10, 1.50
"""How far above the bound a ratio may lie on a busy machine."""
ATTEMPTS = 3


@dataclass(frozen=True, kw_only=True)
class Bound:
    """What a ratio may be: the *budget* of the contract, or, where that is missed today, *stated*.

    A stated bound is what was measured; it keeps a known miss from growing, and is shown as one.
    """

    what: str
    floor: str
    budget: float
    stated: float | None = None

    @property
    def most(self) -> float:
        """The ratio that is checked, before any room."""
        return self.budget if self.stated is None else self.stated


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One line of the table: found against allowed, the contract beside it, whether it holds."""

    what: str
    floor: str
    found: str
    allowed: str
    budget: str
    holds: bool
    stated: bool = False
    """A bound was stated because the contract's budget was missed."""
    contract: bool = True
    """The contract's budget is met."""
    attempts: int = 1

    @property
    def word(self) -> str:
        """What the table says of it."""
        if not self.holds:
            return "MISSED"
        if not self.stated:
            return "holds"
        return "holds, and the contract" if self.contract else "holds, contract missed"


def ratio(spent: Sequence[float], floor: Sequence[float]) -> float:
    """The median of the ratios of each pair."""
    return statistics.median(a / b for a, b in zip(spent, floor, strict=True))


def judged(bound: Bound, spent: Sequence[Spent], floor: Sequence[Spent]) -> Verdict:
    """One attempt at *bound*: both ratios have to be within it and its room."""
    cpu, wall = (
        ratio([each[clock] for each in spent], [each[clock] for each in floor]) for clock in (1, 0)
    )
    return Verdict(
        what=bound.what,
        floor=bound.floor,
        found=f"{cpu:.2f} × processor, {wall:.2f} × wall",
        allowed=f"{bound.most * CPU_ROOM:.2f} ×, {bound.most * WALL_ROOM:.2f} ×",
        budget=f"{bound.budget:g} ×",
        holds=cpu <= bound.most * CPU_ROOM and wall <= bound.most * WALL_ROOM,
        stated=bound.stated is not None,
        contract=cpu <= bound.budget,
    )


def repeated(
    measure: Callable[[], Iterable[Verdict]], *, attempts: int = ATTEMPTS
) -> list[Verdict]:
    """Measure until everything held once, at most *attempts* times; the best word for each.

    What held once is not judged again: only what is missed each time is missed.
    """
    last: dict[str, Verdict] = {}
    for attempt in range(1, attempts + 1):
        for verdict in measure():
            before = last.get(verdict.what)
            if before is None or not before.holds:
                last[verdict.what] = _numbered(verdict, attempt)
        if all(verdict.holds for verdict in last.values()):
            break
    return list(last.values())


def _numbered(verdict: Verdict, attempt: int) -> Verdict:
    facts = {name: getattr(verdict, name) for name in Verdict.__dataclass_fields__}
    return Verdict(**{**facts, "attempts": attempt})


def table(verdicts: Sequence[Verdict]) -> str:
    """The verdicts in columns, for a terminal and a log."""
    head = ("what", "found", "allowed", "contract", "verdict", "against")
    lines = [head, *(_cells(verdict) for verdict in verdicts)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _cells(verdict: Verdict) -> tuple[str, ...]:
    tried = f" ({verdict.attempts} attempts)" if verdict.attempts > 1 else ""
    return (
        verdict.what,
        verdict.found,
        verdict.allowed,
        verdict.budget,
        verdict.word + tried,
        verdict.floor,
    )


def summary(verdicts: Sequence[Verdict]) -> str:
    """One line: how many hold, how many of those miss the contract, which are missed.

    And which no longer need what was stated for them.
    """
    missed = [verdict.what for verdict in verdicts if not verdict.holds]
    known = sum(each.holds and each.stated and not each.contract for each in verdicts)
    spare = [verdict.what for verdict in verdicts if verdict.stated and verdict.contract]
    parts = [f"{len(verdicts) - len(missed)} of {len(verdicts)} budgets hold"]
    if known:
        parts.append(f"{known} of them by a stated bound, the contract's is missed")
    if spare:
        parts.append(f"met again, state no more: {', '.join(spare)}")
    if missed:
        parts.append(f"missed: {', '.join(missed)}")
    return "bench-check: " + "; ".join(parts)
