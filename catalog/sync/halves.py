"""Finding the refs that cannot be fetched, by fetching halves of what failed. Pure.

It is bounded by the time that it took and by what was tried: halves of a thousand refs that hang
would take hours, and nothing is published meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Fetch = Callable[[Sequence[str]], str | None]
"""Fetch a group: why it could not be had, None where it could."""

GROUP = 500
"""How many refs are asked for at once."""

TRIES = 500
"""After how many fetches the refs that are left wait for the next round."""

BUDGET_S = 30.0
"""After how much time of git's they do: the last one that began in it goes on to its own limit."""


@dataclass(frozen=True, slots=True)
class Halves:
    """Which refs cannot be fetched and why, whether any could, and the groups that wait."""

    broken: dict[str, str]
    answers: bool
    rest: tuple[Sequence[str], ...]

    @property
    def late(self) -> int:
        """How many refs were not tried."""
        return sum(len(group) for group in self.rest)


def chunks(refs: Sequence[str]) -> list[Sequence[str]]:
    """Return *refs* in groups of the size that is asked for at once."""
    return [refs[start : start + GROUP] for start in range(0, len(refs), GROUP)]


def in_halves(
    groups: Sequence[Sequence[str]], fetch: Fetch, *, is_over: Callable[[], bool]
) -> Halves:
    """Fetch *groups*, the first ones first, in halves of what failed, until the time *is_over*."""
    waiting = [group for group in reversed(groups) if group]
    broken: dict[str, str] = {}
    answers, tries = False, 0
    while waiting and tries < TRIES and not is_over():
        group = waiting.pop()
        why = fetch(group)
        tries += 1
        if why is None:
            answers = True
        elif len(group) == 1:
            broken[group[0]] = f"its ref cannot be fetched, git says: {why}"
        else:
            half = len(group) // 2
            waiting += [group[half:], group[:half]]
    return Halves(broken, answers, tuple(reversed(waiting)))
