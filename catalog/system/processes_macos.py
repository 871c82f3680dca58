"""The processes of macOS: ``ps`` for the start time, kqueue for the end.

``ps`` prints a formatted start time, to the second: an equal one proves that a process is the
same, a different one proves nothing (:func:`catalog.evidence.verdict` says unknown).
"""

from __future__ import annotations

import os
import select
from time import monotonic

from catalog.evidence import Evidence, Living, Probe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_kernel: Any = select  # mypy looks at the names that Linux has
_PS = "/bin/ps"
_SYSCTL = "/usr/sbin/sysctl"


class MacProcesses:
    """Looks at processes as :class:`catalog.system.processes.Processes` does.

    *output* runs a program of the system and returns what it prints.
    """

    __slots__ = ("_output",)

    def __init__(self, output: Callable[..., str] | None = None) -> None:
        self._output = output or _output

    def open(self, pid: int) -> int | None:
        """Return None: there are no pidfds here."""
        return None

    def observe(self, pid: int, *, token: str, generation: int) -> Evidence | None:
        """Write down a living process; None when it is gone or cannot be seen to live."""
        probe = self._look(pid)
        if probe.absent or not probe.start or probe.state == "Z":
            return None
        return Evidence(
            token=token, generation=generation, pid=pid, start=probe.start, boot=probe.boot
        )

    def probe(self, evidence: Evidence) -> Probe:
        """Ask the system about the pid of *evidence*; what cannot be told is left empty."""
        return self._look(evidence.pid)

    def living(self, pid: int, pidfd: int | None, start: str) -> Living | None:
        """Return the proof that this very process lives and runs; None when stopped or gone."""
        found, state = self._shown(pid)
        return Living(pid) if found == start and state not in ("T", "Z") else None

    def is_gone(self, pid: int, pidfd: int | None, start: str) -> bool:
        """Say whether this very process has ended; only proof counts."""
        if _absent(pid):
            return True
        found, state = self._shown(pid)
        return found == start and state == "Z"

    def exit_status(self, pid: int, pidfd: int | None, start: str, *, wait_ms: int) -> int | None:
        """Return None: only a parent is told here."""
        return None

    def _look(self, pid: int) -> Probe:
        began = monotonic()
        boot = self._output(_SYSCTL, "-n", "kern.bootsessionuuid").strip()
        start, state = self._shown(pid)
        return Probe(
            boot=boot,
            absent=_absent(pid),
            start=start,
            state=state,
            threads=1,
            took_ms=round((monotonic() - began) * 1_000),
        )

    def _shown(self, pid: int) -> tuple[str, str]:
        return parse_state(self._output(_PS, "-o", "state=,lstart=", "-p", str(pid)))


class MacQueue:
    """A kqueue, which tells the end of any process of this user, and of no other."""

    __slots__ = ("_queue", "sees_end")

    def __init__(self, pid: int) -> None:
        self._queue = _kernel.kqueue()
        self.sees_end = True
        watch = _kernel.kevent(
            pid,
            filter=_kernel.KQ_FILTER_PROC,
            flags=_kernel.KQ_EV_ADD | _kernel.KQ_EV_ONESHOT,
            fflags=_kernel.KQ_NOTE_EXIT,
        )
        try:
            self._queue.control([watch], 0)
        except OSError:
            self.sees_end = False

    def wait(self, most_ms: int) -> bool:
        """Wait for at most *most_ms*; True as soon as the process has ended."""
        return bool(self._queue.control(None, 1, most_ms / 1_000))


def _absent(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass
    return False


def parse_state(printed: str) -> tuple[str, str]:
    """Return the start time, as evidence spells a formatted one, and the state letter.

    Two empty texts where `ps` showed nothing, or not what was asked for.
    """
    words = printed.split()
    return ("~" + "_".join(words[1:]), words[0][0]) if len(words) == 6 else ("", "")


def shown_process(pid: int) -> tuple[int, str, tuple[str, ...]]:
    """Return parent, start and words of *pid*; a blank inside a word ends it here."""
    return parse_process(_output(_PS, "-ww", "-o", "ppid=,lstart=,command=", "-p", str(pid)))


def parse_process(printed: str) -> tuple[int, str, tuple[str, ...]]:
    """Return parent, start and words of the one process that `ps` printed; 0 and nothing else."""
    words = printed.split()
    if len(words) < 6 or not (words[0].isascii() and words[0].isdigit()):
        return 0, "", ()
    return int(words[0]), "~" + "_".join(words[1:6]), tuple(words[6:])


def _output(*argv: str) -> str:
    """Run a program of the system, in a fixed locale and time zone, and return what it prints."""
    read_end, write_end = os.pipe()
    try:
        pid = os.posix_spawn(
            argv[0],
            argv,
            {"LC_ALL": "C", "TZ": "UTC"},
            file_actions=[(os.POSIX_SPAWN_DUP2, write_end, 1)],
        )
    except OSError:
        os.close(read_end)
        return ""
    finally:
        os.close(write_end)
    with open(read_end, "rb") as pipe:
        printed = pipe.read(4_096)
    os.waitpid(pid, 0)
    return printed.decode("ascii", "replace")
