"""``st2 agents --watch``: the table, drawn anew while it is looked at."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from rich.live import Live
from rich.text import Text

from catalog.errors import St2Error
from catalog.refusals import BadUsage
from catalog.roster import Row
from st2.context import Context
from st2.footing import footing
from st2.out import ClosedPipe, plain
from st2.screen import console, screen
from st2.serve import agents
from st2.serve.following import Following
from st2.serve.watch import hints, picked

_HEARD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP, signal.SIGWINCH)


class NoTerminal(St2Error):
    """A live table needs a terminal whose cursor can be moved."""

    code = "no-terminal"
    hint = "st2 watch prints a line for every change, wherever it goes"


def run(context: Context, options: agents.Options) -> int:
    """Serve the command until a signal ends it."""
    _check(context, options)
    context.require_catalog()
    following = Following(context, _chosen(options), hints=hints(context))
    signals: list[int] = []
    try:
        with _heard(signals, following.hints.wake):
            _show(following, signals)
    except OSError:
        if signals[:1] not in ([signal.SIGHUP], [signal.SIGTERM]):
            raise ClosedPipe from None  # the terminal has gone without a word
    finally:
        following.close()
    ended_by = signals[0]
    if ended_by == signal.SIGINT:
        raise KeyboardInterrupt
    signal.signal(ended_by, signal.SIG_DFL)
    os.kill(os.getpid(), ended_by)
    return 128 + ended_by


def _check(context: Context, options: agents.Options) -> None:
    agents.check(options)
    if options.as_json:
        raise BadUsage("--watch", "found with --json, wanted one of them", "st2 watch --json")
    if options.now_ms is not None:
        raise BadUsage("--watch", "found with --now, wanted one of them")
    if not os.isatty(1):
        raise NoTerminal("--watch", "standard output is no terminal, wanted one")
    kind = context.environ.get("TERM", "")
    if kind in ("", "dumb", "unknown"):
        raise NoTerminal("--watch", f"TERM is {kind!a}, wanted a terminal with a cursor")


def _chosen(options: agents.Options) -> Callable[[list[Row]], list[Row]]:
    """Return what picks the rows: those of names for good, those of a word anew each time."""
    names = (*options.names, *([options.identity] if options.identity else []))
    pick = picked(names)
    filters = agents.Options(status=options.status, host=options.host, routable=options.routable)
    return lambda rows: agents.chosen(pick(rows), filters)


@contextmanager
def _heard(signals: list[int], wake: Callable[[], None]) -> Iterator[None]:
    """Have signals noted instead of acted upon, and the wait that runs ended."""

    def note(number: int, _: FrameType | None) -> None:
        if number not in signals:
            signals.append(number)
        wake()

    before = {each: signal.signal(each, note) for each in _HEARD}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _show(following: Following, signals: list[int]) -> None:
    """Draw until a signal ends it, and leave the terminal as it was."""
    environ = following.context.environ
    with open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False) as file:
        terminal = console(file, environ)
        live = Live(
            console=terminal,
            screen=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )

        def draw() -> bool:
            """Draw what was looked at last, as it stands at this second."""
            width, height = terminal.size
            live.update(_drawn(following, width=width, height=height), refresh=True)
            return bool(signals)

        following.look()  # what it refuses is said on the screen that stays
        with live:
            while not _is_over(signals, live):
                draw()
                following.wait(draw)
                following.look(draw)


def _is_over(signals: list[int], live: Live) -> bool:
    """Act on the signals that were noted; True where the first one left ends the command."""
    while signals and signals[0] in (signal.SIGTSTP, signal.SIGWINCH):
        if signals.pop(0) == signal.SIGTSTP:
            live.stop()
            before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTSTP)
            signal.signal(signal.SIGTSTP, before)
            live.start(refresh=True)
    return bool(signals)


def _drawn(following: Following, *, width: int, height: int) -> Text:
    last = following.last
    assert last is not None, "it is drawn after a look"
    now_ms = following.context.clock.now_ms()
    rows = following.rows(now_ms=now_ms)
    below = footing(following.context, last.found, rows, now_ms=now_ms, clock_only=False)
    return screen(rows, below, notes(following, rows), width=width, height=height)


def notes(following: Following, rows: list[Row]) -> list[str]:
    """Return what is to be said below the table and is none of its own lines."""
    told, last, rest_ms = [], following.last, following.held_ms
    if rest_ms:
        why = "this host slept or its clock was set"
        told.append(f"{why}: silence may be none for {-(-rest_ms // 1_000)} s more")
    if following.unseen:
        told.append(f"{', '.join(following.unseen)}: cannot be looked into")
    if following.hints.degraded is not None:
        told.append(f"looked at again and again: {plain(following.hints.degraded)}")
    findings = {finding.message for row in rows for finding in row.findings}
    findings |= {finding.message for finding in last.found.findings} if last else set()
    if findings:
        noun = "finding" if len(findings) == 1 else "findings"
        told.append(f"{len(findings)} {noun}: st2 agents tells, st2 doctor tells more")
    return told
