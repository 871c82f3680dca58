"""Real files under system calls of which any one can be made to fail, or be the last one made.

Whatever `catalog.system` asks of the kernel goes through here while a :class:`Kernel` is in
place. Nobody waits for a disk; everything else is done for real.
"""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import EDQUOT, EIO, EMFILE, ENOLCK, ENOSPC, EROFS
from typing import Any

from catalog.system import files, folders, git, lock_holder, locks, log

KILLED, INTERRUPTED, STOPPED = "killed before", "interrupted after", "stopped before"
"""What can happen at a call, besides an error of the system's."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_ERRORS = {
    "open": (EMFILE,),
    "create": (ENOSPC, EDQUOT, EROFS),
    "mkdir": (ENOSPC, EDQUOT),
    "write": (ENOSPC, EDQUOT, EIO),
    "pwrite": (ENOSPC, EDQUOT),
    "fsync": (EIO, ENOSPC, EDQUOT),
    "rename": (EIO,),
    "unlink": (EROFS,),
    "utime": (EIO,),
    "fchmod": (EROFS,),
    "ftruncate": (EIO,),
    "lstat": (EIO,),
    "stat": (EIO,),
    "fstat": (EIO,),
    "read": (EIO,),
    "listdir": (EIO,),
    "scandir": (EMFILE,),
    "flock": (ENOLCK, EIO),
    "close": (EIO, EDQUOT),
}
"""Which errors a call is made to fail with; closing fails for what was written alone."""


LOOKING = ("open", "lstat", "stat", "fstat", "read", "listdir", "scandir")
"""Calls that change nothing: to die at one is to die at the next that does."""


class Killed(BaseException):
    """The process died here: whatever it still tries does not happen."""


class Kernel:
    """The calls that were made, and the one (by its number) at which *what* happens.

    *always* is a kind of call at which it happens each time.
    """

    def __init__(
        self,
        at: int | None = None,
        what: int | str = 0,
        *,
        short: bool = False,
        always: str | None = None,
    ) -> None:
        self.calls: list[str] = []
        self.opened: set[int] = set()
        self.written: set[int] = set()
        self.dead = False
        self.at, self.what, self.short, self.always = at, what, short, always
        self.after: Callable[[Kernel], None] = lambda _: None

    def __getattr__(self, name: str) -> Any:
        real = getattr(fcntl if name in ("flock", "LOCK_EX") else os, name, None)
        if real is None:
            real = getattr(fcntl, name)
        if name not in _ERRORS:
            return real
        return lambda *args, **more: self._made(name, real, args, more)

    def _made(self, name: str, real: Callable[..., Any], args: Any, more: Any) -> Any:
        if self.dead:
            raise Killed
        kind = "create" if name == "open" and args[1] & os.O_CREAT else name
        if kind == "close" and args[0] not in self.written:
            self.opened.discard(args[0])
            return real(*args)
        now = self.at == len(self.calls) or kind == self.always
        self.calls.append(kind)
        if now and self.what == KILLED:
            self._die()
        if now and self.what == STOPPED:
            os.kill(os.getpid(), signal.SIGSTOP)
        if now and isinstance(self.what, int):
            return self._fail(kind, real, args)
        if name == "write" and self.short:
            args = (args[0], args[1][:1])
        struck = now and self.what == INTERRUPTED
        try:
            done = None if name == "fsync" else real(*args, **more)
        except OSError:
            if struck:
                raise KeyboardInterrupt from None
            raise
        self._note(name, args, done)
        self.after(self)
        if struck:
            self._interrupt(name, done)
        return done

    def _fail(self, kind: str, real: Callable[..., Any], args: Any) -> Any:
        assert isinstance(self.what, int)
        if kind == "close":
            self._note(kind, args, real(*args))
        named = next((each for each in args[:1] if isinstance(each, (str, int))), None)
        error = OSError(self.what, os.strerror(self.what))
        if kind in ("open", "create", "mkdir", "rename", "unlink", "lstat", "stat", "listdir"):
            error.filename = named
        raise error

    def _interrupt(self, name: str, done: Any) -> None:
        if name == "open":
            # A signal that comes between the call and its name for the result loses that.
            os.close(done)
            self.opened.discard(done)
        raise KeyboardInterrupt

    def _note(self, name: str, args: Any, done: Any) -> None:
        if name == "open":
            self.opened.add(done)
            if args[1] & _WRITING:
                self.written.add(done)
        elif name == "close":
            self.opened.discard(args[0])
            self.written.discard(args[0])

    def _die(self) -> None:
        self.dead = True
        for descriptor in self.opened:
            os.close(descriptor)
        raise Killed


@contextmanager
def under(kernel: Kernel) -> Iterator[Kernel]:
    """Let *kernel* make the calls of `catalog.system`."""
    for module in (files, folders, git, lock_holder, locks, log):
        module.os = kernel  # type: ignore[assignment]
    locks.fcntl = kernel  # type: ignore[assignment]
    try:
        yield kernel
    finally:
        for module in (files, folders, git, lock_holder, locks, log):
            module.os = os
        locks.fcntl = fcntl


def faults(calls: list[str]) -> Iterator[tuple[int, int | str]]:
    """Everything that can happen at each of *calls*, one at a time."""
    for number, kind in enumerate(calls):
        for what in (*_ERRORS[kind], *(() if kind in LOOKING else (KILLED, INTERRUPTED))):
            yield number, what
