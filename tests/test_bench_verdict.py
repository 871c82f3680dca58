"""What `make bench-check` decides: ratios of pairs, the room on a busy machine, three attempts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.measure import Spent
from benchmarks.verdict import (
    CPU_ROOM,
    WALL_ROOM,
    Bound,
    Verdict,
    judged,
    ratio,
    repeated,
    summary,
    table,
)

BOUND = Bound(what="a start", floor="nothing", budget=2.0)
FLOOR = [Spent(wall_ms=100.0, cpu_ms=100.0)]


def verdict(what: str, *, holds: bool, contract: bool = True) -> Verdict:
    return Verdict(
        what=what,
        floor="f",
        found="3 ×",
        allowed="2 ×",
        budget="1 ×",
        holds=holds,
        stated=not contract,
        contract=contract,
    )


def test_a_ratio_is_the_median_of_those_of_the_pairs() -> None:
    """One pair that a busy machine spoilt changes nothing, whichever side it spoilt."""
    assert ratio([20.0, 22.0, 900.0], [10.0, 11.0, 10.0]) == 2.0
    assert ratio([20.0, 22.0, 20.0], [10.0, 11.0, 900.0]) == 2.0


def test_pairs_belong_together() -> None:
    with pytest.raises(ValueError, match="zip"):
        ratio([1.0, 2.0], [1.0])


@pytest.mark.parametrize(
    ("cpu", "wall", "holds"),
    [
        (200 * CPU_ROOM, 200 * WALL_ROOM, True),
        (200 * CPU_ROOM + 0.01, 200, False),
        (200, 200 * WALL_ROOM + 0.01, False),
    ],
)
def test_both_times_have_to_be_within_the_bound_and_their_room(
    cpu: float, wall: float, holds: bool
) -> None:
    assert judged(BOUND, [Spent(wall, cpu)], FLOOR).holds is holds


def test_a_verdict_shows_what_was_found_what_is_allowed_and_the_contract() -> None:
    bound = Bound(what="a start", floor="nothing", budget=2.0, stated=3.0)
    found = judged(bound, [Spent(310.0, 250.0)], FLOOR)
    assert (found.found, found.allowed, found.budget) == (
        "2.50 × processor, 3.10 × wall",
        "3.30 ×, 4.50 ×",
        "2 ×",
    )


@pytest.mark.parametrize(
    ("cpu", "word"),
    [
        (200.0, "holds, and the contract"),
        (200.1, "holds, contract missed"),
        (300 * CPU_ROOM, "holds, contract missed"),
        (300 * CPU_ROOM + 0.01, "MISSED"),
    ],
)
def test_a_stated_bound_is_checked_and_the_contract_shown_as_missed(cpu: float, word: str) -> None:
    bound = Bound(what="a start", floor="nothing", budget=2.0, stated=3.0)
    assert judged(bound, [Spent(100.0, cpu)], FLOOR).word == word


def test_only_what_is_missed_each_of_three_times_is_missed() -> None:
    rounds = iter([(False, False), (False, True), (False, False)])

    def measure() -> Iterator[Verdict]:
        bad, shaky = next(rounds)
        yield verdict("bad", holds=bad)
        yield verdict("shaky", holds=shaky)

    bad, shaky = repeated(measure)
    assert (bad.holds, bad.attempts) == (False, 3)
    assert (shaky.holds, shaky.attempts) == (True, 2)
    assert next(rounds, None) is None


def test_what_holds_at_once_is_measured_once() -> None:
    rounds = iter([True, False])
    (found,) = repeated(lambda: [verdict("good", holds=next(rounds))])
    assert (found.holds, found.attempts) == (True, 1)


def test_the_table_has_a_column_for_each_fact_and_says_how_many_attempts_there_were() -> None:
    lines = table([verdict("one", holds=True), repeated(lambda: [verdict("b", holds=False)])[0]])
    assert lines.splitlines() == [
        "what  found  allowed  contract  verdict              against",
        "one   3 ×    2 ×      1 ×       holds                f",
        "b     3 ×    2 ×      1 ×       MISSED (3 attempts)  f",
    ]


def test_the_summary_names_what_is_missed_and_counts_what_is_known_to_be() -> None:
    found = [
        verdict("one", holds=True),
        verdict("two", holds=True, contract=False),
        verdict("three", holds=False),
    ]
    assert summary(found) == (
        "bench-check: 2 of 3 budgets hold; 1 of them by a stated bound, the contract's is missed; "
        "missed: three"
    )
    assert summary(found[:1]) == "bench-check: 1 of 1 budgets hold"


def test_the_room_of_a_busy_machine_is_no_stated_miss() -> None:
    found = [judged(BOUND, [Spent(210.0, 210.0)], FLOOR)]
    assert (found[0].word, summary(found)) == ("holds", "bench-check: 1 of 1 budgets hold")


def test_the_summary_asks_to_state_no_more_what_is_met_again() -> None:
    bound = Bound(what="a start", floor="nothing", budget=2.0, stated=3.0)
    found = [judged(bound, [Spent(200.0, 200.0)], FLOOR)]
    assert summary(found) == ("bench-check: 1 of 1 budgets hold; met again, state no more: a start")
