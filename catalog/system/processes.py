"""The processes of this host, by pidfd and ``/proc``; nothing here signals one for real."""

from __future__ import annotations

import fcntl
import os
import select
import sys
from time import monotonic

from catalog.evidence import Evidence, Living, Probe
from catalog.system import procfs

_IOCTL_GET_INFO = 0xC040FF0B
_INFO_BYTES = 64
_WANT_EXIT = 0b1001
_HAS_EXIT = 0b1000
_STOPPED = ("T", "t")


class Processes:
    """Looks at processes. Every method may be repeated; none changes a process.

    For one *round* of looks the ground that they all stand on is read once, at the first.
    """

    __slots__ = ("_ground", "_round")

    def __init__(self, *, a_round: bool = False) -> None:
        self._round = a_round
        self._ground: tuple[str, str, str, int] | None = None

    def open(self, pid: int) -> int | None:
        """Open a pidfd (close-on-exec); None without such a process or such a kernel."""
        try:
            return os.pidfd_open(pid) if pid > 0 else None
        except (OSError, AttributeError):
            return None

    def observe(self, pid: int, *, token: str, generation: int) -> Evidence | None:
        """Write down a living process; None when it is gone or cannot be seen to live.

        The pidfd is opened first, then the start is read: while the pidfd stays silent the
        number cannot have been reused, so that start is this process's.
        """
        probe = self._look(pid)
        if (
            procfs.is_thread(pid)
            or probe.absent
            or probe.fired
            or (probe.state in procfs.DEAD and probe.threads <= 1)
        ):
            return None
        return Evidence(
            token=token,
            generation=generation,
            pid=pid,
            start=probe.start,
            boot=probe.boot,
            pid_ns=probe.pid_ns,
            time_ns=probe.time_ns,
            pidfd=probe.pidfd,
        )

    def probe(self, evidence: Evidence) -> Probe:
        """Ask the system about the pid of *evidence*; what cannot be told is left empty."""
        return self._look(evidence.pid)

    def living(self, pid: int, pidfd: int | None, start: str) -> Living | None:
        """Return the proof that this very process lives and runs; None when stopped or gone."""
        found = procfs.read_stat(pid)
        if pidfd is None:
            same = found is not None and found.start == start
            if not same or not _exists(pid):
                return None
        elif _fired(pidfd):
            return None
        if found is not None and (found.state in _STOPPED or _is_dead(found)):
            return None
        return Living(pid)

    def is_gone(self, pid: int, pidfd: int | None, start: str) -> bool:
        """Say whether this very process has ended; only proof counts."""
        if pidfd is not None:
            return _fired(pidfd)
        if not _exists(pid):
            return True
        found = procfs.read_stat(pid)
        return found is not None and (found.start != start or _is_dead(found))

    def exit_status(self, pid: int, pidfd: int | None, start: str, *, wait_ms: int) -> int | None:
        """Return the wait status of a process that is gone; None when nobody tells.

        A zombie shows it in ``/proc``; once its parent has reaped it the pidfd knows, so wait
        for that at most *wait_ms*.
        """
        shown = _zombie_status(pid, pidfd, start)
        if shown is not None or pidfd is None:
            return shown
        waiter = select.poll()
        waiter.register(pidfd, 0)
        waiter.poll(wait_ms)
        return _reaped_status(pidfd)

    def _look(self, pid: int) -> Probe:
        began = monotonic()
        boot, pid_ns, time_ns, anonymous = self._ground or self._stand()
        pidfd = self.open(pid)
        try:
            found = procfs.read_stat(pid)
            fired = None if pidfd is None else _fired(pidfd)
            inode = "" if pidfd is None else _inode(pidfd, anonymous)
        finally:
            if pidfd is not None:
                os.close(pidfd)
        return Probe(
            boot=boot,
            pid_ns=pid_ns,
            time_ns=time_ns,
            absent=not _exists(pid),
            fired=fired,
            start=found.start if found else "",
            pidfd=inode,
            state=found.state if found else "",
            threads=found.threads if found else 0,
            took_ms=round((monotonic() - began) * 1_000),
        )

    def _stand(self) -> tuple[str, str, str, int]:
        """Return boot, namespaces of pids and of time, and where anonymous inodes lie."""
        boot, pid_ns, time_ns = procfs.boot_id(), procfs.namespace("pid"), procfs.namespace("time")
        ground = boot, pid_ns, time_ns, _anonymous_device()
        if self._round:
            self._ground = ground
        return ground


def host_processes(*, a_round: bool = False) -> Processes:
    """Return the processes of the system that we run on, for one *round* of looks or for long."""
    if sys.platform == "darwin":
        from catalog.system.processes_macos import MacProcesses

        return MacProcesses()
    return Processes(a_round=a_round)


def _exists(pid: int) -> bool:
    """Say no only when the kernel answers ESRCH; a missing ``/proc`` entry is no absence."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _fired(pidfd: int) -> bool:
    waiter = select.poll()
    waiter.register(pidfd, select.POLLIN)
    return bool(waiter.poll(0))


def _anonymous_device() -> int:
    """Return the device of the inode that all descriptors without one of their own share."""
    shared = select.epoll()
    try:
        return os.fstat(shared.fileno()).st_dev
    finally:
        shared.close()


def _inode(pidfd: int, anonymous: int) -> str:
    """Return the pidfd's inode where the kernel gives each process its own (>= 6.9)."""
    ours = os.fstat(pidfd)
    return "" if ours.st_dev == anonymous else str(ours.st_ino)


def _is_dead(found: procfs.Stat) -> bool:
    return found.state in procfs.DEAD and found.threads <= 1


def _zombie_status(pid: int, pidfd: int | None, start: str) -> int | None:
    """Return a zombie's non-zero status; a zero may also mean that we may not know."""
    found = procfs.read_stat(pid)
    if found is None or found.start != start or not _is_dead(found) or not found.exit:
        return None
    return None if pidfd is not None and not _fired(pidfd) else found.exit


def _reaped_status(pidfd: int) -> int | None:
    told = bytearray(_INFO_BYTES)
    told[:8] = _WANT_EXIT.to_bytes(8, sys.byteorder)
    try:
        fcntl.ioctl(pidfd, _IOCTL_GET_INFO, told)
    except OSError:
        return None
    if not int.from_bytes(told[:8], sys.byteorder) & _HAS_EXIT:
        return None
    return int.from_bytes(told[60:64], sys.byteorder, signed=True)
