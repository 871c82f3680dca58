"""How long after a write the other host shows it, both with ``sync --watch``: by file, by ssh."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.fleet import BIN, ST2
from benchmarks.table import Row

sys.path.append(str(Path(__file__).parents[1] / "tests"))

WRITES = {"file": 30, "ssh": 15}
"""How many, by the way that they go."""
PUBLISH_S, COLLECT_S = 1, 1
BUDGET_MS = 1_000
"""p95 beyond the collect interval (which varies by a fifth), by file."""
MOST_MS = BUDGET_MS + COLLECT_S * 1_200


class Host:
    """A catalog of its own and the command that watches it."""

    def __init__(self, base: Path, name: str, remote: str, env: dict[str, str]) -> None:
        self.root = base / name
        self.env = {**env, "CATALOG": str(self.root), "ST2_HOST": name}
        self.run("init")
        self.run("sync", "--remote", remote)
        every = ("--publish-every", str(PUBLISH_S), "--collect-every", str(COLLECT_S))
        self.process = subprocess.Popen(
            [ST2, "sync", "--watch", *every], env=self.env, stderr=subprocess.DEVNULL
        )

    def run(self, *args: str) -> None:
        """Run one command to its end."""
        subprocess.run([ST2, *args], env=self.env, check=True, capture_output=True)

    def stop(self) -> None:
        """End the watcher."""
        self.process.terminate()
        self.process.wait()


def delays_ms(one: Host, other: Host, writes: int) -> list[float]:
    """Write a record, wait until the other host has it, and let the publish interval pass."""
    path, seen = one.root / "agents/h1/w/status", other.root / "agents/h1/w/status"
    path.parent.mkdir(parents=True, exist_ok=True)
    found = []
    for number in range(writes):
        raw = b"busy\nv1 %d\n" % (1_000 + number)
        began = time.monotonic()
        beside = path.with_name(".status.tmp-1-1")
        beside.write_bytes(raw)
        beside.rename(path)
        while not seen.exists() or seen.read_bytes() != raw:
            time.sleep(0.005)
        found.append((time.monotonic() - began) * 1_000)
        # Another moment of the collect interval each time.
        time.sleep(PUBLISH_S * 1.25 + (number % 7) / 7)
    return found


def measured_ms(base: Path, remote: str, env: dict[str, str], writes: int) -> list[float]:
    """The delays between two hosts that watch, the shortest first."""
    hosts = [Host(base, name, remote, env) for name in ("h1", "h2")]
    try:
        return sorted(delays_ms(*hosts, writes))
    finally:
        for each in hosts:
            each.stop()


def delays_by_file(base: Path, writes: int) -> tuple[int, int, list[float]]:
    """The collect interval, the most that is allowed, the delays: ms, over a bare repository."""
    remote = base / "file.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    found = measured_ms(base / "file", str(remote), _environment(base), writes)
    return COLLECT_S * 1_000, MOST_MS, found


def visible_row(way: str, found: list[float]) -> Row:
    """The row of one way between two hosts."""
    median, p95 = found[len(found) // 2], found[int(len(found) * 0.95)]
    return Row(
        what=f"write → visible, {way}, both `sync --watch`",
        measured=f"p50 {median:.0f} ms, p95 {p95:.0f} ms",
        floor=f"collect each {COLLECT_S} s ± 20 %",
        result=f"p95 {p95 / (COLLECT_S * 1_200):.2f} × the collect interval",
        budget=f"p95 ≤ {MOST_MS} ms" if way == "file" else "–",
        met=p95 <= MOST_MS if way == "file" else None,
    )


def visible_rows(base: Path) -> Iterator[Row]:
    """By a path, and over a real sshd on loopback where there is one."""
    yield visible_row("file", delays_by_file(base, WRITES["file"])[2])
    from support.sshd import PLACES, Sshd

    if not (shutil.which("sshd") or shutil.which("sshd", path=PLACES)):
        return
    remote = base / "ssh.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    server = Sshd(base / "sshd")
    try:
        env = server.env(_environment(base))
        found = measured_ms(base / "ssh", server.address(remote), env, WRITES["ssh"])
    finally:
        server.close()
    yield visible_row("ssh", found)


def _environment(base: Path) -> dict[str, str]:
    return {"HOME": str(base), "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
