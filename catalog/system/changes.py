"""Something under these folders may have changed: a hint, never the truth.

Whoever waits here looks for itself after each hint, and at times without one: a hint can be
lost (a full queue, a share that another machine writes) and can come for nothing.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Protocol

from catalog.system.clock import Clock
from catalog.system.file_times import FileTimes
from catalog.system.folder_events import FolderEvents, Unwatchable
from catalog.system.mounts import shared_kind

POLL_MS = 1_000
"""The shortest time between two looks where no event can be had."""

SHARE = 80
"""A look may take one part in this many of the time: with all else 2 % of one processor."""

_SLICE_MS = 100

_FORCED = "WATCHFILES_FORCE_POLLING"
_NO = ("", "0", "false", "disable", "disabled")

_now_ms = Clock().boot_ms


class Hints(Protocol):
    """What waits for a hint. ``degraded`` says why it looks by itself, None where it need not."""

    degraded: str | None

    def wait(self, timeout_ms: int) -> bool:
        """Wait for a hint; False when the time, suspended time included, has passed.

        What came since the last call counts, once. Also False after :meth:`wake`.
        """
        ...

    def wake(self) -> None:
        """End the wait that runs, or the next one. Safe in a signal handler; repeats are one."""
        ...

    def close(self) -> None:
        """Let go of everything; harmless when repeated."""
        ...


class Changes:
    """Hints from the system's own events; from looks at file times where there are none."""

    def __init__(
        self, events: FolderEvents | None, times: FileTimes, *, degraded: str | None, poll_ms: int
    ) -> None:
        self.degraded = degraded
        self._events = events
        self._times = times
        self._poll_ms = poll_ms
        self._woken = False
        self._due_ms = 0
        if events is None:
            self._look()

    def wait(self, timeout_ms: int) -> bool:
        """Wait for a hint; see :class:`Hints`."""
        until_ms = _now_ms() + timeout_ms
        while not self._woken:
            hinted = self._polled(until_ms) if self._events is None else self._heard(self._events)
            if hinted:
                return True
            if _now_ms() >= until_ms:
                break
        self._woken = False
        return False

    def wake(self) -> None:
        """End the wait that runs, or the next one."""
        self._woken = True

    def close(self) -> None:
        """Let go of everything."""
        if self._events is not None:
            self._events.close()

    def _heard(self, events: FolderEvents) -> bool:
        try:
            return events.heard()
        except Unwatchable as error:
            # What came between the last event and this look is not known: that is a hint.
            self.degraded = str(error)
            events.close()
            self._events = None
            self._look()
            return True

    def _polled(self, until_ms: int) -> bool:
        rest_ms = min(until_ms, self._due_ms) - _now_ms()
        if rest_ms > 0:
            time.sleep(min(rest_ms, _SLICE_MS) / 1_000)
        return _now_ms() >= self._due_ms and self._look()

    def _look(self) -> bool:
        began = time.thread_time_ns()
        changed = self._times.changed()
        took_ms = (time.thread_time_ns() - began) // 1_000_000
        self._due_ms = _now_ms() + max(self._poll_ms, took_ms * SHARE)
        return changed


def watch_folders(
    root: str,
    folders: Sequence[str],
    *,
    environ: Mapping[str, str],
    depth: int = 2,
    poll_ms: int = POLL_MS,
) -> Changes:
    """Watch *folders* of *root* (and files, by name), present or not, *depth* levels down.

    Nothing else counts, so what is written elsewhere in *root* cannot wake its own writer. Where
    events cannot be had (or ``WATCHFILES_FORCE_POLLING`` is set in *environ*) it looks itself,
    each *poll_ms* and for an eightieth of the time at most; ``degraded`` says why. Never raises.
    """
    times = FileTimes(root, folders, depth=depth)
    why = _no_events(root, environ)
    events: FolderEvents | None = None
    if why is None:
        try:
            events = FolderEvents(root, folders, depth=depth)
        except Unwatchable as error:
            why = str(error)
    return Changes(events, times, degraded=why, poll_ms=poll_ms)


def _no_events(root: str, environ: Mapping[str, str]) -> str | None:
    if environ.get(_FORCED, "").strip().lower() not in _NO:
        return f"{_FORCED} is set"
    kind = shared_kind(root)
    return None if kind is None else f"{root} is on {kind}, where others' writes make no event"
