"""What the loop of sync leaves behind, round after round: nothing."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest

from catalog.sync.policy import Policy
from support.fleet import Fleet
from support.looped import Looped, looped


def children() -> int:
    return sum(
        len(Path(f"/proc/self/task/{thread}/children").read_text().split())
        for thread in os.listdir("/proc/self/task")
    )


def resources() -> tuple[int, int]:
    """Descriptors and children; what tests before left may go meanwhile, so fewer is no fault."""
    gc.collect()
    return len(os.listdir("/proc/self/fd")), children()


def no_more(before: tuple[int, int]) -> bool:
    return all(now <= then for now, then in zip(resources(), before, strict=True))


@pytest.mark.slow
def test_some_hundred_rounds_leave_no_descriptor_child_or_object(tmp_path: Path) -> None:
    """Case X14, for the loop of sync."""
    one = looped(tmp_path, policy=Policy(publish_ms=1_000, collect_ms=1_000))
    for agent in range(5):
        one.put(agent=f"a{agent}")

    def rounds(count: int) -> None:
        for number in range(count):
            one.put("busy" if number % 2 else "away")
            one.down() if number % 7 == 0 else one.up()
            one.run(1_300)
            one.forget()

    rounds(60)
    before, objects = resources(), len(gc.get_objects())
    rounds(300)
    assert no_more(before)
    assert len(gc.get_objects()) - objects < 600


def test_rounds_over_a_real_remote_leave_no_descriptor_and_no_child(fleet: Fleet) -> None:
    """Case X14, for the loop of sync."""
    one = Looped(fleet, policy=Policy(publish_ms=1_000, collect_ms=1_000))
    one.put()
    one.settle()
    before = resources()
    for number in range(8):
        one.put("busy" if number % 2 else "away")
        one.run(1_300)
    assert no_more(before)
    assert one.line.pushes >= 6
