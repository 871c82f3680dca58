"""Case X10, with real processes: the wall clock is set while an owner and a publisher run."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conftest import BIN, Cli
from support.fleet import Fleet, good, put
from support.wall import Wall
from support.watcher import PATIENCE_S, Watcher
from support.wrapped import Wrapped, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="preloads into processes of Linux")

HOUR_S = 3_600
STEPS = pytest.mark.parametrize("step_s", [2 * HOUR_S, -2 * HOUR_S], ids=["forward", "back"])


@pytest.fixture
def wall(tmp_path: Path) -> Wall:
    return Wall(tmp_path / "wall")


@pytest.fixture
def cli(cli: Cli, wall: Wall) -> Cli:
    """The command, under that clock."""
    return replace(cli, command=wall.command)


def row(cli: Cli) -> tuple[Any, Any]:
    """The word of the one agent, as somebody under the same clock reads it, and why."""
    [found] = json.loads(good(cli("agents", "--json")).out)
    return found["status"], found["presence"]["why"]


@STEPS
def test_an_owner_beats_by_the_clock_that_was_set(
    wrapped: Wrapped, wall: Wall, step_s: int
) -> None:
    process = wrapped.running("sleep", "300", beat_ms=200)
    owner = wrapped.owner_pid()
    for ahead_s in (step_s, 0):
        wall.set(ahead_s)
        until(lambda: abs(wrapped.stamp_ms() - wall.now_ms()) < HOUR_S * 1_000)
        assert row(wrapped.cli) == ("available", "fresh")
    assert (wrapped.owner_pid(), process.poll()) == (owner, None)
    assert wrapped.claim()["generation"] == 1


@STEPS
def test_a_name_is_not_to_be_had_by_setting_the_clock_and_no_stamp_comes_after_an_end(
    wrapped: Wrapped, wall: Wall, step_s: int
) -> None:
    process = wrapped.running("sleep", "300")
    wall.set(step_s)
    asked = wrapped.cli("session", "register", "w", "--session", "other")
    assert asked.code == 1 and "held by session" in asked.errors
    process.kill()
    ended = wrapped.ended()
    assert ended["generation"] == 1 and ended["ended_ms"] >= wrapped.stamp_ms()
    assert wrapped.word() == "offline"
    assert row(wrapped.cli) == ("offline", "ended")


def records(fleet: Fleet) -> list[bytes]:
    return [each.raw for each in fleet.published("h1").entries]


@STEPS
def test_a_publisher_goes_on_and_what_it_publishes_is_taken(
    fleet_of: Callable[..., Cli],
    watching: Callable[..., Watcher],
    fleet: Fleet,
    wall: Wall,
    step_s: int,
) -> None:
    one, other = fleet_of("h1"), replace(fleet_of("h2"), command=BIN / "st2")
    put(one, "w", "status", b"busy\nv1 1\n")
    found = watching(one)
    found.says("published")
    good(other("sync"))
    before = fleet.published("h1")
    for count, ahead_s in enumerate((step_s, 0), 2):
        wall.set(ahead_s)
        record = b"away\nv1 %d\n" % count
        put(one, "w", "status", record)
        until(lambda record=record: records(fleet) == [record], PATIENCE_S)  # type: ignore[misc]
        after = fleet.published("h1")
        assert after.seq > before.seq
        assert abs(after.beat_ms - wall.now_ms()) < HOUR_S * 1_000
        good(other("sync"))
        assert (other.catalog / "agents/h1/w/status").read_bytes() == record
        before = after
    assert found.end() == 0
