"""How much of a remote is taken in one round, and in which order; what is told of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from catalog.finding import Finding
from catalog.sync.crowd import MOST, admitted
from catalog.sync.remarks import of_findings
from catalog.sync.shape import REF_PREFIX
from catalog.sync.turns import Raw, in_turn


class Round:
    """What was read and taken, in its order; each host costs what it is said to."""

    def __init__(self, **costs: int) -> None:
        self.costs = costs
        self.read: list[list[str]] = []
        self.taken: list[str] = []

    def run(self, most: int, **heard_ms: int) -> list[str]:
        tips = {name: f"tip of {name}" for name in self.costs}
        done = in_turn(
            tips,
            read=self._read,
            take=self._take,
            heard_ms=lambda name: heard_ms.get(name, 0),
            most=most,
        )
        assert done == set(self.taken) and len(done) == len(self.taken)
        return self.taken

    def _read(self, tips: dict[str, str]) -> Iterator[tuple[str, Raw]]:
        self.read.append(list(tips))
        yield from ((name, tip.encode()) for name, tip in tips.items())

    def _take(self, name: str, raw: Raw) -> int:
        assert raw == f"tip of {name}".encode()
        self.taken.append(name)
        return self.costs[name]


class TestTurns:
    @pytest.mark.parametrize(("cost", "taken"), [(6, "abdc"), (7, "adcb")])
    def test_half_a_round_goes_in_order_and_the_rest_by_who_was_heard_longest_ago(
        self, cost: int, taken: str
    ) -> None:
        assert Round(a=cost, b=1, c=1, d=1).run(11, c=9, d=8) == list(taken)

    @pytest.mark.parametrize(("cost", "taken"), [(1, "abcd"), (2, "abc")])
    def test_a_round_ends_once_more_than_all_of_it_was_taken(self, cost: int, taken: str) -> None:
        assert Round(a=2, b=1, c=cost, d=1, e=1).run(4, c=1, d=2, e=3) == list(taken)

    def test_what_is_used_up_to_the_last_byte_leaves_room_for_one_more(self) -> None:
        assert Round(a=1, b=1, c=1, d=1).run(2, c=1, d=2) == list("abc")

    def test_those_that_waited_are_read_sixteen_at_a_time_and_each_once(self) -> None:
        many = {f"h{number:02}": 1 for number in range(39)}
        made = Round(a=60, **many)
        assert made.run(100) == ["a", *many]
        assert [len(names) for names in made.read] == [40, 16, 16, 7]


@pytest.mark.parametrize(
    ("known", "heard", "taken"),
    [(0, 0, MOST), (3, 3, MOST), (3, 2, MOST - 1), (MOST, 5, 5), (MOST + 9, 5, 5)],
)
def test_hosts_that_were_heard_count_though_their_refs_are_gone(
    known: int, heard: int, taken: int
) -> None:
    first = [f"z{number}" for number in range(known)]
    names = [*(f"a{number}" for number in range(MOST + 1)), *first[:heard]]
    found = list(admitted({REF_PREFIX + name: "1" for name in names}, first))
    assert len(found) == taken
    assert found[:heard] == [REF_PREFIX + name for name in first[:heard]]


def test_a_remark_is_told_with_its_file() -> None:
    assert of_findings([Finding("c", "m", "p"), Finding("c", "m")]) == ["p: m", "m"]
