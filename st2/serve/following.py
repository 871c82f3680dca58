"""The loop behind ``watch`` and ``agents --watch``: look at the catalog, sleep until it may differ.

The truth is always a look of its own: after a hint that a file changed, after a harness of this
host has ended, at the next moment at which time alone changes a row, and after a while anyhow.
"""

from __future__ import annotations

from catalog.claim import Claim
from catalog.gathered import Gathered, gathered
from catalog.heard import here_ms, skew_of
from catalog.system.ends import Ends
from catalog.system.folders import Folder
from catalog.transitions import Event, Known, about_clocks, present, step, step_hosts
from catalog.watch import Moment, gap, held_until_ms, next_change_ms
from catalog.windows import ENDS_LOOK_MS, FALLBACK_LOOK_MS, OWNER_WAIT_MS, RESCAN_MS
from st2.looking import Looking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.roster import Row
    from catalog.system.changes import Hints
    from catalog.witness import Sight
    from st2.context import Context

    Sights = dict[tuple[str, str], Sight]

_SHARE = 20
"""After a hint a look waits for this many times what the last one took: 5 % of a processor."""
_LONGEST_PAUSE_MS = 2_000
_OWNER_LOOK_MS = 20
"""How long a change of one agent's files that no hint tells of goes unseen, while it is awaited."""
_IDLE_MS = 250


class Look:
    """One look: the chosen rows, what was read to make them, and what happened since the last."""

    __slots__ = ("events", "found", "moment", "rows")

    def __init__(
        self, found: Gathered, rows: list[Row], events: list[Event], moment: Moment
    ) -> None:
        self.found = found
        self.rows = rows
        self.events = events
        self.moment = moment


class Following:
    """Looks at a catalog again and again. *choose* picks the rows that count, at every look."""

    def __init__(
        self, context: Context, choose: Callable[[list[Row]], list[Row]], *, hints: Hints
    ) -> None:
        from catalog.system.processes import host_processes

        self.context = context
        self.choose = choose
        self.hints = hints
        self.known: dict[str, Known] = {}
        self.hosts: dict[str, bool] = {}
        self.unseen: list[str] = []
        self._ends = Ends(host_processes())
        self._now = self._moment()
        self._gaps: list[Event] = []
        self._held_until_ms: int | None = None
        self._due_ms = 0
        self._pause_until_ms = 0
        self._first = True
        self.last: Look | None = None
        self.sights: Sights = {}

    def look(self, idle: Callable[[], bool] = lambda: False) -> Look:
        """Look at the catalog now, or once the owners of harnesses that ended have said how.

        *idle* is called meanwhile; where it says True the last look stays, and tells nothing anew.
        """
        patience_ms = self.context.clock.awake_ms() + OWNER_WAIT_MS
        while True:
            found, rows, began, sights = self._read()
            ending = self._about_to_end(rows)
            if not ending or began.awake_ms >= patience_ms:
                break
            if not self._hear_owners(ending, patience_ms, idle) and self.last is not None:
                return Look(self.last.found, self.last.rows, [], self.last.moment)
        self.sights = sights
        events = self._step(found, rows, began)
        self._follow(rows)
        self.last = Look(found, rows, events, began)
        took_ms = self.context.clock.awake_ms() - began.awake_ms
        self._pause_until_ms = began.awake_ms + min(took_ms * _SHARE, _LONGEST_PAUSE_MS)
        self._due_ms = began.boot_ms + self._rest_ms(found, rows, began, took_ms)
        return self.last

    def _read(self) -> tuple[Gathered, list[Row], Moment, Sights]:
        self._tick()
        began = self._now
        sights: Sights = {}
        found = gathered(self.context.files, self.context.layout)
        found.cache.save()
        with Looking(self.context) as look:
            rows = found.rows(now_ms=began.wall_ms, look=lambda claim: _see(claim, look, sights))
        return found, self.choose(rows), began, sights

    def _about_to_end(self, rows: list[Row]) -> list[Claim]:
        """Return the claims of which nobody was told that their harness is gone; an owner runs."""
        ending = []
        for row in rows:
            assessed, known = row.assessed, self.known.get(row.identity)
            lost = assessed.presence.why == "lost" and (known is None or known.why != "lost")
            if lost and assessed.sight is not None and assessed.sight.owner_running:
                assert isinstance(assessed.claim, Claim), "what was looked at has a claim"
                ending.append(assessed.claim)
        return ending

    def _hear_owners(self, ending: list[Claim], patience_ms: int, idle: Callable[[], bool]) -> bool:
        """Wait until all owners have spoken or have gone; False where *idle* ended that."""
        clock = self.context.clock
        idle_ms = clock.awake_ms() + _IDLE_MS
        while (now_ms := clock.awake_ms()) < patience_ms and any(map(self._is_silent, ending)):
            if now_ms >= idle_ms:
                if idle():
                    return False
                idle_ms = now_ms + _IDLE_MS
            self.hints.wait(_OWNER_LOOK_MS)
        return True

    def _is_silent(self, claim: Claim) -> bool:
        """Say whether a claim stands as it was read, and its owner may still write its end."""
        reader = self.context.reader
        stands = reader.claim(claim.host, claim.agent) == claim
        return stands and reader.owner_free(claim.agent) is False

    def wait(self, idle: Callable[[], bool], until_ms: int | None = None) -> None:
        """Wait until a look is due, or until *until_ms* of the clock since boot.

        *idle* is called each second at least; where it says True, the wait is over.
        """
        due_ms = self._due_ms if until_ms is None else min(self._due_ms, until_ms)
        while not self._tick() and (rest_ms := due_ms - self._now.boot_ms) > 0:
            if self.hints.wait(min(rest_ms, ENDS_LOOK_MS)):
                return self._pause()
            if self._ends.any_ended() or idle():
                return None
        return None

    def close(self) -> None:
        """Let go of what was opened."""
        self._ends.close()
        self.hints.close()

    def rows(self, *, now_ms: int) -> list[Row]:
        """Return the rows of the last look as they stand at *now_ms*; nothing is read."""
        assert self.last is not None, "there was a look"
        return self.choose(self.last.found.rows(now_ms=now_ms, look=self._seen))

    @property
    def held_ms(self) -> int:
        """For how long nobody is called silent, since this host slept or its clock was set."""
        return max((self._held_until_ms or 0) - self._now.boot_ms, 0)

    def _moment(self) -> Moment:
        clock = self.context.clock
        return Moment(wall_ms=clock.now_ms(), boot_ms=clock.boot_ms(), awake_ms=clock.awake_ms())

    def _tick(self) -> bool:
        """Read the clocks; True where they show that this host slept or its clock was set."""
        before, self._now = self._now, self._moment()
        found = gap(before, self._now)
        if found is None:
            return False
        self._held_until_ms = held_until_ms(self._now)
        self._gaps += about_clocks(self.context.layout.host, found)
        return True

    def _seen(self, claim: Claim) -> Sight:
        return self.sights[claim.host, claim.agent]

    def _step(self, found: Gathered, rows: list[Row], now: Moment) -> list[Event]:
        here, holding = self.context.layout.host, self.held_ms > 0
        shown = {row.host for row in rows} | self.hosts.keys()
        beats = {host: beat for host, beat in _heard(found).items() if host in shown}
        self.hosts, about_hosts = step_hosts(
            self.hosts, beats, this_host=here, now_ms=now.wall_ms, holding=holding
        )
        unseen = self._unseen(found)
        self.unseen = sorted(map(self.context.layout.host_folder, unseen))
        self.known, events = step(self.known, rows, holding=holding, unseen=unseen)
        if self._first:
            self._first, events = False, present(rows)
        events = [*self._gaps, *events, *about_hosts]
        self._gaps = []
        return events

    def _unseen(self, found: Gathered) -> set[str]:
        """Return the hosts whose folder could not be looked into."""
        layout, hosts = self.context.layout, {known.host for known in self.known.values()}
        folder = self.context.files.folder(layout.agents())
        if not isinstance(folder, Folder):
            return hosts
        folder.close()
        paths = {each.path for each in found.findings if each.code == "unreadable"}
        return {host for host in hosts if paths & {layout.agents(), layout.host_folder(host)}}

    def _follow(self, rows: list[Row]) -> None:
        chosen = {(row.host, row.agent) for row in rows}
        sights = [sight for key, sight in self.sights.items() if key in chosen]
        self._ends.follow({each.pid for each in sights if each.verdict == "alive" and each.pid})
        told = [each for each in sights if each.verdict == "unknown" and each.pid]
        if any(each.until_ms is None for each in told):
            self._ends.blind = True

    def _rest_ms(self, found: Gathered, rows: list[Row], now: Moment, took_ms: int) -> int:
        """Return after how long to look again if nothing hints at a change."""
        rests = [RESCAN_MS]
        change_ms = next_change_ms(
            rows,
            found.beats,
            this_host=self.context.layout.host,
            now_ms=now.wall_ms,
            skews={host: skew_of(each) for host, each in found.heard.items()},
        )
        if change_ms is not None:
            rests.append(change_ms - now.wall_ms)
        if self.held_ms:
            rests.append(self.held_ms)
        if self._ends.blind:
            rests.append(max(FALLBACK_LOOK_MS, took_ms * _SHARE))
        return min(rests)

    def _pause(self) -> None:
        """After a hint, let more of them come while a look would cost more than its share."""
        while (rest_ms := self._pause_until_ms - self.context.clock.awake_ms()) > 0:
            self.hints.wait(rest_ms)


def _see(claim: Claim, look: Looking, sights: Sights) -> Sight:
    sight = sights[claim.host, claim.agent] = look(claim)
    return sight


def _heard(found: Gathered) -> dict[str, int | None]:
    """Return when each host was last heard, by this host's clock as far as that can be told."""
    return {
        host: None if beat_ms is None else here_ms(beat_ms, skew_of(found.heard.get(host)))
        for host, beat_ms in found.beats.items()
    }
