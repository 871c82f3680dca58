"""What ``/proc`` says about processes and this boot; "" or None wherever it says nothing."""

from __future__ import annotations

import os

from catalog.value import Value

DEAD = ("Z", "X", "x")
"""States of a process that has ended; of one thread of several, it only says that this one did."""

_KERNEL_THREAD = 0x00200000
"""The flag of a process that the kernel started for itself (PF_KTHREAD)."""


class Stat(Value):
    """The fields of ``/proc/<pid>/stat`` that evidence is made of.

    ``exit`` is the wait status of a zombie (0 also where the kernel does not tell us), ``parent``
    the pid of its parent (0 where it is not of our namespace), ``terminal`` whether its session
    has a terminal.
    """

    __slots__ = ("exit", "parent", "start", "state", "terminal", "threads")

    def __init__(
        self,
        state: str,
        threads: int,
        start: str,
        exit: int,
        parent: int = 0,
        terminal: bool = False,
    ) -> None:
        self.state = state
        self.terminal = terminal
        self.parent = parent
        self.threads = threads
        self.start = start
        self.exit = exit


def read_stat(pid: int) -> Stat | None:
    """Return what ``/proc`` shows of *pid*, or None."""
    return parse_stat(_read(f"/proc/{pid}/stat"))


def parse_stat(raw: bytes) -> Stat | None:
    """Parse the one line; a process name may hold anything, `` ) (`` and line feeds included."""
    _, name_end, rest = raw.rpartition(b")")
    words = rest.decode("ascii", "replace").split(None, 20)
    if not name_end or len(words) < 20 or not words[17].isdigit() or not words[19].isdigit():
        return None
    exit = _exit(words[20]) if words[0] in DEAD and len(words) > 20 else 0
    parent = int(words[1]) if words[1].isdigit() else 0
    return Stat(words[0], int(words[17]), words[19], exit, parent, words[4] != "0")


def _exit(rest: str) -> int:
    """Return the wait status: field 52 of the line, of which *rest* begins with field 23."""
    words = rest.split()
    return int(words[29]) if len(words) > 29 and words[29].isdigit() else 0


def read_terminal(pid: int) -> str:
    """Say what terminal *pid* has: ``one``, ``none``, ``gone`` or, where it is not told, "".

    ``gone`` is one that it still holds open, of which nothing else is left. Of a process that is
    stopped, by a signal or a debugger, that alone is said: ``stopped``.
    """
    found = read_stat(pid)
    if found is None:
        return ""
    if found.state in ("T", "t"):
        return "stopped"
    if found.terminal:
        return "one"
    return "gone" if any(_is_lost_terminal(f"/proc/{pid}/fd/{n}") for n in range(3)) else "none"


def _is_lost_terminal(path: str) -> bool:
    try:
        target = os.readlink(path)
    except OSError:
        return False
    return target.startswith("/dev/pts/") and target.endswith("(deleted)")


def read_argv(pid: int) -> tuple[str, ...]:
    """Return the argument vector of *pid*, cut off after 4 096 bytes; empty where none is shown."""
    words = _read(f"/proc/{pid}/cmdline").split(b"\0")
    return tuple(word.decode("utf-8", "replace") for word in words[:-1] or words if word)


def is_thread(pid: int) -> bool:
    """Say whether *pid* is the number of a thread beside the main one, which is no process."""
    shown = _status_field(pid, b"Tgid:")
    return bool(shown) and shown[0] != str(pid).encode()


def is_kernel_thread(pid: int) -> bool:
    """Say whether *pid* is a thread of the kernel's own, which runs no program and never ends."""
    rest = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return len(rest) > 6 and rest[6].isdigit() and bool(int(rest[6]) & _KERNEL_THREAD)


def uid_of(pid: int) -> int | None:
    """Return the real uid of *pid*; None where it is not shown."""
    shown = _status_field(pid, b"Uid:")
    return int(shown[0]) if shown and shown[0].isdigit() else None


def _status_field(pid: int, name: bytes) -> list[bytes]:
    for line in _read(f"/proc/{pid}/status").split(b"\n"):
        if line.startswith(name):
            return line.split()[1:]
    return []


def boot_id() -> str:
    """Return the identity of this boot; empty where it is not told."""
    return _read("/proc/sys/kernel/random/boot_id").decode("ascii", "replace").strip()


def namespace(kind: str) -> str:
    """Return the inode of our own namespace of *kind* (``pid``, ``time``)."""
    try:
        return os.readlink(f"/proc/self/ns/{kind}").partition("[")[2].rstrip("]")
    except OSError:
        return ""


def _read(path: str) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(file, 4_096)
    except OSError:
        return b""
    finally:
        os.close(file)
