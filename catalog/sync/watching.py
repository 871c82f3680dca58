"""Sync that goes on: the loop that does what :mod:`catalog.sync.schedule` decides.

A round that fails ends nothing. What happened goes to a listener; nothing here prints.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from catalog.errors import St2Error, words_of
from catalog.seen import Content
from catalog.sync import events, latest, remarks, round, schedule
from catalog.sync.collect import Collected
from catalog.sync.gather import OwnRecords, gather
from catalog.sync.policy import Policy
from catalog.sync.publish import Published
from catalog.sync.schedule import ACTIVITY, NOTHING, RECORDS, Schedule
from catalog.sync.site import Site
from catalog.sync_errors import BadSettings, SyncFailed
from catalog.system.changes import Hints

SUSPENDED_MS = 1_000
"""A sleep of the machine longer than this makes a round due."""

_ACTIVITY = "activity"

_Done = TypeVar("_Done")
_Tried = tuple[_Done | None, St2Error]


@dataclass(frozen=True, slots=True)
class Clocks:
    """Two clocks that nobody can set: one counts the time that the machine sleeps, one does not."""

    boot_ms: Callable[[], int]
    awake_ms: Callable[[], int]

    def slept_ms(self) -> int:
        """Return how long the machine has slept since it was started."""
        return self.boot_ms() - self.awake_ms()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ears:
    """What the loop is told from outside, and whom it tells.

    ``reread`` returns a site and policy where settings are to be read again, else None; it
    raises St2Error where they cannot be used. ``most_ms`` is the longest time between two calls
    of ``alive``.
    """

    hints: Hints
    stopped: Callable[[], bool]
    reread: Callable[[], tuple[Site, Policy] | None]
    alive: Callable[[], None]
    tell: Callable[[events.Event], None]
    most_ms: int = 3_600_000


class Watching:
    """One host's sync, going on. Its user holds the publisher's lock."""

    def __init__(self, site: Site, policy: Policy, clocks: Clocks, ears: Ears) -> None:
        self._site = site
        self._clocks = clocks
        self._ears = ears
        self._state: Schedule = schedule.begin(policy, clocks.boot_ms())
        self._published = self._offered = ("", "")
        self._found: OwnRecords | None = None
        self._slept_ms = clocks.slept_ms()
        self._episodes: dict[str, tuple[int, int, str]] = {}
        self._warned: dict[str, frozenset[str]] = {}
        self._degraded: str | None = None

    def run(self) -> None:
        """Go on until told to stop."""
        while not self._ears.stopped():
            self.step()

    def step(self) -> None:
        """Do the next thing: one publish, one collect, one look, or one wait."""
        self._ears.alive()
        self._reread()
        self._wake_from_sleep()
        now_ms = self._clocks.boot_ms()
        step = schedule.next_step(self._state, now_ms)
        if step.act == schedule.PUBLISH:
            self._publish()
        elif step.act == schedule.COLLECT:
            self._collect()
        elif step.act == schedule.LOOK:
            self._look()
        else:
            self._wait(step.until_ms - now_ms)

    def _wait(self, ms: int) -> None:
        self._tell_degraded()
        if self._ears.hints.wait(max(min(ms, self._ears.most_ms), 1)):
            self._state = schedule.hinted(self._state)
        self._tell_degraded()

    def _look(self) -> None:
        began_ms = self._clocks.boot_ms()
        found = self._gather()
        now_ms = self._clocks.boot_ms()
        changed = NOTHING if found is None else _changed(self._published, _marks(found))
        took_ms = now_ms - began_ms
        self._state = schedule.looked(self._state, changed, now_ms=now_ms, took_ms=took_ms)
        # Where the publish follows at once it takes what was just read.
        self._found = found if now_ms >= self._state.publish_due_ms else None
        if found is not None and found.ended and self._found is None:
            self._ears.tell(events.Ended(found.ended))

    def _gather(self) -> OwnRecords | None:
        try:
            found = gather(self._site)
        except (St2Error, OSError) as error:
            self._warn("look", [words_of(error)])
            return None
        self._warn("look", [])
        # What was read in another folder that lay in its place is nobody's news.
        return found if self._is_in_place() else None

    def _publish(self) -> None:
        def attempt() -> tuple[Published | None, St2Error | None]:
            self._check_place()
            found, self._found = self._found or gather(self._site), None
            self._check_place()
            self._offered = _marks(found)
            return round.try_publish(self._site, found=found)

        done, error = _tried(attempt)
        now_ms, chance = self._clocks.boot_ms(), self._site.jitter()
        if done is None:
            self._state = schedule.not_published(self._state, now_ms=now_ms, chance=chance)
            self._failed("publish", error, self._state.retry_ms - now_ms)
            return
        self._published = self._offered
        self._state = schedule.published(self._state, now_ms=now_ms, chance=chance)
        self._warn("publish", remarks.of_findings(done.findings))
        self._recovered("publish")
        self._ears.tell(events.DidPublish(done))

    def _check_place(self) -> None:
        """Raise SyncFailed unless this is still the catalog that the loop began in."""
        if not self._is_in_place():
            sentence = f"not node {self._site.node} any more, wanted the catalog that this began in"
            hint = "bring the catalog back, or start st2 sync again"
            raise SyncFailed(self._site.layout.node(), sentence, hint)

    def _is_in_place(self) -> bool:
        """Say whether our node is here: a disk that has gone leaves a folder that is empty."""
        found = self._site.files.read(self._site.layout.node(), limit=4_096)
        return isinstance(found, Content) and self._site.node.encode() in found.raw

    def _collect(self) -> None:
        def attempt() -> tuple[Collected | None, St2Error | None]:
            self._check_place()
            return round.try_collect(self._site)

        done, error = _tried(attempt)
        now_ms, chance = self._clocks.boot_ms(), self._site.jitter()
        if done is None:
            self._state = schedule.not_collected(self._state, now_ms=now_ms, chance=chance)
            self._failed("collect", error, self._state.collect_ms - now_ms)
            return
        self._state = schedule.collected(self._state, now_ms=now_ms, chance=chance)
        self._warn("collect", remarks.of_collect(done.refused, done.kept, done.findings))
        self._recovered("collect")
        if done.hosts:
            self._ears.tell(events.DidCollect(done.hosts))

    def _failed(self, what: str, error: St2Error, retry_ms: int) -> None:
        """Tell a failure when its episode begins, or turns into one of another kind."""
        began_ms, tries, code = self._episodes.get(what, (self._clocks.boot_ms(), 0, ""))
        self._episodes[what] = (began_ms, tries + 1, error.code)
        if code != error.code:
            self._ears.tell(events.Failed(what, error, retry_ms))
        self._keep(error)

    def _recovered(self, what: str) -> None:
        episode = self._episodes.pop(what, None)
        if episode is not None:
            lasted_ms = self._clocks.boot_ms() - episode[0]
            self._ears.tell(events.Recovered(what, episode[1] + 1, lasted_ms))
        if not self._episodes:
            self._keep(None)

    def _keep(self, error: St2Error | None) -> None:
        """Leave what became of this round where other commands of this host read it."""
        if self._is_in_place():
            latest.save(self._site.files, self._site.layout, self._site.now_ms(), error)

    def _warn(self, what: str, sentences: list[str]) -> None:
        """Tell each remark once for as long as it holds, whatever its numbers are meanwhile."""
        now = {_gist(sentence): sentence for sentence in sentences}
        before = self._warned.get(what, frozenset())
        for sentence in sorted(told for gist, told in now.items() if gist not in before):
            self._ears.tell(events.Warned(sentence))
        self._warned[what] = frozenset(now)

    def _reread(self) -> None:
        try:
            found = self._ears.reread()
        except (St2Error, OSError) as error:
            known = error if isinstance(error, St2Error) else BadSettings("file", words_of(error))
            self._ears.tell(events.KeptSettings(known))
            return
        if found is not None:
            # Another remote knows nothing of us yet.
            self._site, policy = found
            now_ms = self._clocks.boot_ms()
            self._state = schedule.resumed(schedule.under(self._state, policy, now_ms), now_ms)
            self._ears.tell(events.Reread(policy))

    def _wake_from_sleep(self) -> None:
        slept_ms = self._clocks.slept_ms()
        gap_ms, self._slept_ms = slept_ms - self._slept_ms, slept_ms
        if gap_ms > SUSPENDED_MS:
            self._state = schedule.resumed(self._state, self._clocks.boot_ms())
            self._ears.tell(events.Resumed(gap_ms))

    def _tell_degraded(self) -> None:
        degraded = self._ears.hints.degraded
        if degraded != self._degraded:
            self._degraded = degraded
            if degraded is not None:
                self._ears.tell(events.Degraded(degraded))


def _tried(attempt: Callable[[], tuple[_Done | None, St2Error | None]]) -> _Tried[_Done]:
    """Make one attempt; whatever it raises, a fault of ours included, is a failure of it alone."""
    try:
        done, error = attempt()
    except St2Error as refused:
        return None, refused
    except Exception as fault:
        return None, SyncFailed("round", f"{type(fault).__name__}: {words_of(fault)}")
    return done, error or SyncFailed("round", "nothing was done")


def _gist(sentence: str) -> str:
    """Return what a remark says without its numbers: an age and an offset change at each look."""
    return " ".join(word for word in sentence.split() if not word.isdecimal())


def _marks(found: OwnRecords) -> tuple[str, str]:
    """Return what tells these records from others: of activity, and of all else."""
    activity, rest = hashlib.blake2b(), hashlib.blake2b()
    for each in found.entries:
        mark = activity if each.record == _ACTIVITY else rest
        mark.update(b"%s %d %r " % (each.path.encode(), len(each.raw), each.mtime_ms))
        mark.update(each.raw)
    return activity.hexdigest(), rest.hexdigest()


def _changed(before: tuple[str, str], now: tuple[str, str]) -> int:
    if before[1] != now[1]:
        return RECORDS
    return NOTHING if before == now else ACTIVITY
