"""``watch --exec``: a command is run for every event, one after the other, with the event on stdin.

The command is a line for ``sh``, by whoever typed it; nothing of an event is ever put into it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from queue import Full, Queue

from catalog.errors import words_of
from catalog.windows import EVENT_RUN_MS
from st2.out import warn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_WAITING = 1_000
"""How many events may wait for their turn."""


class OnEvent:
    """Runs *command* for events in their order, beside the watcher; its failures are said."""

    def __init__(
        self, command: str, environ: Mapping[str, str], *, limit_ms: int = EVENT_RUN_MS
    ) -> None:
        self._command = command
        self._environ = dict(environ)
        self._limit_ms = limit_ms
        self._events: Queue[tuple[str, str] | None] = Queue(_WAITING)
        self._running: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._worker = threading.Thread(target=self._serve, daemon=True)
        self._worker.start()

    def put(self, event: str, subject: str) -> None:
        """Have the command run with *event*, a line of JSON; *subject* is what warnings name."""
        try:
            self._events.put_nowait((event, subject))
        except Full:
            warn(f"--exec: {subject}: not run, {_WAITING} events wait already")

    def finish(self) -> None:
        """Wait until the command has run for every event; an interrupt ends it as :meth:`stop`."""
        try:
            self._events.put(None)
            self._worker.join()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the command that runs, and run none any more."""
        self._stopped = True
        running = self._running
        if running is not None:
            _end(running)

    def _serve(self) -> None:
        while (taken := self._events.get()) is not None:
            if self._stopped:
                return
            event, subject = taken
            wrong = self._run(event)
            if wrong is not None and not self._stopped:
                warn(f"--exec: {subject}: {wrong}")

    def _run(self, event: str) -> str | None:
        """Run the command once; return what was wrong with it."""
        try:
            running = subprocess.Popen(
                ["/bin/sh", "-c", self._command],
                stdin=subprocess.PIPE,
                # What it prints is talk: standard output has one event a line and nothing else.
                stdout=2,
                env=self._environ,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return f"cannot be started ({words_of(error)})"
        self._running = running
        if self._stopped:
            _end(running)
        try:
            running.communicate(event.encode(), timeout=self._limit_ms / 1_000)
        except subprocess.TimeoutExpired:
            _end(running)
            return f"took more than {self._limit_ms // 1_000} s and was ended"
        finally:
            self._running = None
        if running.returncode < 0:
            return f"ended by signal {-running.returncode}"
        return f"exit {running.returncode}" if running.returncode else None


def _end(running: subprocess.Popen[bytes]) -> None:
    """End a command and all that it started in its own session."""
    try:
        os.killpg(running.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    running.wait()
