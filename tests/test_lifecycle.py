"""The owner's table: no cell is missing, and the rules that hold across cells."""

from __future__ import annotations

import pytest

from drivers import lifecycle as life

WRITES = {life.BEAT, life.OFFLINE, life.END_EXITED, life.END_LAUNCH_ERROR}
WAITS = {life.WAIT_INTERVAL, life.WAIT_LOOK, life.WAIT_RETRY, life.WAIT_NOT}
ALIVE = (life.RUNNING, life.STOPPED)
LEAVES = (life.LEFT, (life.LEAVE,))
ENDS = (life.ENDING, (life.WAIT_RETRY, life.OFFLINE, life.END_EXITED))
FAILS = (life.FAILED, (life.WAIT_RETRY, life.END_LAUNCH_ERROR))
AGAIN = (life.DUE, life.DUE_STOPPED, life.GONE)
RULES = {
    "a harness that was let go is beaten for at once": (
        (life.RUNNING, (life.WAIT_NOT,)),
        [(life.LAUNCHING, life.LAUNCHED), (life.ADOPTING, life.LAUNCHED)],
    ),
    "a harness that runs gets a beat, and the next one an interval later": (
        (life.RUNNING, (life.WAIT_INTERVAL, life.BEAT)),
        [(phase, life.DUE) for phase in ALIVE],
    ),
    "a stopped one is looked at again soon": (
        (life.STOPPED, (life.WAIT_LOOK, life.CHECK)),
        [(phase, life.DUE_STOPPED) for phase in ALIVE],
    ),
    "a harness that is gone is offline, then ended, until both are written": (
        ENDS,
        [
            *((phase, life.GONE) for phase in (life.LAUNCHING, life.ADOPTING, *ALIVE)),
            *((life.ENDING, event) for event in AGAIN),
        ],
    ),
    "a launch that came to nothing is ended as one, until that is written": (
        FAILS,
        [
            *((life.LAUNCHING, event) for event in (life.EXEC_FAILED, life.ABANDONED)),
            *((life.FAILED, event) for event in AGAIN),
        ],
    ),
    "an owner leaves when all is written, hopeless, or not his": (
        LEAVES,
        [
            *((life.ADOPTING, event) for event in (life.EXEC_FAILED, life.ABANDONED)),
            *((life.ENDING, event) for event in (life.WRITTEN, life.HOPELESS)),
            *((life.FAILED, event) for event in (life.WRITTEN, life.HOPELESS)),
            *((phase, life.SUPERSEDED) for phase in life.PHASES if phase != life.LEFT),
        ],
    ),
}
"""What is done, and in which cells: in all others nothing."""
CELLS = [(phase, event) for phase in life.PHASES for event in life.EVENTS]


def test_every_phase_has_an_answer_to_every_event_and_no_other() -> None:
    assert set(life.TABLE) == set(life.PHASES)
    for phase in life.PHASES:
        assert set(life.TABLE[phase]) == set(life.EVENTS), phase


@pytest.mark.parametrize(("phase", "event"), CELLS)
def test_every_cell_names_a_phase_and_actions_that_exist(phase: str, event: str) -> None:
    after, actions = life.step(phase, event)
    assert after in life.PHASES
    assert set(actions) <= set(life.ACTIONS)


@pytest.mark.parametrize(("phase", "event"), CELLS)
def test_an_owner_that_has_left_does_nothing_ever_again(phase: str, event: str) -> None:
    assert life.step(life.LEFT, event) == (life.LEFT, ())


@pytest.mark.parametrize("phase", [phase for phase in life.PHASES if phase != life.LEFT])
def test_a_superseded_owner_leaves_without_writing_from_every_phase(phase: str) -> None:
    assert life.step(phase, life.SUPERSEDED) == (life.LEFT, (life.LEAVE,))


@pytest.mark.parametrize(("phase", "event"), CELLS)
def test_only_a_harness_that_was_seen_to_run_is_beaten_for(phase: str, event: str) -> None:
    _, actions = life.step(phase, event)
    if life.BEAT in actions:
        assert event == life.DUE
        assert phase in (life.RUNNING, life.STOPPED)


@pytest.mark.parametrize(("phase", "event"), CELLS)
def test_nothing_that_was_launched_ends_as_a_launch_error_and_nothing_else_as_exited(
    phase: str, event: str
) -> None:
    _, actions = life.step(phase, event)
    if life.END_LAUNCH_ERROR in actions:
        assert phase == life.FAILED or event in (life.EXEC_FAILED, life.ABANDONED)
        assert life.OFFLINE not in actions
    if life.END_EXITED in actions:
        assert phase == life.ENDING or event == life.GONE
        assert actions.index(life.OFFLINE) < actions.index(life.END_EXITED)


@pytest.mark.parametrize(("phase", "event"), CELLS)
def test_whatever_writes_has_set_its_next_moment_before(phase: str, event: str) -> None:
    _, actions = life.step(phase, event)
    if WRITES & set(actions):
        assert actions[0] in WAITS


def test_an_adopter_that_is_killed_ends_nobody_elses_session() -> None:
    assert life.step(life.ADOPTING, life.ABANDONED) == (life.LEFT, (life.LEAVE,))
    assert life.step(life.LAUNCHING, life.ABANDONED)[0] == life.FAILED


def test_a_stopped_harness_is_looked_at_and_not_beaten_for() -> None:
    looks = (life.STOPPED, (life.WAIT_LOOK, life.CHECK))
    assert life.step(life.RUNNING, life.DUE_STOPPED) == looks
    assert life.step(life.STOPPED, life.DUE_STOPPED) == looks
    assert life.step(life.STOPPED, life.DUE) == life.step(life.RUNNING, life.DUE)


@pytest.mark.parametrize("phase", [life.ENDING, life.FAILED])
def test_an_end_is_tried_again_until_it_is_written_or_hopeless(phase: str) -> None:
    assert life.step(phase, life.WRITE_FAILED) == (phase, ())
    assert life.step(phase, life.DUE)[0] == phase
    assert life.step(phase, life.WRITTEN)[0] == life.LEFT
    assert life.step(phase, life.HOPELESS)[0] == life.LEFT


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_holds_in_its_cells(rule: str) -> None:
    cell, where = RULES[rule]
    assert {life.step(phase, event) for phase, event in where} == {cell}


@pytest.mark.parametrize(("phase", "event"), CELLS)
def test_any_other_event_changes_nothing(phase: str, event: str) -> None:
    if not any((phase, event) in where for _, where in RULES.values()):
        assert life.step(phase, event) == (phase, ())
