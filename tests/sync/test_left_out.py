"""What could not be had is left out while it stays the same, and tried again at times."""

from __future__ import annotations

from collections.abc import Sequence

from catalog.sync.halves import Halves
from catalog.sync.left_out import EVERY, LeftOut


def found(left: LeftOut, *rest: Sequence[str], answers: bool = True, **broken: str) -> None:
    """End a fetch that found *broken* (ref → object), each for the reason of its own name."""
    listed = {"good": "9", **{ref: "9" for group in rest for ref in group}, **broken}
    left.remember(listed, Halves({ref: f"no {ref}" for ref in broken}, answers, rest))


def known(**broken: str) -> LeftOut:
    """One that has found *broken* at a full fetch."""
    made = LeftOut()
    assert made.begin()
    found(made, **broken)
    return made


def test_who_knows_of_nothing_tries_everything_each_time() -> None:
    left = LeftOut()
    assert left.among({"a": "1"}) == {}
    assert [left.begin() for _ in range(EVERY + 2)] == [True] * (EVERY + 2)
    assert left.among({"a": "1"}) == {}


def test_a_ref_is_left_out_with_its_reason_while_it_holds_the_same_object() -> None:
    left = known(a="1", b="2", c="3")
    left.begin()
    assert left.among({"good": "9", "a": "1", "b": "7"}) == {"a": "no a"}


def test_what_a_full_fetch_found_replaces_what_was_known() -> None:
    left = known(a="1", b="2")
    assert [left.begin() for _ in range(EVERY)][-1]
    left.remember({"a": "1", "b": "2"}, Halves({"b": "gone"}, True, ()))
    assert left.known({"a": "1", "b": "2"}) == {"b": "gone"}


def test_what_another_one_found_is_added_to_it() -> None:
    left = known(a="1", b="2")
    left.begin()
    left.remember({"a": "1", "b": "7"}, Halves({"b": "no"}, True, ()))
    assert left.known({"a": "1", "b": "7"}) == {"a": "no a", "b": "no"}


def test_where_nothing_could_be_had_nothing_new_is_held_against_anybody() -> None:
    left = known(a="1")
    left.begin()
    found(left, a="1", b="2", answers=False)
    assert left.known({"a": "1", "b": "2"}) == {"a": "no a"}


def test_the_tenth_fetch_after_a_full_one_tries_everything() -> None:
    left = known(a="1")
    assert [left.begin() for _ in range(EVERY)] == [False] * (EVERY - 1) + [True]
    assert left.among({"a": "1"}) == {}


def test_what_a_full_one_had_no_time_for_stays_left_out() -> None:
    left = known(a="1", b="2")
    assert [left.begin() for _ in range(EVERY)][-1]
    left.remember({"a": "1", "b": "2"}, Halves({}, True, (["b"],)))
    assert left.known({"a": "1", "b": "2"}) == {"b": "no b"}


def test_the_count_begins_anew_with_each_full_fetch() -> None:
    left = known(a="1")
    for _ in range(2):
        assert [left.begin() for _ in range(EVERY)] == [False] * (EVERY - 1) + [True]
        left.remember({"a": "1"}, Halves({"a": "no a"}, True, ()))


def test_once_all_could_be_had_the_next_one_is_full() -> None:
    left = known(a="1")
    left.begin()
    left.clear()
    assert left.begin()


class TestGroups:
    """Hosts that were heard come first; what waited goes on where it was."""

    def test_in_both_parts_new_ones_come_before_what_could_not_be_had(self) -> None:
        left = known(a="1", b="1")
        refs = dict.fromkeys("abcd", "1")
        assert [left.begin() for _ in range(EVERY)][-1]
        assert left.groups(refs, "ac") == [["c"], ["a"], ["d"], ["b"]]

    def test_what_waited_goes_on_in_its_groups_before_others_that_are_new(self) -> None:
        left = known(x="1")
        found(left, ["a"], ["b"], ["c", "d"])
        refs = dict.fromkeys("abcdef", "9")
        assert left.groups(refs, "de") == [["e"], ["d"], ["a"], ["b"], ["c"], ["f"]]

    def test_what_is_gone_or_is_here_by_now_waits_no_more(self) -> None:
        left = known(x="1")
        found(left, ["a", "b"], ["c"])
        assert left.groups({"b": "9"}, "") == [["b"]]

    def test_what_waits_is_gone_on_with_before_all_is_tried_again(self) -> None:
        left = LeftOut()
        left.begin()
        found(left, ["a"])
        assert not left.begin()
