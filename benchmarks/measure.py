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
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import NamedTuple

Command = Sequence[str | bytes | os.PathLike[str]]
PEAK = """\
import os, sys
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, used = os.wait4(pid, 0)
print(used.ru_maxrss)
sys.exit(status != 0)
"""


class Spent(NamedTuple):
    """What something took: time by the clock, and time of a processor, children included."""

    wall_ms: float
    cpu_ms: float


def run(command: Command, env: Mapping[str, str], *, want: int = 0) -> Spent:
    """One run without a terminal; another exit code is a failure."""
    with tempfile.TemporaryFile() as talk:
        streams = [
            *((os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1)),
            (os.POSIX_SPAWN_DUP2, talk.fileno(), 2),
        ]
        start = time.perf_counter()
        pid = os.posix_spawn(command[0], command, env, file_actions=streams)
        _, status, used = os.wait4(pid, 0)
        wall_ms = (time.perf_counter() - start) * 1000
        code = os.waitstatus_to_exitcode(status)
        if code != want:
            talk.seek(0)
            said = talk.read().decode("utf-8", "replace")
            shown = [os.fsdecode(part) for part in command]
            raise SystemExit(f"bench: exit {code} of {shown}\n{said}")
    return Spent(wall_ms, (used.ru_utime + used.ru_stime) * 1000)


def peak_kb(command: Command, env: Mapping[str, str]) -> int:
    """The most memory that one run held, KiB.

    Counted by a small process of its own: a program begins with what its parent held.
    """
    asked = [sys.executable, "-I", "-S", "-c", PEAK, *map(os.fsdecode, command)]
    done = subprocess.run(asked, env=env, stdout=subprocess.PIPE, check=True)
    return int(done.stdout) // (1024 if sys.platform == "darwin" else 1)


def paired(
    commands: Mapping[str, Command],
    env: Mapping[str, str],
    *,
    rounds: int,
    warm: int = 2,
    before: Callable[[], object] = lambda: None,
) -> dict[str, list[Spent]]:
    """What each took, by name; the i-th of each were measured next to each other.

    The first *warm* rounds fill the caches of files and byte code, and do not count; *before*
    runs ahead of each command.
    """
    found: dict[str, list[Spent]] = {name: [] for name in commands}
    order = list(commands)
    shuffle = random.Random(0)
    for round_ in range(rounds + warm):
        shuffle.shuffle(order)
        for name in order:
            before()
            spent = run(commands[name], env)
            if round_ >= warm:
                found[name].append(spent)
    return found


def interleaved(
    commands: Mapping[str, Command],
    env: Mapping[str, str],
    *,
    rounds: int,
    warm: int = 2,
    before: Callable[[], object] = lambda: None,
) -> dict[str, list[float]]:
    """The wall times of ``paired``, ms."""
    found = paired(commands, env, rounds=rounds, warm=warm, before=before)
    return {name: walls(spent) for name, spent in found.items()}


def walls(spent: Sequence[Spent]) -> list[float]:
    """Their wall times, ms."""
    return [each.wall_ms for each in spent]


def took(act: Callable[[], object]) -> Spent:
    """What one act took, in this process and in children that it waited for."""
    busy, began = _busy_s(), time.perf_counter()
    act()
    return Spent((time.perf_counter() - began) * 1000, (_busy_s() - busy) * 1000)


def _busy_s() -> float:
    both = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in both)


def spent_ms(act: Callable[[], object]) -> float:
    """Wall time of one act, ms."""
    return took(act).wall_ms


def median(values: Sequence[float]) -> float:
    """The median."""
    return statistics.median(values)


def p95(values: Sequence[float]) -> float:
    """The 95th percentile, by the nearest rank above."""
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]


def ratio(values: Sequence[float], floor: Sequence[float]) -> float:
    """The median of the ratios of each pair."""
    return statistics.median(a / b for a, b in zip(values, floor, strict=True))
