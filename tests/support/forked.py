"""The installed command, run by a process that :mod:`support.forker` has ready.

To whoever calls it is a new process of ``st2`` in all but the time that it takes: streams,
folder, variables, umask, process group and exit code are those that ``subprocess.run`` would give.
Only its parent is the forker, and what it imports has been imported before.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

FORKER = Path(__file__).with_name("forker.py")
OURS = frozenset({"CATALOG", "HOME", "ST2_HOST", "ST2_SESSION", "ST_AGENT", "XDG_STATE_HOME"})
"""Variables that no interpreter and no package looks at when it is imported."""


class Forker:
    """One running forker: an interpreter that was started with *env*, *bounded* by what is called.

    What bounds it bounds whatever it becomes.
    """

    def __init__(self, env: Mapping[str, str], bounded: Callable[[], object] | None = None) -> None:
        self.lock = threading.Lock()
        self.control, far = socket.socketpair()
        self.process = subprocess.Popen(
            [sys.executable, FORKER, str(far.fileno())],
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[far.fileno()],
            preexec_fn=bounded,
        )
        far.close()

    def close(self) -> None:
        """Let it end; whoever it became is not concerned."""
        self.control.close()
        self.process.communicate()

    def run(
        self,
        argv: list[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        stdin: bytes,
        timeout: float,
        stdout: int | None = None,
    ) -> tuple[int, bytes, bytes]:
        """Return exit code and both streams, as they are once all who write to them have ended.

        Where *stdout* is given, that is what it writes to, and nothing is returned of it.
        """
        near, far = socket.socketpair()
        pipes = [os.pipe(), os.pipe(), os.pipe()]
        given = [pipes[0][0], pipes[1][1], pipes[2][1]]
        taken = given if stdout is None else [given[0], stdout, given[2]]
        with self.lock:
            socket.send_fds(self.control, [b"!"], [far.fileno(), *taken])
        far.close()
        for descriptor in given:
            os.close(descriptor)
        said = {"argv": argv, "env": dict(env), "cwd": str(cwd), "umask": umask()}
        raw = json.dumps(said).encode()
        with near, near.makefile("rwb") as words:
            words.write(b"%d\n%b" % (len(raw), raw))
            words.flush()
            pid = int(words.readline())
            try:
                out, err = exchanged(pipes[0][1], stdin, pipes[1][0], pipes[2][0], timeout)
            except BaseException as error:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                if isinstance(error, TimeoutError):
                    raise subprocess.TimeoutExpired(argv, timeout) from None
                raise
            return int(words.readline()), out, err


def exchanged(given: int, stdin: bytes, out: int, err: int, timeout: float) -> tuple[bytes, bytes]:
    """Write *stdin* into *given* and read both others to their ends; close all three."""
    read: dict[int, list[bytes]] = {out: [], err: []}
    limit = time.monotonic() + timeout
    with selectors.DefaultSelector() as ready:
        for stream in (given, out, err):
            os.set_blocking(stream, False)
            ready.register(stream, selectors.EVENT_WRITE if stream == given else 1)
        try:
            while ready.get_map():
                found = ready.select(limit - time.monotonic())
                if not found and time.monotonic() >= limit:
                    raise TimeoutError
                for key, _ in found:
                    if key.fd == given:
                        stdin = written(given, stdin)
                    elif piece := os.read(key.fd, 65_536):
                        read[key.fd].append(piece)
                        continue
                    if key.fd != given or not stdin:
                        ready.unregister(key.fd)
                        os.close(key.fd)
        finally:
            for left in list(ready.get_map()):
                os.close(left)
    return b"".join(read[out]), b"".join(read[err])


def written(stream: int, rest: bytes) -> bytes:
    """Write what *stream* takes of *rest*; return what is left, nothing where nobody reads."""
    try:
        return rest[os.write(stream, rest) :] if rest else rest
    except BrokenPipeError:
        return b""


def umask() -> int:
    """Return this process's own."""
    own = os.umask(0o022)
    os.umask(own)
    return own


def fixed(env: Mapping[str, str]) -> dict[str, str]:
    """Return what an interpreter and packages of others may look at when they are imported."""
    return {name: value for name, value in env.items() if name not in OURS}


_forkers: list[Forker] = []


def forker(surroundings: Mapping[str, str], env: Mapping[str, str]) -> Forker | None:
    """Return the one of this process, None where *env* holds more than *surroundings* and ours."""
    if fixed(env) != surroundings:
        return None
    if not _forkers:
        _forkers.append(Forker(surroundings))
        atexit.register(_forkers[0].close)
    return _forkers[0]
