"""``st2 watch``: one line, or one JSON object, for each transition."""

from __future__ import annotations

import select
import time

from catalog.errors import St2Error
from catalog.json_text import dumps
from catalog.names import check_agent
from catalog.refusals import BadUsage
from catalog.transitions import Event
from st2.out import ClosedPipe, emit, plain, warn
from st2.roster_json import row_json
from st2.serve import agents
from st2.serve.following import Following

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from catalog.roster import Row
    from catalog.system.changes import Hints
    from catalog.transitions import Known
    from st2.context import Context
    from st2.serve.following import Look
    from st2.serve.on_event import OnEvent

ACTIVITIES = ("progressing", "stalled", "idle", "success", "failure", "cancelled")
LONGEST_S = 1_000_000_000
"""The longest ``--timeout``; whoever waits for ever says none."""
STATES = (*agents.WORDS, *ACTIVITIES, "ended", "routable")
"""What ``--until`` waits for: a word of presence, of activity, an end, or being routable."""
_NO_TRANSITION = ("watching", "present")


class NotReached(St2Error):
    """The time was up before every agent was in the state that was waited for."""

    code = "not-reached"


class Options:
    """What was asked. ``timeout_s`` None waits for ever."""

    __slots__ = ("as_json", "command", "names", "timeout_s", "until")

    def __init__(
        self,
        names: Sequence[str] = (),
        *,
        as_json: bool = False,
        until: str | None = None,
        timeout_s: float | None = None,
        command: str | None = None,
    ) -> None:
        self.names = names
        self.as_json = as_json
        self.until = until
        self.timeout_s = timeout_s
        self.command = command


def run(context: Context, options: Options) -> int:
    """Serve the command."""
    _check(options)
    context.require_catalog()
    runner = _runner(context, options.command)
    following = Following(context, picked(options.names), hints=hints(context))
    done = False
    try:
        Watch(following, options, runner).run()
        done = True
    except NotReached:
        done = True
        raise
    finally:
        following.close()
        if runner is not None:
            runner.finish() if done else runner.stop()
    return 0


def hints(context: Context) -> Hints:
    """Return what hints at changes of the catalog; what it cannot do is said once."""
    from catalog.system.changes import watch_folders

    layout = context.layout
    folders = (layout.agents(), layout.hosts())
    found = watch_folders(layout.root, folders, environ=context.environ)
    if found.degraded is not None:
        warn(f"{layout.root}: looked at again and again: {found.degraded}")
    return found


def picked(names: Sequence[str]) -> Callable[[list[Row]], list[Row]]:
    """Return what picks the rows of *names*: each is exactly one row when it is first asked."""
    chosen: set[str] = set()

    def pick(rows: list[Row]) -> list[Row]:
        if names and not chosen:
            found = agents.chosen(rows, agents.Options(names))
            chosen.update(row.identity for row in found)
        return [row for row in rows if row.identity in chosen] if names else rows

    return pick


def reached(known: Known, state: str) -> bool:
    """Say whether an agent is in *state*, one of :data:`STATES`."""
    if state == "ended":
        return known.ended
    if state == "routable":
        return known.routable
    return state == known.word or (state != "unknown" and state == known.activity)


class Watch:
    """Prints what happens until every agent is in the state that is waited for, or for ever."""

    def __init__(self, following: Following, options: Options, runner: OnEvent | None) -> None:
        self._following = following
        self._options = options
        self._runner = runner
        self._began_ms = following.context.clock.boot_ms()
        self._wanted: list[str] = []
        self._degraded = following.hints.degraded
        self._unseen: list[str] = []

    def run(self) -> None:
        """Watch. Raises NotReached when the time is up, ClosedPipe where nobody reads any more."""
        look = self._following.look()
        self._wanted = [row.identity for row in look.rows]
        watched = f"{len(look.rows)} {'agent' if len(look.rows) == 1 else 'agents'}"
        here = self._following.context.layout.host
        self._tell([Event("watching", here, watched), *look.events], look)
        while not self._is_over():
            self._following.wait(_nobody_reads, self._deadline_ms())
            look = self._following.look(_nobody_reads)
            self._tell(look.events, look)
            self._say_degraded()
            self._say_unseen()

    def _deadline_ms(self) -> int | None:
        timeout_s = self._options.timeout_s
        return None if timeout_s is None else self._began_ms + round(timeout_s * 1_000)

    def _is_over(self) -> bool:
        state, deadline_ms = self._options.until, self._deadline_ms()
        if state is None:
            return False
        known = self._following.known
        left = [each for each in self._wanted if not _is_in(known.get(each), state)]
        if not left:
            return True
        if deadline_ms is not None and self._following.context.clock.boot_ms() >= deadline_ms:
            found = "; ".join(f"{each} is {_stands(known.get(each))}" for each in left)
            time_s = f"{self._options.timeout_s:g} s"
            raise NotReached("--until", f"{found} after {time_s}, wanted {state}")
        return False

    def _say_degraded(self) -> None:
        reason = self._following.hints.degraded
        if reason is not None and reason != self._degraded:
            warn(f"looked at again and again from now on: {reason}")
        self._degraded = reason

    def _say_unseen(self) -> None:
        """Say once that nothing is seen where nothing is told, and once that it is again."""
        before, self._unseen = self._unseen, self._following.unseen
        if self._unseen != before:
            folders = ", ".join(self._unseen or before)
            cannot = "cannot be looked into, and nothing is told of it until it can"
            warn(f"{folders}: {cannot if self._unseen else 'can be looked into again'}")

    def _tell(self, events: Sequence[Event], look: Look) -> None:
        at_ms = look.moment.wall_ms
        told = [event_json(event, at_ms=at_ms) for event in events]
        lines = told if self._options.as_json else [event_line(event, at_ms) for event in events]
        if lines:
            emit("".join(lines))
        if self._runner is None:
            return
        for event, as_json in zip(events, told, strict=True):
            if event.kind not in _NO_TRANSITION:
                self._runner.put(as_json, f"{event.identity or event.host} {event.kind}")


def _is_in(known: Known | None, state: str) -> bool:
    return known is not None and reached(known, state)


def _stands(known: Known | None) -> str:
    if known is None:
        return "gone"
    return f"{known.word} and {known.activity}" if known.activity else known.word


def event_json(event: Event, *, at_ms: int) -> str:
    """Return an event as one line of JSON."""
    told = {
        "event": event.kind,
        "atMs": at_ms,
        "host": event.host,
        "identity": event.identity,
        "was": event.was,
        "status": event.word,
        "sentence": event.sentence,
        "row": None if event.row is None else row_json(event.row),
    }
    return f"{dumps(told)}\n"


def event_line(event: Event, at_ms: int) -> str:
    """Return an event as one line for people."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at_ms / 1_000))
    who = event.identity or event.host
    return f"{at} {plain(who)} {event.kind}: {plain(event.sentence)}\n"


def _nobody_reads() -> bool:
    """End quietly where the reader of our output has gone, though there is nothing to write."""
    waiter = select.poll()
    waiter.register(1, 0)
    try:
        gone = any(told & (select.POLLERR | select.POLLNVAL) for _, told in waiter.poll(0))
    except OSError:
        return False
    if gone:
        raise ClosedPipe
    return False


def _check(options: Options) -> None:
    for name in options.names:
        check_agent(name)
    if options.until is not None and options.until not in STATES:
        found = ascii(options.until)
        raise BadUsage("--until", f"found {found}, wanted one of {', '.join(STATES)}")
    if options.until is not None and not options.names:
        raise BadUsage("--until", "found without an agent, wanted at least one")
    if options.timeout_s is not None and options.until is None:
        raise BadUsage("--timeout", "found without --until, wanted both")
    if options.timeout_s is not None and not 0 <= options.timeout_s <= LONGEST_S:
        found = f"found {options.timeout_s:g}"
        raise BadUsage("--timeout", f"{found}, wanted a number from 0 to {LONGEST_S}")
    if options.command is not None and not options.command.strip():
        raise BadUsage("--exec", "found nothing, wanted a command")


def _runner(context: Context, command: str | None) -> OnEvent | None:
    if command is None:
        return None
    from st2.serve.on_event import OnEvent

    return OnEvent(command, context.environ)
