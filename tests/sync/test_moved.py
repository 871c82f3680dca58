"""What is kept of other hosts where this host's clock is set, to the millisecond."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import heard
from catalog.heard import Heard
from catalog.layout import Layout
from catalog.offset import Interval
from catalog.sync import polled
from catalog.sync.polled import Reading
from catalog.sync.stepped import follow, moved, reading
from catalog.windows import STEPPED_MS
from support.judged import NOW, World

LAYOUT = Layout("/", "h1")
KNOWN = Heard(
    NOW,
    (Interval(None, 5), Interval(-7, 9)),
    signer="SHA256:a",
    signer_before="SHA256:b",
    signer_ms=NOW - 3,
    doubt="no",
    checked="mark",
)


@pytest.mark.parametrize("by_ms", [-60_000, 60_000])
def test_moments_and_bounds_are_moved_and_all_else_stays(by_ms: int) -> None:
    assert moved(KNOWN, by_ms) == Heard(
        NOW + by_ms,
        (Interval(None, 5 + by_ms), Interval(-7 + by_ms, 9 + by_ms)),
        signer="SHA256:a",
        signer_before="SHA256:b",
        signer_ms=NOW - 3 + by_ms,
        doubt="no",
        checked="mark",
    )


def test_what_never_was_stays_so_and_what_was_never_becomes_that() -> None:
    assert moved(Heard(), 60_000) == Heard()
    assert moved(Heard(5, signer_ms=7), -60_000) == Heard(1, signer_ms=1)


@given(st.integers(-(10**9), 10**9))
def test_a_clock_that_is_set_right_again_leaves_what_was_known(by_ms: int) -> None:
    assert moved(moved(KNOWN, by_ms), -by_ms) == KNOWN


class TestReading:
    """Both clocks, where they can be read at one moment."""

    def read(self, boot_ms: Callable[[], int] | None, boot: str = "b") -> Reading:
        return reading(replace(World().site, boot=boot, boot_ms=boot_ms))

    @pytest.mark.parametrize(("took_ms", "known"), [(0, True), (999, True), (1_000, False)])
    def test_what_took_a_second_is_no_moment(self, took_ms: int, known: bool) -> None:
        read = iter((5, 5 + took_ms))
        wanted = Reading(NOW, "b", 5) if known else Reading(NOW)
        assert self.read(lambda: next(read)) == wanted

    def test_without_a_boot_or_a_time_since_it_the_wall_clock_is_all(self) -> None:
        assert self.read(lambda: 5, "") == self.read(None) == Reading(NOW)


class TestFollow:
    """A look that finds the clock set moves all that was observed, once."""

    @pytest.fixture
    def world(self) -> World:
        made = World()
        files: Any = made.files
        heard.save(files, LAYOUT, "h2", KNOWN)
        heard.save(files, LAYOUT, "No", KNOWN)
        polled.save(files, LAYOUT, Reading(NOW, "b", 100), remote="r")
        return made

    def followed(self, world: World, now: Reading) -> Heard:
        follow(world.site, now)
        return heard.load(world.site.files, LAYOUT, "h2")

    @pytest.mark.parametrize("by_ms", [STEPPED_MS, -STEPPED_MS])
    def test_a_step_moves_what_was_observed_and_the_last_look(
        self, world: World, by_ms: int
    ) -> None:
        now = Reading(NOW + 10 + by_ms, "b", 110)
        assert self.followed(world, now) == moved(KNOWN, by_ms)
        assert polled.last(world.site.files, LAYOUT) == (Reading(NOW + by_ms, "b", 100), "r")
        assert self.followed(world, now) == moved(KNOWN, by_ms)
        assert heard.load(world.site.files, LAYOUT, "No") == KNOWN

    @pytest.mark.parametrize("by_ms", [0, STEPPED_MS - 1, 1 - STEPPED_MS])
    def test_less_than_a_step_moves_nothing(self, world: World, by_ms: int) -> None:
        written = len(world.files.changes)
        assert self.followed(world, Reading(NOW + 10 + by_ms, "b", 110)) == KNOWN
        assert len(world.files.changes) == written

    def test_without_a_last_look_nothing_is_known(self, world: World) -> None:
        world.files.remove(LAYOUT.polled())
        assert self.followed(world, Reading(NOW + 10 * STEPPED_MS, "b", 110)) == KNOWN

    def test_where_nobody_was_observed_the_look_alone_is_moved(self) -> None:
        world = World()
        files: Any = world.files
        polled.save(files, LAYOUT, Reading(NOW, "b", 100), remote="r")
        files.scan = lambda path: None
        follow(world.site, Reading(NOW + STEPPED_MS, "b", 100))
        assert polled.last(files, LAYOUT) == (Reading(NOW + STEPPED_MS, "b", 100), "r")
