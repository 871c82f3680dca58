"""The session owner: watches one harness, beats for it while it lives, writes its end once.

It runs in a process of its own, started by :mod:`drivers.spawn`, in which nothing else
happens. What it does when is the table of :mod:`drivers.lifecycle`.
"""

from __future__ import annotations

import os

from catalog.errors import St2Error, words_of
from catalog.names import bus_id
from catalog.reader import Hold
from catalog.session_errors import Superseded
from catalog.store import Writer
from catalog.system import log
from catalog.windows import EXIT_WAIT_MS, FALLBACK_LOOK_MS, STOPPED_LOOK_MS, TRANSCRIPT_MS
from drivers import lifecycle
from drivers.job import CLAIM, LAUNCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.evidence import Living
    from catalog.system.clock import Clock
    from catalog.system.processes import Processes
    from catalog.system.wakeups import Wakeups
    from drivers.job import Job
    from drivers.transcript import Transcript

RETRY_MS = 1_000
"""How soon a failed end is written again."""

FIRST_LOOK_MS = 3_000
"""When a transcript is looked at first: a harness has made it by then."""

HOPELESS_MS = 600_000
"""How long it is tried; after that every reader knows by evidence what was not written."""

_KEPT = 20


class Owner:
    """One session's owner. ``run`` returns when there is nothing left to own."""

    def __init__(
        self,
        job: Job,
        writer: Writer,
        processes: Processes,
        wakeups: Wakeups,
        clock: Clock,
        *,
        pidfd: int | None,
        transcript: Transcript | None = None,
        is_removed: Callable[[], bool] = lambda: False,
    ) -> None:
        self.job = job
        self.hold = Hold(job.token, job.generation)
        self.writer = writer
        self.processes = processes
        self.wakeups = wakeups
        self.clock = clock
        self.pidfd = pidfd
        self.phase = lifecycle.LAUNCHING if job.kind == LAUNCH else lifecycle.ADOPTING
        self.first = job.kind in (LAUNCH, CLAIM)
        self.proof: Living | None = None
        self.transcript = transcript
        self.is_removed = is_removed
        self.look_ms = wakeups.now_ms() + FIRST_LOOK_MS
        self.due_ms = 0
        self.ended_at_ms: int | None = None
        self.exit_text: str | None = None
        self.unlogged: list[tuple[int, str]] = []
        self.perform: dict[str, Callable[[], bool]] = {
            lifecycle.BEAT: self._beat,
            lifecycle.CHECK: self._check,
            lifecycle.OFFLINE: self._offline,
            lifecycle.END_EXITED: self._end_exited,
            lifecycle.END_LAUNCH_ERROR: self._end_launch_error,
            lifecycle.WAIT_INTERVAL: lambda: self._wait_for(self.job.beat_ms),
            lifecycle.WAIT_LOOK: lambda: self._wait_for(STOPPED_LOOK_MS),
            lifecycle.WAIT_RETRY: lambda: self._wait_for(RETRY_MS),
            lifecycle.WAIT_NOT: lambda: self._wait_for(0),
            lifecycle.LEAVE: lambda: False,
        }

    def begin(self, event: str) -> None:
        """Take what the launch came to, and the first beat or the first end that follows."""
        if not self.wakeups.sees_end:
            self._log(f"no pidfd here, its harness is looked at every {FALLBACK_LOOK_MS} ms")
        self._take(event)
        if self.phase == lifecycle.RUNNING:
            self.step()

    def run(self) -> None:
        """Serve the session until its end is written or it is another's."""
        while self.phase != lifecycle.LEFT:
            self.step()

    def step(self) -> None:
        """Wait for what comes next, and answer it."""
        self._take(self._next_event())

    def _take(self, event: str) -> None:
        self.phase, actions = lifecycle.step(self.phase, event)
        wrote = failed = False
        for action in actions:
            try:
                wrote |= self.perform[action]()
            except Superseded:
                return self._take(lifecycle.SUPERSEDED)
            except (OSError, St2Error) as error:
                failed = True
                self._log(f"{action} not written: {words_of(error)}")
        if wrote:
            self._flush_log()
        if failed or wrote:
            self._take(lifecycle.WRITE_FAILED if failed else lifecycle.WRITTEN)
        return None

    def _next_event(self) -> str:
        if self.phase in (lifecycle.ENDING, lifecycle.FAILED):
            return self._next_try()
        while True:
            gone = self.wakeups.wait(self._until_ms()) or self._is_gone()
            if not self._look(last=gone):
                return lifecycle.SUPERSEDED
            if gone:
                return lifecycle.GONE
            if self.wakeups.now_ms() >= self.due_ms:
                self.proof = self.processes.living(self.job.pid, self.pidfd, self.job.start)
                return lifecycle.DUE if self.proof else lifecycle.DUE_STOPPED

    def _until_ms(self) -> int:
        until_ms = self.due_ms
        if self.transcript is not None:
            until_ms = min(until_ms, self.look_ms)
        if not self.wakeups.sees_end:
            until_ms = min(until_ms, self.wakeups.now_ms() + FALLBACK_LOOK_MS)
        return until_ms

    def _look(self, *, last: bool) -> bool:
        """Record work that the transcript shows, when a look is due; False when superseded."""
        if self.transcript is None or not (last or self.wakeups.now_ms() >= self.look_ms):
            return True
        self.look_ms = self.wakeups.now_ms() + TRANSCRIPT_MS
        now_ms = self.clock.now_ms()
        try:
            if self.transcript.has_grown(now_ms=now_ms):
                self.writer.record_activity(self.job.agent, self.hold, "running", now_ms=now_ms)
        except Superseded:
            return False
        except (OSError, St2Error) as error:
            self._log(f"activity not written: {words_of(error)}")
        return True

    def _next_try(self) -> str:
        now_ms = self.wakeups.now_ms()
        if self.ended_at_ms is None:
            self.ended_at_ms = now_ms
        if now_ms - self.ended_at_ms >= HOPELESS_MS or self.is_removed():
            return lifecycle.HOPELESS
        self.wakeups.sleep(self.due_ms)
        return lifecycle.DUE

    def _is_gone(self) -> bool:
        return self.processes.is_gone(self.job.pid, self.pidfd, self.job.start)

    def _wait_for(self, wait_ms: int) -> bool:
        self.due_ms = self.wakeups.now_ms() + wait_ms
        return False

    def _beat(self) -> bool:
        proof, self.proof = self.proof, None
        if proof is None:
            return False
        self.writer.refresh(
            self.job.agent, self.hold, proof=proof, first=self.first, now_ms=self.clock.now_ms()
        )
        self.first = False
        return True

    def _check(self) -> bool:
        self.writer.check(self.job.agent, self.hold)
        return False

    def _offline(self) -> bool:
        self.writer.offline(self.job.agent, self.hold, now_ms=self.clock.now_ms())
        return True

    def _end_exited(self) -> bool:
        if self.exit_text is None:
            status = self.processes.exit_status(
                self.job.pid, self.pidfd, self.job.start, wait_ms=EXIT_WAIT_MS
            )
            self.exit_text = None if status is None else exit_text(status)
        self._end("exited")
        return True

    def _end_launch_error(self) -> bool:
        self._end("launch-error")
        return True

    def _end(self, reason: str) -> None:
        self.writer.end(
            self.job.agent, self.hold, reason, self.exit_text, now_ms=self.clock.now_ms()
        )

    def _log(self, event: str) -> None:
        """Log a failure, or keep it until the disk that refused it takes it."""
        self.unlogged.append((self.clock.now_ms(), f"owner of {self._name()}: {event}"))
        del self.unlogged[:-_KEPT]
        self._flush_log()

    def _flush_log(self) -> None:
        path = self.writer.layout.log()
        while self.unlogged:
            now_ms, event = self.unlogged[0]
            if not log.append(self.writer.files, path, event, now_ms=now_ms):
                return
            del self.unlogged[0]

    def _name(self) -> str:
        return bus_id(self.job.host, self.job.agent)


def exit_text(status: int) -> str:
    """Say a wait status in the words of ``session.json``: ``exit 7``, ``signal 9``."""
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return f"exit {os.WEXITSTATUS(status)}"
