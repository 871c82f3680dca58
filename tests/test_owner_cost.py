"""What an owner costs while its harness runs: memory, wake-ups, imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.wrapped import Wrapped, settled, until

HEAVY = {"json", "re", "pathlib", "subprocess", "dataclasses", "typing", "enum", "click"}

MOST = 1.2 if sys.version_info < (3, 14) else 1.45
"""From 3.14 on an interpreter that does nothing has not loaded `os` either, and weighs less."""


def field(pid: int, name: str) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split(f"\n{name}:")[1].split()[0])


def test_an_owner_weighs_little_more_than_the_bare_interpreter(wrapped: Wrapped) -> None:
    wrapped.running("sleep", "60", beat_ms=50)
    first = wrapped.stamp_ms()
    until(lambda: wrapped.stamp_ms() > first + 300)
    bare = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", "print(flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert bare.stdout is not None
    bare.stdout.readline()
    ours, floor = field(wrapped.owner_pid(), "VmRSS"), field(bare.pid, "VmRSS")
    bare.communicate(b"\n")
    assert ours <= MOST * floor, f"{ours} kB against {floor} kB"


def held(pid: int) -> tuple[int, int, str]:
    """What a process has: descriptors, threads, children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return len(list(Path(f"/proc/{pid}/fd").iterdir())), field(pid, "Threads"), children


def test_an_owner_stays_flat_beat_after_beat(wrapped: Wrapped) -> None:
    """Case X14: what it has between its first beats it has between those of two seconds later."""
    wrapped.running("sleep", "300", beat_ms=20)
    owner = wrapped.owner_pid()

    def beats_for(ms: int) -> int:
        first = wrapped.stamp_ms()
        until(lambda: wrapped.stamp_ms() >= first + ms)
        return field(owner, "VmRSS")

    before = beats_for(500)
    # A look may fall into a write, which has a descriptor more: the least is between two beats.
    least = min(held(owner) for _ in range(200))
    grown = beats_for(2_000) - before
    assert least[1:] == (1, "")
    until(lambda: held(owner) == least)
    assert wrapped.owner_pid() == owner
    assert grown <= 512, f"{grown} kB more after two seconds of beats"


def test_an_owner_sleeps_until_its_next_beat(wrapped: Wrapped) -> None:
    wrapped.running("sleep", "60")
    owner = wrapped.owner_pid()
    settled(lambda: field(owner, "voluntary_ctxt_switches"), quiet_s=2.5)


def test_an_owner_wakes_once_for_each_beat(wrapped: Wrapped) -> None:
    """Counted where it sleeps: one wait without a limit for each beat, and no other."""
    wrapped.running("sleep", "60", beat_ms=100)
    trace = wrapped.cli.home / "trace"
    calls = "trace=poll,ppoll,select,clock_nanosleep,rename,renameat,renameat2"
    owner = str(wrapped.owner_pid())
    watcher = subprocess.Popen(["strace", "-qq", "-e", calls, "-o", str(trace), "-p", owner])
    until(lambda: trace.exists() and trace.read_text().count("rename") > 10)
    watcher.terminate()
    watcher.wait()
    lines = trace.read_text().splitlines()
    waits = [line for line in lines if "poll(" in line and ", 0)" not in line]
    assert all(", -1)" in line for line in waits[:-1])
    assert not any("nanosleep" in line or "select(" in line for line in lines)
    assert abs(len(waits) - sum("rename" in line for line in lines)) <= 1


def test_an_owner_loads_none_of_the_heavy_modules() -> None:
    code = (
        "import sys; sys.path.append(sys.argv[1]); import drivers.owner_process;"
        "from catalog.system.wakeups import host_wakeups;"
        "w = host_wakeups(None, 1); w.wait(w.now_ms() + 1); print(*sys.modules)"
    )
    root = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, root], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert loaded & HEAVY == set()
    assert "catalog.store" in loaded
