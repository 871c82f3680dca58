"""Sleep and a clock that is set: owners beat on, readings are honest, no claim changes hands."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.claim import is_live
from catalog.reading import read_status
from catalog.seen import Content
from catalog.succession import Held, New, decide
from catalog.windows import CLAIM_MS, REFRESH_MS
from catalogs import T, claim
from drivers import lifecycle as life
from support.owned import World

HOUR = 3_600_000


@pytest.fixture
def world(tmp_path: Path) -> World:
    """An owner that has beaten once, on a clock that a test sets."""
    made = World(tmp_path)
    made.owner.begin(life.LAUNCHED)
    return made


def reading(world: World) -> tuple[str, str]:
    status = world.status()
    assert status is not None
    read = read_status(Content(status, 0), now_ms=world.clock.ms)
    return read.state, read.why


class TestOwner:
    """Case X10."""

    @pytest.mark.parametrize(
        ("step", "meanwhile"),
        [(HOUR, ("unknown", "stale")), (-HOUR, ("unknown", "future"))],
        ids=["forward", "back"],
    )
    def test_beats_stay_on_schedule_and_the_next_one_is_right_again(
        self, world: World, step: int, meanwhile: tuple[str, str]
    ) -> None:
        world.steps(2)
        world.clock.ms += step
        assert reading(world) == meanwhile
        world.steps(1)
        assert reading(world) == ("available", "fresh")
        assert world.status() == b"available\nv1 %d\n" % world.clock.ms
        world.steps(2)
        assert world.wakeups.waits == [0, *[REFRESH_MS] * 5]

    def test_a_small_step_back_is_no_step_back_of_the_record(self, world: World) -> None:
        before = world.clock.ms
        world.clock.ms -= 30_000
        assert reading(world) == ("available", "fresh")
        world.steps(1)
        assert world.status() == b"available\nv1 %d\n" % (before + 1)

    def test_after_a_sleep_it_beats_at_once_whatever_the_wall_clock_says(
        self, world: World
    ) -> None:
        world.steps(1)
        count = len(world.writer.asked)
        world.wakeups.ms += 8 * HOUR
        world.clock.ms += 8 * HOUR + HOUR
        world.steps(1)
        assert world.writer.asked[count:] == ["beat"]
        assert world.wakeups.waits[-1] <= 0
        assert reading(world) == ("available", "fresh")


class TestClaims:
    """A step backwards never re-opens a takeover."""

    def test_who_was_replaced_is_refused_by_the_clock_that_was_set_back(self) -> None:
        lost = claim(session="A", started_ms=T)
        taken = decide(
            lost, "B", verdict="unknown", refreshed_ms=None, force=False, now_ms=T + CLAIM_MS
        )
        assert taken == New(2, True, "A")
        holder = claim(
            session="B", generation=2, took_over=True, previous="A", started_ms=T + CLAIM_MS
        )
        for now_ms in (T + CLAIM_MS, T + CLAIM_MS - HOUR, T - 24 * HOUR):
            back = decide(
                holder, "A", verdict="unknown", refreshed_ms=None, force=False, now_ms=now_ms
            )
            assert isinstance(back, Held)

    @given(
        silence=st.integers(0, 2 * CLAIM_MS),
        step=st.integers(0, 1_000 * HOUR),
        verdict=st.sampled_from(["alive", "gone", "unknown"]),
    )
    def test_nothing_that_was_held_can_be_had_by_setting_the_clock_back(
        self, silence: int, step: int, verdict: str
    ) -> None:
        held = claim(started_ms=T - 2 * CLAIM_MS)
        now_ms, refreshed_ms = T, T - silence
        if is_live(held, verdict=verdict, refreshed_ms=refreshed_ms, now_ms=now_ms):
            assert is_live(held, verdict=verdict, refreshed_ms=refreshed_ms, now_ms=now_ms - step)

    @given(step=st.integers(0, 1_000 * HOUR))
    def test_an_ended_session_stays_ended(self, step: int) -> None:
        over = claim(ended_ms=T, end_reason="exited")
        assert not is_live(over, verdict="alive", refreshed_ms=T, now_ms=T - step)
