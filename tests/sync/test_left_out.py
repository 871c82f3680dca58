"""What could not be had is left out while it stays the same, and tried again at times."""

from __future__ import annotations

from catalog.sync.left_out import EVERY, LeftOut


def known(**broken: str) -> LeftOut:
    """One that found *broken* (ref → object), each for the reason of its own name."""
    made = LeftOut()
    assert made.begin()
    made.remember({"good": "9", **broken}, {ref: f"no {ref}" for ref in broken})
    return made


def test_who_knows_of_nothing_tries_everything_each_time() -> None:
    left = LeftOut()
    assert left.among({"a": "1"}) == {}
    assert [left.begin() for _ in range(EVERY + 2)] == [True] * (EVERY + 2)
    assert left.among({"a": "1"}) == {}


def test_a_ref_is_left_out_with_its_reason_while_it_holds_the_same_object() -> None:
    left = known(a="1", b="2", c="3")
    assert left.among({"good": "9", "a": "1", "b": "7"}) == {"a": "no a"}


def test_what_a_fetch_found_replaces_what_was_known() -> None:
    left = known(a="1", b="2")
    left.remember({"a": "1", "b": "2"}, {"b": "gone"})
    assert left.among({"a": "1", "b": "2"}) == {"b": "gone"}


def test_the_tenth_fetch_after_a_full_one_tries_everything() -> None:
    left = known(a="1")
    assert [left.begin() for _ in range(EVERY)] == [False] * (EVERY - 1) + [True]
    assert left.among({"a": "1"}) == {}


def test_the_count_begins_anew_with_each_full_fetch() -> None:
    left = known(a="1")
    for _ in range(2):
        assert [left.begin() for _ in range(EVERY)] == [False] * (EVERY - 1) + [True]
        left.remember({"a": "1"}, {"a": "no a"})
