"""Syncthing carries a catalog: two real instances on loopback (spec/branch.md)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from catalogs import declared, now_ms, record
from support.clones import Clone
from support.syncthing import WAIT_S, Syncthing
from support.wrapped import until
from transports.conftest import DECLARATION, STATUS, Two, copies, needs, rows

LOOK_S = 5.0


class Shared:
    """Two catalogs, each with an instance that shares it with the other."""

    def __init__(self, two: Two, folder: Path) -> None:
        self.two = two
        self.ends = [Syncthing(folder / f"syncthing-{each.root.name}") for each in two]

    def connect(self) -> None:
        """Share the catalogs, and wait until the two talk."""
        one, other = self.ends
        # Who is called has to know the caller first: a caller that was sent away waits.
        other.share(self.two[1].root, with_=one, dials=False)
        one.share(self.two[0].root, with_=other, dials=True)
        until(lambda: one.is_connected(other) and other.is_connected(one), WAIT_S)

    def apart(self) -> None:
        """Part them for a while, who calls first."""
        one, other = self.ends
        for end, peer in ((one, other), (other, one)):
            end.rest("POST", f"system/pause?device={peer.device}")
        until(lambda: not one.is_connected(other) and not other.is_connected(one), WAIT_S)

    def together(self) -> None:
        """Bring them together again, who is called first."""
        one, other = self.ends
        for end, peer in ((other, one), (one, other)):
            end.rest("POST", f"system/resume?device={peer.device}")

    def until(self, predicate: Callable[[], bool]) -> None:
        """Have both look at their folders, and again now and then, until it is so."""
        looked_s = -LOOK_S

        def is_so() -> bool:
            nonlocal looked_s
            if time.monotonic() - looked_s >= LOOK_S:
                # A look is not for free: what is being fetched waits for it.
                looked_s = time.monotonic() if self.scan() else -LOOK_S
            return predicate()

        until(is_so, WAIT_S)

    def scan(self) -> bool:
        """Have both look at their folders once; say whether they did."""
        return [end.scan() for end in self.ends] == [True, True]

    def close(self) -> None:
        """End both."""
        for end in self.ends:
            end.close()


@pytest.fixture
def shared(two: Two, tmp_path: Path) -> Iterator[Shared]:
    needs("syncthing")
    made = Shared(two, tmp_path)
    try:
        made.connect()
        yield made
    finally:
        made.close()


def arrived(clone: Clone, path: str, raw: bytes) -> bool:
    file = clone.root / path
    return file.exists() and file.read_bytes() == raw


@pytest.mark.slow
def test_records_arrive_and_a_conflict_leaves_copies_that_nobody_reads(shared: Shared) -> None:
    """Cases C12 and F22."""
    one, other = shared.two
    for here, there, path in (
        (one, other, STATUS), (other, one, "agents/h2/b1/status"),
        (one, other, DECLARATION), (other, one, "agents/h2/b1/agent.kdl"),
    ):  # fmt: skip
        raw = here.read(path)
        shared.until(lambda there=there, path=path, raw=raw: arrived(there, path, raw))
    at_ms = now_ms()
    assert rows(one, at_ms) == rows(other, at_ms)
    assert [(each.root / ".st2/h1").exists() for each in shared.two] == [True, False]
    for each in shared.two:
        assert "stignore" not in each.cli("doctor").text
        (each.root / ".stignore").rename(each.root / ".stignored")
        assert ".stignore: stignore: Syncthing shares this folder, wanted the lines /.st2, " in (
            each.cli("doctor").text
        )
        (each.root / ".stignored").rename(each.root / ".stignore")

    shared.apart()
    one.put(STATUS, record("dnd", at_ms + 5))
    other.put(STATUS, record("away", at_ms + 5_000))
    one.put(DECLARATION, declared(body='    name "One"\n').encode())
    other.put(DECLARATION, declared(body='    name "The other"\n').encode())
    until(shared.scan, WAIT_S)
    shared.together()
    shared.until(lambda: all(len(marks(each)) == 2 for each in shared.two))
    shared.until(lambda: one.read(STATUS) == other.read(STATUS))
    shared.until(lambda: one.read(DECLARATION) == other.read(DECLARATION))

    assert rows(one, at_ms) == rows(other, at_ms)
    assert rows(one, at_ms).count('"identity":') == 2
    for each in shared.two:
        assert copies(each) == sorted(marks(each)) and len(copies(each)) == 2


def marks(clone: Clone) -> list[str]:
    folder = clone.root / "agents/h1/a1"
    return [f"agents/h1/a1/{each.name}" for each in folder.glob("*.sync-conflict-*")]
