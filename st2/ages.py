"""Durations in the words that a person reads at a glance."""

from __future__ import annotations

_UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"))


def words(duration_ms: int) -> str:
    """Return the largest whole unit of a duration: ``40 s``, ``5 min``, ``2 h``, ``3 d``."""
    for size_ms, unit in _UNITS:
        if abs(duration_ms) >= size_ms:
            return f"{abs(duration_ms) // size_ms} {unit}"
    return "0 s"


def ago(age_ms: int) -> str:
    """Return an age as ``40 s ago``, one that is negative as ``40 s ahead``."""
    return f"{words(age_ms)} {'ahead' if age_ms < 0 else 'ago'}"
