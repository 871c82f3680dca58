"""What one publish sends: objects, bytes, and its time against the smallest possible push."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import fleet
from benchmarks.measure import Spent, run, took
from catalog import node
from catalog.sync.exchange import Exchange, Pushed
from catalog.sync.publish import publish
from catalog.sync.remote import check
from catalog.sync.site import Site
from catalog.system.machine import machine_id
from st2.context import make

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
IDENTITY = ("-c", "user.name=b", "-c", "user.email=b@example.invalid")


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


@dataclass(frozen=True, kw_only=True)
class Published:
    """What each of several publishes sent and took, the i-th of all next to each other."""

    sizes: list[int] = field(default_factory=list)
    objects: set[int] = field(default_factory=set)
    pushed: list[Spent] = field(default_factory=list)
    reading: list[Spent] = field(default_factory=list)
    alone: list[Spent] = field(default_factory=list)
    whole: list[Spent] = field(default_factory=list)
    raw: list[Spent] = field(default_factory=list)
    empty: list[Spent] = field(default_factory=list)


def published(
    base: Path, agents: int, *, sessions: bool, rounds: int, whole: bool = True
) -> Published:
    """Publishes of *agents* agents of one host, every record changed each time.

    *pushed* is its objects made and sent, *reading* all before that, *alone* both; *whole* is
    the command `st2 sync`. The floors: *raw*, a loop that reads the same records, and *empty*,
    a push of an empty tree.
    """
    made = fleet.make(base / "publish", agents, hosts=1, sessions=sessions)
    remote = Remote(made.root.parent / f"remote-{agents}-{int(sessions)}", made.env)
    run([fleet.ST2, "init", made.root, "--remote", str(remote.path)], made.env)
    sync = [fleet.ST2, "sync"]
    run(sync, made.env)
    floor = _empty_pushes(remote, made.root.parent / f"empty-{agents}-{int(sessions)}")
    site, exchange = _site(made, remote)
    found = Published()
    for _ in range(rounds):
        fleet.touch_all(made, sessions=sessions)
        bytes_before, objects_before = remote.received()
        alone, pushed = took(lambda: publish(site)), exchange.spent
        found.alone.append(alone)
        found.pushed.append(pushed)
        found.reading.append(
            Spent(alone.wall_ms - pushed.wall_ms, max(alone.cpu_ms - pushed.cpu_ms, 0.0))
        )
        bytes_after, objects_after = remote.received()
        found.sizes.append(bytes_after - bytes_before)
        found.objects.add(objects_after - objects_before)
        found.raw.append(took(lambda: read_records(made.root)))
        found.empty.append(run(next(floor), made.env))
        if whole:
            fleet.touch_all(made, sessions=sessions)
            found.whole.append(run(sync, made.env))
    return found


def read_records(root: Path) -> None:
    """Read what a publish of h1 reads, as the raw loop of the roster reads files, and do nothing.

    That is every record, and the evidence of the process behind each session.
    """
    agents = root / "agents/h1"
    folders = [f"{agents}/{agent}" for agent in os.listdir(agents)]
    evidence = root / ".st2/h1/process"
    if evidence.is_dir():
        folders.append(str(evidence))
    for path in folders:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        for name in os.listdir(folder):
            if not name.startswith("agent."):
                file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
                os.read(file, 4097)
                os.close(file)
        os.close(folder)


class Watched(Exchange):
    """The exchange, with the time that its pushes took: three objects made, and sent."""

    def push(self, raw: bytes, *, at_ms: int, lease: str | None) -> Pushed:
        """Push, and keep the time."""
        pushed: list[Pushed] = []
        push = super().push
        self.spent = took(lambda: pushed.append(push(raw, at_ms=at_ms, lease=lease)))
        return pushed[0]


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
        looks=context.looks,
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
