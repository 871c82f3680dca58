"""What a host that syncs all the time does next, and when it has to wake for it.

Pure: each function takes a state and what happened, and returns the next state. Moments are
milliseconds of a clock that counts suspended time and cannot be set; chances are from 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from catalog.sync.policy import JITTER, Policy
from catalog.windows import PUBLISH_MS, RESCAN_MS

ACTIVITY_MS = 60_000
"""Activity alone is published at most once in this time."""

LOOK_GAP_MS = 1_000
"""The shortest time between two looks that hints ask for."""

LOOK_SHARE = 20
"""A look takes at most one part in this many of the time, however many hints come."""

PAUSES_MS = (1_000, 2_000, 4_000)
"""The pauses before another try at something that failed, each ± 50 %."""

NOTHING, ACTIVITY, RECORDS = range(3)
"""How far this host's records are from what it published last; a larger word counts more."""

LOOK, PUBLISH, COLLECT, WAIT = "look", "publish", "collect", "wait"


@dataclass(frozen=True, slots=True)
class Step:
    """What to do now; for ``wait``, the moment at which to ask again."""

    act: str
    until_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """What was done and what is due. ``hinted`` and ``changed`` coalesce: nothing is queued.

    ``free_ms`` is when the publish interval has passed, ``activity_ms`` the same for activity
    alone, ``beat_ms`` when a publish is due though nothing changed.
    """

    policy: Policy
    free_ms: int
    activity_ms: int
    beat_ms: int
    rescan_ms: int
    look_ms: int
    collect_ms: int
    retry_ms: int = 0
    changed: int = NOTHING
    hinted: bool = False
    publish_failures: int = 0
    collect_failures: int = 0

    @property
    def publish_due_ms(self) -> int:
        """When the next publish is due."""
        if self.publish_failures:
            return self.retry_ms
        changed_ms = {
            NOTHING: self.beat_ms,
            ACTIVITY: max(self.free_ms, self.activity_ms),
            RECORDS: self.free_ms,
        }[self.changed]
        return min(changed_ms, self.beat_ms)

    @property
    def look_due_ms(self) -> int | None:
        """When the next look is due; None where the next publish, which looks, comes anyway."""
        if self.changed == RECORDS or self.publish_failures:
            return None
        hinted_ms = max(self.look_ms, self.free_ms)
        return min(self.rescan_ms, hinted_ms) if self.hinted else self.rescan_ms


def begin(policy: Policy, now_ms: int) -> Schedule:
    """Return the state at the start: everything is due at once."""
    return Schedule(
        policy=policy,
        free_ms=now_ms,
        activity_ms=now_ms,
        beat_ms=now_ms,
        rescan_ms=now_ms,
        look_ms=now_ms,
        collect_ms=now_ms,
    )


def next_step(state: Schedule, now_ms: int) -> Step:
    """Return what to do at *now_ms*: ours first, then theirs, then a look, else to wait."""
    look_ms = state.look_due_ms
    if now_ms >= state.publish_due_ms:
        return Step(PUBLISH, now_ms)
    if now_ms >= state.collect_ms:
        return Step(COLLECT, now_ms)
    if look_ms is not None and now_ms >= look_ms:
        return Step(LOOK, now_ms)
    moments = [state.publish_due_ms, state.collect_ms, *([] if look_ms is None else [look_ms])]
    return Step(WAIT, min(moments))


def hinted(state: Schedule) -> Schedule:
    """Something may have changed. However many hints come, one look follows."""
    return replace(state, hinted=True)


def looked(state: Schedule, changed: int, *, now_ms: int, took_ms: int) -> Schedule:
    """The records were looked at in *took_ms*; *changed* is how they differ from the published."""
    return replace(
        state,
        changed=changed,
        hinted=False,
        rescan_ms=now_ms + RESCAN_MS,
        look_ms=now_ms + max(LOOK_GAP_MS, LOOK_SHARE * took_ms),
    )


def published(state: Schedule, *, now_ms: int, chance: float) -> Schedule:
    """The remote took our records. A hint that came meanwhile stays: it may be about later ones."""
    return replace(
        state,
        free_ms=now_ms + jittered(state.policy.publish_ms, chance),
        activity_ms=now_ms + ACTIVITY_MS,
        beat_ms=now_ms + jittered(PUBLISH_MS, chance),
        rescan_ms=now_ms + RESCAN_MS,
        changed=NOTHING,
        publish_failures=0,
    )


def not_published(state: Schedule, *, now_ms: int, chance: float) -> Schedule:
    """A publish failed: three more tries soon, then one an interval until one is taken."""
    wait_ms = _pause_ms(state.publish_failures, state.policy.publish_ms, chance)
    failures = state.publish_failures + 1
    return replace(state, retry_ms=now_ms + wait_ms, publish_failures=failures)


def collected(state: Schedule, *, now_ms: int, chance: float) -> Schedule:
    """The others' records were collected."""
    due_ms = now_ms + jittered(state.policy.collect_ms, chance)
    return replace(state, collect_ms=due_ms, collect_failures=0)


def not_collected(state: Schedule, *, now_ms: int, chance: float) -> Schedule:
    """A collect failed; as :func:`not_published`."""
    wait_ms = _pause_ms(state.collect_failures, state.policy.collect_ms, chance)
    failures = state.collect_failures + 1
    return replace(state, collect_ms=now_ms + wait_ms, collect_failures=failures)


def resumed(state: Schedule, now_ms: int) -> Schedule:
    """The machine slept: what it published is old, and so is what it knows of the others."""
    return replace(state, beat_ms=now_ms, retry_ms=now_ms, collect_ms=now_ms)


def under(state: Schedule, policy: Policy, now_ms: int) -> Schedule:
    """Go on under other settings: nothing is further away than they allow."""
    most_ms = jittered(policy.publish_ms, 1.0)
    return replace(
        state,
        policy=policy,
        free_ms=min(state.free_ms, now_ms + most_ms),
        retry_ms=min(state.retry_ms, now_ms + most_ms),
        collect_ms=min(state.collect_ms, now_ms + jittered(policy.collect_ms, 1.0)),
    )


def jittered(interval_ms: int, chance: float) -> int:
    """Return an interval made shorter or longer by up to a fifth."""
    return round(interval_ms * (1 - JITTER + 2 * JITTER * chance))


def _pause_ms(failures: int, interval_ms: int, chance: float) -> int:
    interval = jittered(interval_ms, chance)
    if failures >= len(PAUSES_MS):
        return interval
    return min(round(PAUSES_MS[failures] * (0.5 + chance)), interval)
