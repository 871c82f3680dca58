"""Paired, interleaved runs: every round runs each command once, in a new order."""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence

Command = Sequence[str | bytes | os.PathLike[str]]
PEAK = """\
import os, sys
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, used = os.wait4(pid, 0)
print(used.ru_maxrss)
sys.exit(status != 0)
"""


def run_ms(command: Command, env: Mapping[str, str], *, want: int = 0) -> float:
    """Wall time in ms of one run without a terminal; another exit code is a failure."""
    with tempfile.TemporaryFile() as talk:
        streams = [
            *((os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1)),
            (os.POSIX_SPAWN_DUP2, talk.fileno(), 2),
        ]
        start = time.perf_counter()
        pid = os.posix_spawn(command[0], command, env, file_actions=streams)
        _, status = os.waitpid(pid, 0)
        spent = (time.perf_counter() - start) * 1000
        code = os.waitstatus_to_exitcode(status)
        if code != want:
            talk.seek(0)
            said = talk.read().decode("utf-8", "replace")
            shown = [os.fsdecode(part) for part in command]
            raise SystemExit(f"bench: exit {code} of {shown}\n{said}")
    return spent


def peak_kb(command: Command, env: Mapping[str, str]) -> int:
    """The most memory that one run held, KiB.

    Counted by a small process of its own: a program begins with what its parent held.
    """
    asked = [sys.executable, "-I", "-S", "-c", PEAK, *map(os.fsdecode, command)]
    done = subprocess.run(asked, env=env, stdout=subprocess.PIPE, check=True)
    return int(done.stdout) // (1024 if sys.platform == "darwin" else 1)


def interleaved(
    commands: Mapping[str, Command],
    env: Mapping[str, str],
    *,
    rounds: int,
    warm: int = 2,
    before: Callable[[], object] = lambda: None,
) -> dict[str, list[float]]:
    """Times in ms by name; the i-th of each were measured next to each other.

    The first *warm* rounds fill the caches of files and byte code, and do not count; *before*
    runs ahead of each command.
    """
    times: dict[str, list[float]] = {name: [] for name in commands}
    order = list(commands)
    shuffle = random.Random(0)
    for round_ in range(rounds + warm):
        shuffle.shuffle(order)
        for name in order:
            before()
            spent = run_ms(commands[name], env)
            if round_ >= warm:
                times[name].append(spent)
    return times


def spent_ms(act: Callable[[], object]) -> float:
    """Wall time of one act, ms."""
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def median(values: Sequence[float]) -> float:
    """The median."""
    return statistics.median(values)


def p95(values: Sequence[float]) -> float:
    """The 95th percentile, by the nearest rank above."""
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]


def ratio(values: Sequence[float], floor: Sequence[float]) -> float:
    """The median of the ratios of each pair."""
    return statistics.median(a / b for a, b in zip(values, floor, strict=True))
