"""What comes next, and when: each edge by hand, and the promises over any course of events."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.sync import schedule
from catalog.sync.policy import Policy
from catalog.sync.schedule import (
    ACTIVITY,
    COLLECT,
    LOOK,
    NOTHING,
    PUBLISH,
    RECORDS,
    WAIT,
    Schedule,
    next_step,
)

POLICY = Policy()
T = 1_000_000
MIDDLE = 0.5


def quiet(now_ms: int = T) -> Schedule:
    """A host that has just published and collected, with jitter in the middle."""
    state = schedule.published(schedule.begin(POLICY, now_ms), now_ms=now_ms, chance=MIDDLE)
    return schedule.collected(state, now_ms=now_ms, chance=MIDDLE)


def without_collect(state: Schedule) -> Schedule:
    return replace(state, collect_ms=10**12)


def test_at_the_start_it_publishes_then_collects_then_waits() -> None:
    state = schedule.begin(POLICY, T)
    assert next_step(state, T) == schedule.Step(PUBLISH, T)
    state = schedule.published(state, now_ms=T, chance=MIDDLE)
    assert next_step(state, T) == schedule.Step(COLLECT, T)
    state = schedule.collected(state, now_ms=T, chance=MIDDLE)
    assert next_step(state, T) == schedule.Step(WAIT, T + 15_000)


@pytest.mark.parametrize(("chance", "factor"), [(0.0, 0.8), (0.5, 1.0), (1.0, 1.2)])
def test_intervals_vary_by_a_fifth(chance: float, factor: float) -> None:
    state = schedule.published(schedule.begin(POLICY, T), now_ms=T, chance=chance)
    state = schedule.collected(state, now_ms=T, chance=chance)
    assert state.free_ms == T + 30_000 * factor
    assert state.beat_ms == T + 300_000 * factor
    assert state.collect_ms == T + 15_000 * factor


@pytest.mark.parametrize(
    ("changed", "after_ms"), [(RECORDS, 30_000), (ACTIVITY, 60_000), (NOTHING, 300_000)]
)
def test_a_publish_waits_for_its_interval_and_not_longer(changed: int, after_ms: int) -> None:
    state = replace(without_collect(quiet()), changed=changed, rescan_ms=10**12)
    assert next_step(state, T + after_ms - 1).act == WAIT
    assert next_step(state, T + after_ms - 1).until_ms == T + after_ms
    assert next_step(state, T + after_ms).act == PUBLISH


def test_a_hint_is_looked_at_once_the_publish_interval_has_passed() -> None:
    state = schedule.hinted(schedule.hinted(without_collect(quiet())))
    state = replace(state, rescan_ms=10**12)
    assert next_step(state, T + 29_999) == schedule.Step(WAIT, T + 30_000)
    assert next_step(state, T + 30_000) == schedule.Step(LOOK, T + 30_000)


def test_however_many_hints_came_one_look_follows() -> None:
    state = schedule.hinted(schedule.hinted(without_collect(quiet())))
    state = schedule.looked(state, NOTHING, now_ms=T + 40_000, took_ms=5)
    assert state.hinted is False
    assert next_step(state, T + 40_000) == schedule.Step(WAIT, T + 70_000)


def test_a_publish_takes_what_changed_and_is_a_look() -> None:
    state = schedule.looked(without_collect(quiet()), RECORDS, now_ms=T + 20_000, took_ms=5)
    state = schedule.published(state, now_ms=T + 40_000, chance=MIDDLE)
    assert state.changed == NOTHING
    assert next_step(state, T + 40_000) == schedule.Step(WAIT, T + 70_000)


def test_without_a_hint_it_looks_each_half_minute() -> None:
    state = without_collect(quiet())
    assert next_step(state, T + 29_999).act == WAIT
    assert next_step(state, T + 30_000).act == LOOK
    state = schedule.looked(state, NOTHING, now_ms=T + 30_000, took_ms=5)
    assert next_step(state, T + 59_999).act == WAIT
    assert next_step(state, T + 60_000).act == LOOK


@pytest.mark.parametrize(("took_ms", "gap_ms"), [(0, 1_000), (50, 1_000), (51, 1_020)])
def test_looks_that_hints_ask_for_take_a_twentieth_of_the_time(took_ms: int, gap_ms: int) -> None:
    now_ms = T + 100_000
    state = schedule.looked(without_collect(quiet()), NOTHING, now_ms=now_ms, took_ms=took_ms)
    state = schedule.hinted(state)
    assert next_step(state, now_ms + gap_ms - 1).act == WAIT
    assert next_step(state, now_ms + gap_ms).act == LOOK


def test_a_hint_that_comes_during_a_publish_is_looked_at_after_it() -> None:
    state = schedule.hinted(quiet())
    state = schedule.published(state, now_ms=T + 50, chance=MIDDLE)
    assert state.hinted


def test_what_failed_is_tried_after_1_2_and_4_s_and_then_each_interval() -> None:
    state, now_ms, waits = quiet(), T, []
    for _ in range(6):
        state = schedule.not_published(state, now_ms=now_ms, chance=MIDDLE)
        waits.append(state.publish_due_ms - now_ms)
        assert next_step(without_collect(state), now_ms).until_ms == state.publish_due_ms
        now_ms = state.publish_due_ms
    assert waits == [1_000, 2_000, 4_000, 30_000, 30_000, 30_000]
    waits = []
    for _ in range(5):
        state = schedule.not_collected(state, now_ms=now_ms, chance=0.0)
        waits.append(state.collect_ms - now_ms)
        now_ms = state.collect_ms
    assert waits == [500, 1_000, 2_000, 12_000, 12_000]


def test_no_retry_is_later_than_the_next_interval() -> None:
    short = replace(quiet(), policy=Policy(publish_ms=1_500, collect_ms=1_000))
    for _ in range(4):
        short = schedule.not_published(short, now_ms=T, chance=1.0)
        short = schedule.not_collected(short, now_ms=T, chance=1.0)
        assert short.retry_ms - T <= 1_800
        assert short.collect_ms - T <= 1_200


def test_after_a_success_the_next_failure_is_a_first_one() -> None:
    state = schedule.not_published(quiet(), now_ms=T, chance=MIDDLE)
    state = schedule.not_published(state, now_ms=T, chance=MIDDLE)
    state = schedule.published(state, now_ms=T, chance=MIDDLE)
    state = schedule.not_published(state, now_ms=T, chance=MIDDLE)
    assert state.retry_ms == T + 1_000
    for _ in range(2):
        state = schedule.not_collected(state, now_ms=T, chance=MIDDLE)
    state = schedule.collected(state, now_ms=T, chance=MIDDLE)
    assert schedule.not_collected(state, now_ms=T, chance=MIDDLE).collect_ms == T + 1_000


def test_after_a_sleep_of_the_machine_a_round_is_due_at_once() -> None:
    failing = schedule.not_published(quiet(), now_ms=T, chance=MIDDLE)
    for before in (quiet(), failing):
        state = schedule.resumed(before, T + 10)
        assert next_step(state, T + 10).act == PUBLISH
        state = schedule.published(state, now_ms=T + 20, chance=MIDDLE)
        assert next_step(state, T + 20).act == COLLECT


def test_shorter_intervals_pull_a_retry_in_and_longer_ones_leave_it() -> None:
    state = replace(quiet(), retry_ms=T + 50_000)
    shorter = schedule.under(state, Policy(publish_ms=2_000, collect_ms=1_000), T)
    assert shorter.policy == Policy(publish_ms=2_000, collect_ms=1_000)
    assert shorter.retry_ms == T + 2_400
    assert schedule.under(state, Policy(publish_ms=90_000), T).retry_ms == T + 50_000


def test_other_settings_hold_at_once() -> None:
    state = schedule.under(quiet(), Policy(publish_ms=2_000, collect_ms=1_000), T)
    assert state.free_ms == T + 2_400
    assert state.collect_ms == T + 1_200
    longer = schedule.under(quiet(), Policy(publish_ms=90_000), T)
    assert longer.free_ms == T + 30_000


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["hint", "records", "activity", "down", "up", "sleep", "pass"]),
        st.integers(0, 40_000),
        st.floats(0, 1),
    ),
    max_size=60,
)


class Course:
    """A loop in no time: does what the schedule says, against a remote that is up or down."""

    def __init__(self) -> None:
        self.state = schedule.begin(POLICY, T)
        self.now_ms = T
        self.up = True
        self.actual = self.offered = (0, 0)
        self.publishes: list[tuple[int, bool]] = []
        self.collects: list[int] = []
        self.steps = 0

    def until(self, end_ms: int, chance: float) -> None:
        while self.now_ms < end_ms:
            self.steps += 1
            step = next_step(self.state, self.now_ms)
            if step.act == WAIT:
                assert step.until_ms > self.now_ms
                self.now_ms = min(step.until_ms, end_ms)
                continue
            self.act(step.act, chance)
            self.now_ms += 7

    def act(self, act: str, chance: float) -> None:
        now_ms = self.now_ms
        if act == LOOK:
            changed = NOTHING if self.actual == self.offered else ACTIVITY
            changed = RECORDS if self.actual[0] != self.offered[0] else changed
            self.state = schedule.looked(self.state, changed, now_ms=now_ms, took_ms=3)
            return
        does = {
            (PUBLISH, True): schedule.published,
            (PUBLISH, False): schedule.not_published,
            (COLLECT, True): schedule.collected,
            (COLLECT, False): schedule.not_collected,
        }[act, self.up]
        self.state = does(self.state, now_ms=now_ms, chance=chance)
        if act == PUBLISH:
            self.publishes.append((now_ms, self.up))
            self.offered = self.actual if self.up else self.offered
        else:
            self.collects.append(now_ms)


@given(EVENTS)
@settings(max_examples=150, deadline=None)
def test_over_any_course_of_events_the_promises_hold(course: list[tuple[str, int, float]]) -> None:
    run = Course()
    slept = False
    for word, pause_ms, chance in course:
        match word:
            case "hint":
                run.state = schedule.hinted(run.state)
            case "records":
                run.actual = (run.actual[0] + 1, run.actual[1])
            case "activity":
                run.actual = (run.actual[0], run.actual[1] + 1)
            case "down" | "up":
                run.up = word == "up"
            case "sleep":
                run.state, slept = schedule.resumed(run.state, run.now_ms), True
        run.until(run.now_ms + pause_ms, chance)
    taken = [at for at, up in run.publishes if up]
    if not slept:
        assert all(later - earlier >= 24_000 for earlier, later in pairwise(taken))
    # However often it was told, it works in bounded steps: nothing is queued.
    assert run.steps <= 20 + 6 * len(course) + (run.now_ms - T) / 250
    # Once the remote is up, whatever there is is published, and theirs are collected.
    run.up = True
    before = len(run.collects)
    run.until(run.now_ms + 120_000, 1.0)
    assert run.offered == run.actual
    assert len(run.collects) > before
    assert run.publishes[-1][1]
    run.until(run.now_ms + 720_000, 1.0)
    assert run.now_ms - run.publishes[-1][0] <= 360_000 + 10
