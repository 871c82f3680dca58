"""Advisory locks by ``flock``: the kernel frees them on any death of their holder."""

from __future__ import annotations

import fcntl
import os
import stat
from errno import EACCES, EAGAIN, ELOOP, ENOLCK, ENOSYS, ENXIO, EOPNOTSUPP
from time import monotonic, sleep

from catalog.errors import St2Error
from catalog.system.folders import owned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.system.lock_holder import Holder

_OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WITHOUT_FLOCK = (ENOLCK, ENOSYS, EOPNOTSUPP)


class Lock:
    """A lock that is held until :meth:`release`, the end of a ``with``, or the process's end."""

    __slots__ = ("fd",)

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def release(self) -> None:
        """Let go; harmless when repeated. What is written in it may be lost: nobody believes it."""
        if self.fd >= 0:
            fd, self.fd = self.fd, -1
            try:
                os.close(fd)
            except OSError:
                pass

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def acquire(folder: int, name: str, path: str, *, wait_ms: int) -> Lock:
    """Lock *name* in an open folder, trying for at most *wait_ms* on the monotonic clock."""
    fd = _open_lock(folder, name, path)
    deadline = monotonic() + wait_ms / 1_000
    pause = 0.001
    try:
        while not _try(fd, path, fcntl.LOCK_EX):
            if monotonic() >= deadline:
                raise _held(fd, path, wait_ms)
            sleep(min(pause, max(deadline - monotonic(), 0)))
            pause = min(pause * 2, 0.05)
        # As long as what the last holder wrote: to cut that off would cost more than all the rest.
        told = b"pid %-10d\n" % os.getpid()
        if os.lseek(fd, 0, os.SEEK_END) > len(told):
            os.ftruncate(fd, 0)
        os.pwrite(fd, told, 0)
    except BaseException:
        Lock(fd).release()
        raise
    return Lock(fd)


def is_free(folder: int, name: str) -> bool | None:
    """Say whether nobody holds the lock; None where that cannot be told."""
    try:
        fd = os.open(name, _LOOK, dir_fd=folder)
    except FileNotFoundError:
        return True
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        return _try(fd, name, fcntl.LOCK_SH)
    except (OSError, St2Error):
        return None
    finally:
        os.close(fd)


def is_nameless(fd: int) -> bool:
    """Say whether the file of a lock that is held was deleted, and does not only lie elsewhere."""
    try:
        return os.fstat(fd).st_nlink == 0
    except OSError:
        return False


def holder(folder: int, name: str) -> Holder | None:
    """Return who holds a lock now; None where nobody does or it cannot be told. Makes no file."""
    try:
        fd = os.open(name, _LOOK, dir_fd=folder)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode) or _try(fd, name, fcntl.LOCK_SH):
            return None
        from catalog.system.lock_holder import read

        return read(fd)
    except (OSError, St2Error):
        return None
    finally:
        os.close(fd)


def _open_lock(folder: int, name: str, path: str) -> int:
    hint = f"move {path} away; it is made anew"
    try:
        fd = _opened(folder, name)
    except IsADirectoryError:
        raise _busy(path, "found a directory, wanted a lock file", hint) from None
    except OSError as error:
        if error.errno == ELOOP:
            raise _busy(path, "found a symlink, wanted a lock file", hint) from None
        if error.errno != ENXIO:
            raise
        fd = -1
    if fd >= 0:
        try:
            if stat.S_ISREG(os.fstat(fd).st_mode):
                return fd
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)
    raise _busy(path, "found something that is no file, wanted a lock file", hint)


def _opened(folder: int, name: str) -> int:
    try:
        return os.open(name, _OPEN, dir_fd=folder)
    except FileNotFoundError:
        return owned(os.open, name, _OPEN | os.O_CREAT, 0o600, dir_fd=folder)


def _try(fd: int, path: str, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _WITHOUT_FLOCK:
            sentence = "this filesystem has no flock, wanted one that locks"
            raise _busy(path, sentence, "put the catalog on a local filesystem") from None
        if error.errno in (EAGAIN, EACCES):
            return False
        raise
    return True


def _held(fd: int, path: str, wait_ms: int) -> St2Error:
    from catalog.system.lock_holder import words

    return _busy(path, f"held by {words(fd)}, not free within {wait_ms} ms")


def _busy(path: str, sentence: str, hint: str | None = None) -> St2Error:
    from catalog.refusals import LockBusy

    return LockBusy(path, sentence, hint)
