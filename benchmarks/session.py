"""What a wrapped session costs: its start, its owner, and how soon its end is on disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import fleet
from benchmarks.measure import Spent, median, p95, ratio, run, walls
from benchmarks.table import Row

LAUNCHES = 40
DEATHS = 30
BEATS_S = 5.0
BEAT_MS = 100


def _verb(name: str, *options: str) -> list[str]:
    bus_id = f"h1.{name}"
    binding = ("--identity", bus_id, "--runtime-id", bus_id)
    return [str(fleet.ST2), "driver", "exec-session", *binding, *options, "--"]


def _until(predicate: Callable[[], bool], what: str, *, pause_s: float = 0.001) -> None:
    limit = time.monotonic() + 60
    while not predicate():
        if time.monotonic() > limit:
            raise SystemExit(f"bench: {what}: not within 60 s")
        time.sleep(pause_s)


def _word(path: Path) -> bytes:
    try:
        return path.read_bytes().partition(b"\n")[0]
    except FileNotFoundError:
        return b""


def _start(made: fleet.Fleet, name: str, *options: str) -> subprocess.Popen[bytes]:
    status = made.root / "agents/h1" / name / "status"
    status.unlink(missing_ok=True)
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    harness = subprocess.Popen(
        [*_verb(name, *options), "sleep", "100"],
        env=made.env,
        **streams,
    )
    _until(lambda: _word(status) == b"available", f"first beat of {name}")
    return harness


def _stop(made: fleet.Fleet, name: str, harness: subprocess.Popen[bytes]) -> None:
    harness.kill()
    harness.wait()
    claim = made.root / "agents/h1" / name / "session.json"
    _until(lambda: b'"signal 9"' in claim.read_bytes(), f"end of {name}")


def launches(base: Path, rounds: int) -> tuple[list[Spent], list[Spent], list[Spent]]:
    """`/bin/true` bare, through a verb, and the bare interpreter; one agent a launch."""
    made = fleet.make(base, rounds + 2, hosts=1, sessions=False)
    found = []
    for number in range(rounds + 2):
        verb = [*_verb(f"a{number:05d}"), "/bin/true"]
        pass_ = [sys.executable, "-c", "pass"]
        found.append(tuple(run(each, made.env) for each in (["/bin/true"], verb, pass_)))
    bare, wrapped, interpreter = map(list, zip(*found[2:], strict=True))
    return bare, wrapped, interpreter


def launch_row(base: Path) -> Row:
    """Start to end of /bin/true, bare and through a verb."""
    bare, wrapped, interpreter = map(walls, launches(base / "launch", LAUNCHES))
    added = [w - b for w, b in zip(wrapped, bare, strict=True)]
    return Row(
        what="launch of `/bin/true` through a verb",
        measured=f"{median(added):.1f} ms added",
        floor=f"`/bin/true`, {median(bare):.1f} ms",
        result=f"{ratio(added, interpreter):.2f} × `python -c pass`",
        budget="≤ 25 ms added",
        met=median(added) <= 25,
    )


def _memory_kb(pid: int) -> int:
    return int(_fact(pid, "VmRSS").split()[0])


def _fact(pid: int, name: str) -> str:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return line.partition(":")[2].strip()
    raise SystemExit(f"bench: /proc/{pid}/status has no {name}")


def _owner(made: fleet.Fleet, name: str) -> int:
    """The pid that the owner wrote into its lock."""
    return int((made.root / ".st2/h1/owner" / name).read_text().split()[1])


def owner_rows(base: Path) -> Iterator[Row]:
    """Memory against the bare interpreter, and wake-ups: a beat, and without one."""
    made = fleet.make(base / "owner", 2, hosts=1, sessions=False)
    harness = _start(made, "a00000", "--beat", str(BEAT_MS))
    quiet = _start(made, "a00001")
    bare = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", "input()"], stdin=subprocess.PIPE, env=made.env
    )
    time.sleep(1)
    owner, sleeper = _owner(made, "a00000"), _owner(made, "a00001")
    own, floor = _memory_kb(sleeper), _memory_kb(bare.pid)
    before = {pid: int(_fact(pid, "voluntary_ctxt_switches")) for pid in (owner, sleeper)}
    time.sleep(BEATS_S)
    woken = {pid: int(_fact(pid, "voluntary_ctxt_switches")) - n for pid, n in before.items()}
    bare.communicate(b"\n")
    _stop(made, "a00000", harness)
    _stop(made, "a00001", quiet)
    yield Row(
        what="session owner, resident memory",
        measured=f"{own} KiB",
        floor=f"bare interpreter (`-I -S`), {floor} KiB",
        result=f"{own / floor:.2f} ×",
        budget="≤ 1.2 ×",
        met=own <= 1.2 * floor,
    )
    beats = BEATS_S * 1000 / BEAT_MS
    yield Row(
        what="session owner, wake-ups a beat",
        measured=f"{woken[owner]} in {beats:.0f} beats",
        floor="one for each beat",
        result=f"{woken[owner] / beats:.2f}",
        budget="≤ 1",
        met=woken[owner] <= beats + 1,
    )
    yield Row(
        what="session owner, wake-ups between beats",
        measured=f"{woken[sleeper]} in {BEATS_S:.0f} s",
        floor="none",
        result=str(woken[sleeper]),
        budget="0",
        met=woken[sleeper] == 0,
    )


def deaths_ms(base: Path, rounds: int) -> list[float]:
    """From `kill -9` of the harness to `offline` on disk, ms; one agent a death."""
    made = fleet.make(base, rounds, hosts=1, sessions=False)
    spent = []
    for number in range(rounds):
        name = f"a{number:05d}"
        status = made.root / "agents/h1" / name / "status"
        harness = _start(made, name)
        start = time.perf_counter()
        os.kill(harness.pid, signal.SIGKILL)
        _until(lambda path=status: _word(path) == b"offline", "offline", pause_s=0.0002)
        spent.append((time.perf_counter() - start) * 1000)
        _stop(made, name, harness)
    return spent


def death_row(base: Path) -> Row:
    """How soon a death is on disk."""
    spent = deaths_ms(base / "death", DEATHS)
    return Row(
        what="harness killed → `offline` on disk",
        measured=f"median {median(spent):.1f} ms, p95 {p95(spent):.1f} ms",
        floor="the moment of the kill",
        result=f"p95 {p95(spent):.1f} ms",
        budget="p95 ≤ 20 ms",
        met=p95(spent) <= 20,
    )
