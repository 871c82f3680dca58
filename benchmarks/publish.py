"""What one publish sends: objects, bytes, and its time against the smallest possible push."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import fleet
from benchmarks.measure import median, ratio, run_ms
from benchmarks.table import Point, Row, times
from catalog import node
from catalog.sync.exchange import Exchange, Pushed
from catalog.sync.publish import publish
from catalog.sync.remote import check
from catalog.sync.site import Site
from catalog.system.machine import machine_id
from st2.context import make

ROUNDS = 12
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
IDENTITY = ("-c", "user.name=b", "-c", "user.email=b@example.invalid")
LIMITS_KB = {(1_000, True): 60, (1_000, False): 12}
"""The most that may go up, by agents and whether they have sessions."""


class Remote:
    """A bare repository that keeps every pack it receives, so that what came can be counted."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.path = folder / "remote.git"
        self.env = env
        self.git("init", "-q", "--bare", str(self.path))
        self.git("-C", str(self.path), "config", "receive.unpackLimit", "1")
        self.git("-C", str(self.path), "config", "receive.autogc", "false")

    def git(self, *args: str) -> str:
        """Run git and return what it printed."""
        done = subprocess.run(
            ["git", *args],
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            check=True,
        )
        return done.stdout.decode().strip()

    def received(self) -> tuple[int, int]:
        """Bytes of all packs, and objects in them."""
        packs = self.path.glob("objects/pack/*.pack")
        counted = dict(
            line.split(": ")
            for line in self.git("-C", str(self.path), "count-objects", "-v").splitlines()
        )
        return sum(pack.stat().st_size for pack in packs), int(counted["in-pack"])


def publish_rows(base: Path, agents: int, *, sessions: bool, rounds: int = ROUNDS) -> Iterator[Row]:
    """Publishes of *agents* agents of one host, every record changed each time."""
    made = fleet.make(base / "publish", agents, hosts=1, sessions=sessions)
    env = made.env
    remote = Remote(made.root.parent / f"remote-{agents}-{int(sessions)}", env)
    sync = [fleet.ST2, "sync"]
    run_ms([fleet.ST2, "init", made.root, "--remote", str(remote.path)], env)
    run_ms(sync, env)
    floor = _empty_pushes(remote, made.root.parent / f"empty-{agents}-{int(sessions)}")
    site, exchange = _site(made, remote)
    sent, alone, pushes, empty, sizes, objects = [], [], [], [], [], set()
    for _ in range(rounds):
        fleet.touch_all(made, sessions=sessions)
        bytes_before, objects_before = remote.received()
        start = time.perf_counter()
        publish(site)
        alone.append((time.perf_counter() - start) * 1000)
        pushes.append(exchange.spent_ms)
        bytes_after, objects_after = remote.received()
        sizes.append(bytes_after - bytes_before)
        objects.add(objects_after - objects_before)
        empty.append(run_ms(next(floor), env))
        fleet.touch_all(made, sessions=sessions)
        sent.append(run_ms(sync, env))
    kind = f"{'with' if sessions else 'without'} sessions"
    yield _sent_row(kind, agents, sizes, objects, LIMITS_KB.get((agents, sessions)))
    for what, values, budget in (
        ("publish, objects made and pushed", pushes, None),
        ("publish, with reading the records", alone, 2.0 if agents == 1_000 else None),
        ("`st2 sync`, the whole command", sent, None),
    ):
        yield times(
            f"{what}, {agents} agents {kind}, all changed",
            "`git push` of an empty-tree commit",
            ms=median(values),
            floor_ms=median(empty),
            ratio=ratio(values, empty),
            budget=budget,
            points=(
                Point(f"{what}, {kind}", agents, median(values)),
                Point(f"empty push, {kind}", agents, median(empty)),
            ),
        )


def _sent_row(
    kind: str, agents: int, sizes: list[int], objects: set[int], limit_kb: int | None
) -> Row:
    return Row(
        what=f"publish, {agents} agents {kind}, all changed: bytes and objects",
        measured=f"{median(sizes) / 1000:.1f} KB, {'/'.join(map(str, sorted(objects)))} objects",
        result=f"{median(sizes) / agents:.0f} bytes an agent",
        budget=f"≤ {limit_kb} KB, 3 objects" if limit_kb else "3 objects",
        met=objects == {3} and (limit_kb is None or max(sizes) <= limit_kb * 1000),
        points=(
            Point(f"publish, bytes {kind}", agents, median(sizes)),
            Point(f"publish, objects {kind}", agents, max(objects)),
        ),
    )


class Watched(Exchange):
    """The exchange, with the time that its pushes took: three objects made, and sent."""

    def push(self, raw: bytes, *, at_ms: int, lease: str | None) -> Pushed:
        """Push, and keep the time."""
        start = time.perf_counter()
        pushed = super().push(raw, at_ms=at_ms, lease=lease)
        self.spent_ms = (time.perf_counter() - start) * 1000
        return pushed


def _site(made: fleet.Fleet, remote: Remote) -> tuple[Site, Watched]:
    context = make(str(made.root), "h1", made.env)
    own = node.ensure(context.files, context.layout, machine=machine_id())
    far = check(str(remote.path), base="/")
    exchange = Watched(context.files, context.layout, machine_id(), far)
    site = Site(
        files=context.files,
        layout=context.layout,
        node=own,
        exchange=exchange,
        verdict_of=context.witness.verdict,
        now_ms=context.clock.now_ms,
        sleep=time.sleep,
        jitter=random.random,
    )
    return site, exchange


def _empty_pushes(remote: Remote, work: Path) -> Iterator[list[str]]:
    """Commands that each push one new parentless commit of the empty tree over the same ref."""
    git = shutil.which("git") or "git"
    remote.git("init", "-q", str(work))
    remote.git("-C", str(work), "hash-object", "-t", "tree", "-w", "/dev/null")
    number = 0
    while True:
        number += 1
        commit = remote.git(
            *("-C", str(work), *IDENTITY, "commit-tree", EMPTY_TREE, "-m", f"empty {number}")
        )
        yield [git, "-C", str(work), "push", "-q", str(remote.path), f"+{commit}:refs/floor/empty"]
