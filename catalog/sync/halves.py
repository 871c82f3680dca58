"""Finding the refs that cannot be fetched, by fetching halves of what failed. Pure.

It is bounded by what was tried: halves of a thousand refs that hang would take hours, and nothing
is published meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Fetch = Callable[[Sequence[str]], tuple[str | None, bool]]
"""Fetch a group: why it could not be had, None where it could, and whether that took too long."""

GROUP = 500
"""How many refs are asked for at once."""

SLOW = 30
"""After how many fetches that did not end the refs that are left wait for the next round."""

TRIES = 500
"""After how many fetches at all they do."""


@dataclass(frozen=True, slots=True)
class Halves:
    """Which refs cannot be fetched and why, whether any could, how many were not tried."""

    broken: dict[str, str]
    answers: bool
    late: int


def in_halves(refs: Sequence[str], fetch: Fetch) -> Halves:
    """Fetch *refs*, the first ones first, in halves of what failed."""
    groups = [refs[start : start + GROUP] for start in range(0, len(refs), GROUP)][::-1]
    broken: dict[str, str] = {}
    answers, slow, tries = False, 0, 0
    while groups and slow < SLOW and tries < TRIES:
        group = groups.pop()
        why, is_slow = fetch(group)
        tries, slow = tries + 1, slow + is_slow
        if why is None:
            answers = True
        elif len(group) == 1:
            broken[group[0]] = f"its ref cannot be fetched, git says: {why}"
        else:
            half = len(group) // 2
            groups += [group[half:], group[:half]]
    return Halves(broken, answers, sum(len(group) for group in groups))
