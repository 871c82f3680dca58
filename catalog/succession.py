"""By which rules a name changes hands: what claiming it comes to, and what was written of it.

Pure, as the claim is. Nothing that refreshes a session loads this.
"""

from __future__ import annotations

from catalog.claim import Claim, is_live, next_generation
from catalog.value import Value


class Keep(Value):
    """The holder itself came again: same generation, nothing but its own refresh changes."""

    __slots__ = ("claim",)

    def __init__(self, claim: Claim) -> None:
        self.claim = claim


class New(Value):
    """A new claim may be written."""

    __slots__ = ("generation", "previous", "took_over")

    def __init__(self, generation: int, took_over: bool, previous: str | None) -> None:
        self.generation = generation
        self.took_over = took_over
        self.previous = previous


class Held(Value):
    """A live session holds the name. ``last_seen_ms`` is its own last refresh, if known."""

    __slots__ = ("claim", "last_seen_ms")

    def __init__(self, claim: Claim, last_seen_ms: int | None) -> None:
        self.claim = claim
        self.last_seen_ms = last_seen_ms


class Started(Value):
    """A claim as it was written, and the one that it replaced (None at the first)."""

    __slots__ = ("claim", "replaced")

    def __init__(self, claim: Claim, replaced: Claim | None) -> None:
        self.claim = claim
        self.replaced = replaced


def decide(
    current: Claim | None,
    token: str,
    *,
    verdict: str,
    refreshed_ms: int | None,
    force: bool,
    now_ms: int,
) -> Held | Keep | New:
    """Say what claiming the name with *token* does: the rules of spec/session.md."""
    if current is None:
        return New(1, False, None)
    if current.session == token:
        return New(next_generation(current), False, None) if current.ended else Keep(current)
    live = is_live(current, verdict=verdict, refreshed_ms=refreshed_ms, now_ms=now_ms)
    if live and not force:
        return Held(current, max(current.started_ms, refreshed_ms or 0))
    took_over = not current.ended
    return New(next_generation(current), took_over, current.session if took_over else None)
