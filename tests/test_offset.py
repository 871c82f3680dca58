"""The offset of another host's clock: true bounds whatever is polled, and no false skew."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.offset import KEPT, Interval, add, intersect, observe, words

HOUR_MS = 3_600_000
GAPS = st.integers(1, 2 * HOUR_MS)
ATTEMPTS = st.integers(0, 30_000)


def watched(
    offset_ms: int, publishes: list[int], polls: list[int], attempts: list[int]
) -> tuple[Interval, ...]:
    """What a reader observes of a host; all times by the reader's clock, the beat by the host's.

    A publish is stamped, and can be seen up to 30 s later. A poll sees the last that can be.
    """
    known: tuple[Interval, ...] = ()
    seen, before = None, None
    for poll in polls:
        landed = [
            (at + attempt, at)
            for at, attempt in zip(publishes, attempts, strict=True)
            if at + attempt <= poll
        ]
        if landed and max(landed) != seen:
            first = seen is None
            seen = max(landed)
            beat_ms = seen[1] - offset_ms
            known = add(known, observe(None if first else before, poll, beat_ms=beat_ms))
        before = poll
    return known


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    """When a host published, when a reader polled, and how long each publish took."""
    count = draw(st.integers(1, 40))
    start = 10 * HOUR_MS
    publishes = [start]
    for gap in draw(st.lists(st.integers(30_000, HOUR_MS), min_size=count, max_size=count)):
        publishes.append(publishes[-1] + gap)
    polls = [start - draw(st.integers(0, HOUR_MS))]
    for gap in draw(st.lists(GAPS, min_size=count, max_size=3 * count)):
        polls.append(polls[-1] + gap)
    attempts = draw(st.lists(ATTEMPTS, min_size=len(publishes), max_size=len(publishes)))
    return publishes, polls, attempts


class TestTruth:
    """Whatever is published and polled, the true offset lies within what is said."""

    @given(histories(), st.integers(-24 * HOUR_MS, 24 * HOUR_MS))
    def test_the_true_offset_always_lies_inside(
        self, history: tuple[list[int], list[int], list[int]], offset_ms: int
    ) -> None:
        publishes, polls, attempts = history
        clock = intersect(watched(offset_ms, publishes, polls, attempts))
        if clock is not None:
            assert clock.low_ms is None or clock.low_ms <= offset_ms
            assert offset_ms <= clock.high_ms

    @given(histories(), st.integers(-5_000, 5_000))
    def test_a_healthy_clock_is_never_called_skewed(
        self, history: tuple[list[int], list[int], list[int]], offset_ms: int
    ) -> None:
        publishes, polls, attempts = history
        clock = intersect(watched(offset_ms, publishes, polls, attempts))
        assert clock is None or not clock.is_skewed

    @given(st.integers(36_000 + 15_000, 24 * HOUR_MS))
    def test_a_clock_that_is_far_behind_is_found_out_by_polls_15_s_apart(
        self, offset_ms: int
    ) -> None:
        polls = list(range(0, 600_000, 15_000))
        clock = intersect(watched(offset_ms, [1_000, 301_000], polls, [500, 500]))
        assert clock is not None
        assert clock.is_behind

    def test_a_poll_every_ten_minutes_claims_no_skew(self) -> None:
        """Case X16, the pure half."""
        polls = list(range(0, 12 * HOUR_MS, 600_000))
        publishes = list(range(5_000, 12 * HOUR_MS, 600_000))
        known = watched(0, publishes, polls, [2_000] * len(publishes))
        assert len(known) == KEPT
        clock = intersect(known)
        assert clock == Interval(5_000 - 30_000 - 10_000, 595_000)
        assert not clock.is_skewed


class TestOneObservation:
    """A publish seen between two polls."""

    def test_it_bounds_the_offset_from_both_sides(self) -> None:
        assert observe(100_000, 115_000, beat_ms=50_000) == Interval(20_000, 65_000)

    def test_a_poll_that_took_no_time_bounds_it_too(self) -> None:
        assert observe(115_000, 115_000, beat_ms=50_000) == Interval(35_000, 65_000)

    def test_the_first_one_bounds_it_from_above_alone(self) -> None:
        assert observe(None, 115_000, beat_ms=50_000) == Interval(None, 65_000)

    def test_a_clock_of_ours_that_was_set_back_between_the_polls_bounds_nothing_below(self) -> None:
        assert observe(115_001, 115_000, beat_ms=50_000) == Interval(None, 65_000)

    def test_a_clock_ahead_is_certain_from_one(self) -> None:
        assert observe(None, 0, beat_ms=600_000).is_ahead


@pytest.mark.parametrize(
    ("interval", "ahead", "behind"),
    [
        (Interval(-9_000, -5_001), True, False),
        (Interval(-9_000, -5_000), False, False),
        (Interval(5_000, 9_000), False, False),
        (Interval(5_001, 9_000), False, True),
        (Interval(None, -5_001), True, False),
        (Interval(None, 9_000), False, False),
    ],
)
def test_skew_is_stated_where_the_bounds_exclude_5_s_to_the_millisecond(
    interval: Interval, ahead: bool, behind: bool
) -> None:
    assert (interval.is_ahead, interval.is_behind) == (ahead, behind)
    assert interval.is_skewed == (ahead or behind)


@pytest.mark.parametrize(
    ("interval", "is_off"),
    [
        (Interval(60_000, 99_000), False),
        (Interval(60_001, 99_000), True),
        (Interval(-99_000, -60_000), False),
        (Interval(-99_000, -60_001), True),
        (Interval(None, 99_000), False),
    ],
)
def test_the_clocks_differ_by_more_than_a_minute_at_its_edge(
    interval: Interval, is_off: bool
) -> None:
    assert interval.is_off_by(60_000) == is_off


class TestManyObservations:
    """The last 32 are intersected."""

    def test_what_they_agree_on_is_the_narrowest(self) -> None:
        known = (Interval(None, 9), Interval(-5, 20), Interval(-7, 8))
        assert intersect(known) == Interval(-5, 8)

    def test_one_point_is_an_agreement_and_nothing_less(self) -> None:
        assert intersect((Interval(3, 9), Interval(None, 3))) == Interval(3, 3)
        assert intersect((Interval(4, 9), Interval(None, 3))) is None
        assert intersect(()) is None

    def test_a_clock_that_was_set_right_is_believed_at_once(self) -> None:
        known: tuple[Interval, ...] = (Interval(590_000, 605_000),) * 3
        after = add(known, Interval(-30_000, 2_000))
        assert after == (Interval(-30_000, 2_000),)

    def test_the_thirty_third_pushes_the_first_one_out(self) -> None:
        known: tuple[Interval, ...] = (Interval(-1, 1),)
        for _ in range(KEPT - 1):
            known = add(known, Interval(-9, 9))
        assert intersect(known) == Interval(-1, 1)
        assert intersect(add(known, Interval(-9, 9))) == Interval(-9, 9)


@pytest.mark.parametrize(
    ("interval", "told"),
    [
        (Interval(-640_999, -600_999), "600 s to 640 s ahead"),
        (Interval(None, -600_000), "at least 600 s ahead"),
        (Interval(570_000, 601_999), "570 s to 601 s behind"),
        (Interval(-9_000, -3_000), "3 s to 9 s ahead"),
        (Interval(None, -1), "at least 0 s ahead"),
        (Interval(None, 45_000), "at most 45 s behind"),
        (Interval(-30_000, 15_000), "between 30 s ahead and 15 s behind"),
        (Interval(-9_000, 0), "between 9 s ahead and 0 s behind"),
        (Interval(None, 0), "at most 0 s behind"),
        (Interval(0, 9_000), "between 0 s ahead and 9 s behind"),
        (Interval(1, 9_000), "0 s to 9 s behind"),
    ],
)
def test_the_words_give_both_bounds_in_seconds(interval: Interval, told: str) -> None:
    assert words(interval) == told
