"""Unison carries a catalog between two folders (spec/branch.md)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

import pytest

from catalogs import declared, now_ms, record
from conftest import Result
from transports.conftest import DECLARATION, STATUS, Two, copies, needs, rows

Run = Callable[..., Result]
IGNORED = ("Path .st2", "Path .git", "Name .*.tmp-*-*")


@pytest.fixture
def unison(two: Two) -> Run:
    """A function: bring both folders together, nobody being asked."""
    needs("unison")
    one, other = two
    home = one.cli.home / ".unison"
    for made in (path for each in two for path in each.root.glob(".*") if path.is_file()):
        os.utime(made, (1, 1))  # by init, in another second on each side: a conflict to unison

    def run(*options: str) -> Result:
        ignored = [part for line in IGNORED for part in ("-ignore", line)]
        done = subprocess.run(
            ["unison", one.root, other.root, "-batch", "-ui", "text", "-times", *ignored, *options],
            env=one.cli.environment({"UNISON": str(home)}),
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return run


def test_records_arrive_and_read_the_same(two: Two, unison: Run) -> None:
    """Case C12."""
    one, other = two
    one.put("agents/h1/a1/.status.tmp-1-2", b"half")
    done = unison()
    assert done.code == 0, done.text + done.errors
    at_ms = now_ms()
    assert other.read(STATUS) == one.read(STATUS)
    assert rows(one, at_ms) == rows(other, at_ms)
    assert not (other.root / ".st2/h1").exists()
    assert not (other.root / "agents/h1/a1/.status.tmp-1-2").exists()


def test_a_conflict_leaves_both_sides_as_they_are_or_a_copy_that_nobody_reads(
    two: Two, unison: Run
) -> None:
    """Case F22."""
    one, other = two
    unison()
    at_ms = now_ms()
    sides = ((one, "dnd", "One"), (other, "away", "The other one"))
    for clone, word, name in sides:
        clone.put(STATUS, record(word, at_ms))
        clone.put(DECLARATION, declared(body=f'    name "{name}"\n').encode())
    unison()
    for clone, word, _ in sides:
        assert clone.cli("status", "a1").text == f"{word}\n" and copies(clone) == []

    unison("-copyonconflict", "-prefer", str(one.root))
    assert rows(one, at_ms) == rows(other, at_ms)
    assert rows(one, at_ms).count('"identity":') == 2
    [declaration, status] = copies(other)
    assert declaration.startswith("agents/h1/a1/agent (conflict")
    assert status.startswith("agents/h1/a1/status (conflict")
    assert (other.root / status).read_bytes() == record("away", at_ms)
