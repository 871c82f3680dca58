"""Starting an owner: two pipes, a double fork, a fresh interpreter that keeps nothing else."""

from __future__ import annotations

import fcntl
import os
import select
import sys
from time import monotonic

from catalog.errors import St2Error, reason_of, words_of
from catalog.layout import Layout
from catalog.system.signals import signal
from drivers import job as jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.system.files import Files
    from drivers.job import Job

READY_WAIT_MS = 5_000
"""How long a start waits for its owner; after that the harness starts and says so."""

_LOWEST = 10
_LOCK_WAIT_MS = 500
_PASSED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_IGNORED = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGPIPE")


class NoOwner(Exception):
    """The owner did not start; the text says why."""


class Link:
    """The two pipe ends that whoever starts an owner keeps. Both close when it execs."""

    __slots__ = ("_launch", "_ready")

    def __init__(self, launch: int, ready: int) -> None:
        self._launch = launch
        self._ready = ready

    def send(self, job: Job) -> None:
        """Tell the owner its job."""
        self._tell(job.encode())

    def wait_ready(self) -> None:
        """Return when the owner holds its lock and watches; raise NoOwner where it does not."""
        answer = self._hear(READY_WAIT_MS)
        if answer == jobs.READY:
            return
        if answer and answer.startswith(jobs.HELD):
            raise NoOwner(answer[1:].decode("utf-8", "replace"))
        raise NoOwner("it ended before it was ready" if answer == b"" else "no answer from it")

    def go(self) -> None:
        """Say that the harness starts now; an owner that has died is no reason not to."""
        self._tell(jobs.GO)

    def go_wrong(self, errno_name: str) -> None:
        """Say, after :meth:`go`, that exec failed."""
        self._tell(errno_name.encode())

    def hang_up(self) -> None:
        """Let the owner read the end of what it is told."""
        os.close(self._launch)

    def wait_served(self, wait_ms: int) -> bool:
        """Wait until the owner has written its first beat or an end; False after *wait_ms*."""
        limit = monotonic() + wait_ms / 1_000
        while (rest_ms := (limit - monotonic()) * 1_000) > 0:
            if self._hear(rest_ms) == b"":
                return True
        return False

    def _tell(self, message: bytes) -> None:
        try:
            os.write(self._launch, message)
        except OSError:
            pass

    def _hear(self, wait_ms: float) -> bytes | None:
        """Return what the owner said, b"" at its end, None after *wait_ms*."""
        waiter = select.poll()
        waiter.register(self._ready, select.POLLIN)
        return os.read(self._ready, 4_096) if waiter.poll(wait_ms) else None


def start_owner(job: Job, pidfd: int | None, files: Files) -> Link:
    """Start the owner of *job*, whose harness *pidfd* watches; raise NoOwner.

    The caller has SIGPIPE ignored and holds no lock (a forked copy would keep it); it never
    sees a child of its own.
    """
    interpreter = sys.executable
    if not interpreter or not os.access(interpreter, os.X_OK):
        raise NoOwner("no interpreter to run it")
    try:
        to_owner, from_us = _pipe()
        from_owner, to_us = _pipe()
        watched = -1 if pidfd is None else _above(pidfd)
        had_sigchld = signal.SIGCHLD in signal.sigpending()
        middle = os.fork()
    except OSError as error:
        raise NoOwner(reason_of(error)) from None
    if middle == 0:
        _become_owner(job, interpreter, files, (watched, to_owner, to_us))
    _reap(middle, had_sigchld)
    for fd in (to_owner, to_us, watched):
        if fd >= 0:
            os.close(fd)
    link = Link(from_us, from_owner)
    link.send(job)
    return link


def _pipe() -> tuple[int, int]:
    read_end, write_end = os.pipe()
    return _above(read_end), _above(write_end)


def _above(fd: int) -> int:
    """Move a descriptor out of the way: below 10 it may be a standard one that was closed."""
    if fd >= _LOWEST:
        return fd
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _LOWEST)
    os.close(fd)
    return moved


def _reap(middle: int, had_sigchld: bool) -> None:
    try:
        os.waitpid(middle, 0)
    except ChildProcessError:
        pass
    if not had_sigchld and signal.SIGCHLD in signal.sigpending():
        # It was inherited as blocked, and pending signals survive exec.
        signal.sigtimedwait({signal.SIGCHLD}, 0)


def _become_owner(job: Job, interpreter: str, files: Files, fds: tuple[int, int, int]) -> None:
    """Answer from the fork, which is quick, and become the light owner behind that answer.

    The lock is taken here and survives exec, so there is no moment without it.
    """
    pidfd, launch, ready = fds
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        for name in _IGNORED:
            signal.signal(getattr(signal, name), signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.chdir("/")
        lock = _lock(job, files, ready)
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "owner_start.py")
        environment = {name: os.environ[name] for name in _PASSED if name in os.environ}
        _keep(pidfd, launch, ready, lock)
        _answer(jobs.READY_FD, jobs.READY)
        os.execve(interpreter, [interpreter, "-I", "-S", script], environment)
    finally:
        os._exit(1)


def _lock(job: Job, files: Files, ready: int) -> int:
    path = Layout(job.root, job.host).owner_lock(job.agent)
    try:
        return files.lock(path, wait_ms=_LOCK_WAIT_MS).fd
    except (OSError, St2Error) as error:
        _answer(ready, jobs.HELD + words_of(error).encode("utf-8", "backslashreplace"))
        raise


def _answer(ready: int, message: bytes) -> None:
    """Tell whoever waits; it may have been killed, and the session goes on without it."""
    try:
        os.write(ready, message)
    except OSError:
        pass


def _keep(pidfd: int, launch: int, ready: int, lock: int) -> None:
    """Leave an owner its descriptors and ``/dev/null``."""
    nothing = _above(os.open(os.devnull, os.O_RDWR))
    places = (nothing, nothing, nothing, nothing if pidfd < 0 else pidfd, launch, ready)
    for number, fd in enumerate((*places, _above(lock))):
        os.dup2(fd, number)
    for number in _open_descriptors():
        if number > jobs.LOCK_FD:
            _close(number)


def _open_descriptors() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/dev/fd")]
    except OSError:
        return list(range(min(os.sysconf("SC_OPEN_MAX"), 65_536)))


def _close(fd: int) -> None:
    try:
        os.close(fd)
    except OSError:
        pass
