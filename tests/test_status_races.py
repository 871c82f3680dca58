"""Two processes on one record, and killed writers: never half a record, never a lost word."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from catalog.evidence import Living
from catalog.layout import Layout
from catalog.reader import Hold
from catalog.reading import read_status
from catalog.record import SETTABLE, Record, parse
from catalog.seen import Content
from catalog.store import Writer
from catalog.system.clock import Clock
from catalog.system.files import Files
from support.agent import Agent

SECONDS = float(os.environ.get("ST2_RACE_SECONDS", "4"))
"""How long the two run at full speed: the acceptance case asks for 20."""
TEMPORARY = re.compile(r"\.status\.tmp-[0-9]+-[0-9]+")
RECORD = "agents/h1/a1/status"


class Halfway(Files):
    """Files whose writer of `status` tells that it has read and is about to write, and waits."""

    __slots__ = ("told",)

    def __init__(self, root: str, told: int) -> None:
        super().__init__(root)
        self.told = told

    def replace(
        self, path: str, data: bytes, *, mtime_ms: int | None = None, durable: bool = True
    ) -> None:
        os.write(self.told, b"m")
        time.sleep(0.002)
        super().replace(path, data, mtime_ms=mtime_ms, durable=durable)


def fork(work: Callable[[], object]) -> int:
    """Run *work* in another process, and return its pid."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child


def kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def write_for_ever(root: str) -> None:
    writer = Writer(Files(root), Layout(root, "h1"))
    while True:
        for word in SETTABLE:
            writer.set_status("a1", word, allow=lambda: None, clock=Clock().now_ms)


@pytest.fixture
def root(catalog_dir: Path) -> str:
    agent = Agent(Files(str(catalog_dir)), str(catalog_dir))
    agent.start("A")
    agent.now = 10**12
    agent.set("available")
    return str(catalog_dir)


def records(root: str) -> Iterator[Record]:
    """Read for ever; anything but a whole record fails."""
    files = Files(root)
    while True:
        found = files.read(RECORD)
        assert isinstance(found, Content)
        parsed = parse(found.raw)
        assert isinstance(parsed, Record), found
        yield parsed


def left_over(root: str) -> list[str]:
    return [name for name in os.listdir(f"{root}/agents/h1/a1") if name.startswith(".")]


@pytest.mark.slow
def test_a_set_that_lands_in_the_middle_of_a_beat_survives_200_of_200(root: str) -> None:
    """Case C16."""
    go, told = os.pipe(), os.pipe()
    beater = Writer(Halfway(root, told[1]), Layout(root, "h1"))

    def beat() -> None:
        for now_ms in range(200):
            os.read(go[0], 1)
            hold = Hold("A", 1)
            beater.refresh("a1", hold, proof=Living(7), first=False, now_ms=10**12 + now_ms)
            os.write(told[1], b"d")

    child = fork(beat)
    agent = Agent(Files(root), root)
    agent.now = 10**12
    kept = [interleave(agent, go[1], told[0]) for _ in range(200)]
    os.waitpid(child, 0)
    for end in (*go, *told):
        os.close(end)
    assert kept.count("dnd") == 200


def interleave(agent: Agent, go: int, told: int) -> str:
    """Start a beat, declare dnd while it is between its read and its rename, and let both end."""
    agent.set("available")
    os.write(go, b"g")
    assert os.read(told, 1) == b"m"
    agent.set("dnd")
    assert os.read(told, 1) == b"d"
    found = agent.writer.reader.record("h1", "a1", "status")
    return read_status(found, now_ms=agent.now).state


@pytest.mark.slow
def test_a_reader_beside_a_writer_at_full_speed_sees_only_whole_records(root: str) -> None:
    """Case C17."""
    child = fork(lambda: write_for_ever(root))
    try:
        seen: set[str] = set()
        last_ms, limit = 0, time.monotonic() + SECONDS
        for record in records(root):
            assert record.stamp_ms >= last_ms
            last_ms = record.stamp_ms
            seen.add(record.word)
            if time.monotonic() > limit:
                break
    finally:
        kill(child)
    assert seen == set(SETTABLE)


@pytest.mark.slow
def test_a_writer_killed_at_200_random_moments_leaves_a_whole_record(root: str) -> None:
    """Case C17: what it leaves beside it has a name of ours, and the next writer sweeps it."""
    dice = random.Random(17)
    left = number = 0
    while number < 200 or not left:
        number += 1
        before = left_over(root)
        child = fork(lambda: write_for_ever(root))
        if number % 2:
            time.sleep(dice.uniform(0.001, 0.02))
        else:
            # Halfway, on a machine of any speed: what comes too late for this one, another meets.
            while left_over(root) in ([], before):
                pass
        kill(child)
        next(records(root))
        names = left_over(root)
        assert all(TEMPORARY.fullmatch(name) for name in names) and len(names) <= 1
        left += len(names)
    (Path(root, RECORD).parent / ".status.tmp-1-1").write_bytes(b"bu")
    Agent(Files(root), root).set("busy")
    assert left_over(root) == []
