"""Running one program of another author to its end: bounded, silent, in a session of its own.

GitPython's ``Git.execute`` starts the process and nothing else: its own waiting takes no bytes
for stdin, and its time limit ends only those descendants that ``pgrep`` lists, then waits for
whoever still holds the pipes. Its environment can be added to but not taken from, so ``env -u``
removes the ``GIT_*`` variables that we were started with.
"""

from __future__ import annotations

import os
import select
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from catalog.sync_errors import SyncFailed

LIMIT_S = 30.0
"""How long one command may take; git itself has no limit."""

GRACE_S = 1.0
"""How long a program that is ended may take to put its lock files away."""

WORDS = 600
"""How many letters of what a program said are told."""

OUT_BYTES = 268_435_456
"""The most that is read of what a program writes: four times the most that we ask for at once."""

ERR_BYTES = 16_777_216
"""The most that a program may say beside it; the far end of a remote speaks here, unasked."""

_KEPT_BYTES = 65_536
_PIECE_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program left: its exit code, its output as bytes, its words."""

    code: int
    out: bytes
    err: str

    def lines(self, errors: str = "surrogateescape") -> list[str]:
        """Return the lines of what it wrote, each ended by a line feed and by nothing else.

        The name of a ref may hold a letter that Unicode calls the end of a line, and what stands
        before it can be the name of another ref.
        """
        *whole, rest = self.out.decode("utf-8", errors).split("\n")
        return [*whole, rest] if rest else whole

    @property
    def words(self) -> str:
        """What it said, on one line of bounded length, control and format characters escaped."""
        lines = [*self.err.splitlines(), *self.out.decode("utf-8", "replace").splitlines()]
        told = [" ".join(line.split()) for line in lines if not line.startswith("hint:")]
        text = "; ".join(line for line in told if line) or f"exit {self.code}"
        plain = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:WORDS])
        return plain if len(text) <= WORDS else f"{plain}..."


def number(text: str) -> int | None:
    """Return the number that *text* is in plain digits, up to 19 of them; None for another text."""
    plain = text.isascii() and text.isdigit() and len(text) <= 19
    return int(text) if plain else None


def run_program(
    command: Sequence[str],
    given: Mapping[str, str],
    name: str,
    *,
    stdin: bytes = b"",
    limit_s: float = LIMIT_S,
) -> Ran:
    """Run one program to its end; *given* is the only ``GIT_*`` that it sees.

    Raises SyncFailed, with *name* as its subject, as :meth:`Git.run` does.
    """
    if shutil.which(command[0]) is None:
        raise SyncFailed(command[0], f"not found, wanted {command[0]} on PATH")
    process = _start([*_without_inherited(given), *command], given)
    try:
        out, err = _talk(process, name, stdin, limit_s)
    except subprocess.TimeoutExpired:
        _end_group(process)
        raise SyncFailed(name, f"no end after {limit_s:g} s, wanted an answer") from None
    except BaseException:
        _end_group(process)
        raise
    return Ran(process.returncode, out, err.decode("utf-8", "replace").strip())


def _talk(
    process: subprocess.Popen[bytes], name: str, stdin: bytes, limit_s: float
) -> tuple[bytes, bytes]:
    """Give a program its input and take what it says until it ends; of its words the first.

    Whoever speaks without end is not kept in memory until the time is up. Raises TimeoutExpired,
    SyncFailed where it says too much.
    """
    out, err = bytearray(), bytearray()
    said, rest, deadline = 0, memoryview(stdin), time.monotonic() + limit_s
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    os.set_blocking(process.stdin.fileno(), False)
    with selectors.DefaultSelector() as streams:
        streams.register(process.stdin, selectors.EVENT_WRITE)
        streams.register(process.stdout, selectors.EVENT_READ)
        streams.register(process.stderr, selectors.EVENT_READ)
        while streams.get_map():
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise subprocess.TimeoutExpired(name, limit_s)
            for key, _ in streams.select(left_s):
                if key.fileobj is process.stdin:
                    rest = _given(key.fd, rest)
                    if not rest:
                        streams.unregister(key.fileobj)
                        _close(process.stdin)
                    continue
                piece = os.read(key.fd, _PIECE_BYTES)
                if not piece:
                    streams.unregister(key.fileobj)
                elif key.fileobj is process.stdout:
                    out += piece
                else:
                    said += len(piece)
                    err += piece[: _KEPT_BYTES - len(err)]
            if len(out) > OUT_BYTES or said > ERR_BYTES:
                raise SyncFailed(name, f"{len(out) + said} bytes and no end, wanted an answer")
    _close(process.stdout, process.stderr)
    process.wait(max(deadline - time.monotonic(), 0.1))
    return bytes(out), bytes(err)


def _given(stream: int, rest: memoryview) -> memoryview:
    """Write what the pipe takes of *rest*, return what is left; nothing where nobody reads it."""
    try:
        return rest[os.write(stream, rest[:_PIECE_BYTES]) :]
    except BlockingIOError:
        return rest
    except BrokenPipeError:
        return rest[:0]


def _without_inherited(given: Mapping[str, str]) -> list[str]:
    names = sorted(name for name in os.environ if name.startswith("GIT_") and name not in given)
    return ["env", *(part for name in names for part in ("-u", name))] if names else []


def _start(command: list[str], given: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start *command* as the leader of a session: its own group, and no terminal to prompt on."""
    try:
        import git
    except ImportError as error:
        raise SyncFailed("git", f"cannot be run ({error}), wanted git 2.30 or later") from None
    try:
        started: Any = git.cmd.Git("/").execute(
            command,
            as_process=True,
            istream=subprocess.PIPE,
            shell=False,
            env=given,
            start_new_session=True,
        )
    except git.exc.GitCommandNotFound:
        raise SyncFailed(command[0], "cannot be started, wanted a program on PATH") from None
    process: subprocess.Popen[bytes] = started.proc
    # The wrapper would end the leader alone when it goes out of scope; the group is ours to end.
    started.proc = None
    return process


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the whole group, then reap its leader: until then the group's number is ours.

    It gets a moment to put its lock files away.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
        if number == signal.SIGTERM:
            _wait_closed(process, GRACE_S)
    _close(process.stdin, process.stdout, process.stderr)
    process.wait()


def _close(*streams: IO[bytes] | None) -> None:
    for stream in streams:
        if stream is not None:
            try:
                stream.close()
            except BrokenPipeError:
                pass


def _wait_closed(process: subprocess.Popen[bytes], limit_s: float) -> None:
    """Wait until nobody holds the output any more: then the whole group has ended, unreaped."""
    streams = (process.stdout, process.stderr)
    open_ones = {each.fileno() for each in streams if each is not None and not each.closed}
    deadline = time.monotonic() + limit_s
    while open_ones and (left_s := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select(list(open_ones), [], [], left_s)
        open_ones -= {stream for stream in ready if not os.read(stream, 65_536)}
