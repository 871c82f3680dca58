"""What a mistyped name may have meant: the likeliest few, in a catalog of any size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.near import MOST, meant, near
from strategies import agents

FLEET = ["worker", "reviewer", "builder", "scout", "Scribe", "release-worker"]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("wroker", "worker"),
        ("work", "worker"),
        ("workers", "worker"),
        ("WORKER", "worker"),
        ("scribe", "Scribe"),
        ("reviwer", "reviewer"),
        ("release_worker", "release-worker"),
    ],
)
def test_what_is_written_much_alike_is_told_and_the_likeliest_first(typed: str, first: str) -> None:
    assert near(typed, FLEET)[0] == first


@pytest.mark.parametrize("typed", ["x", "planner", "h1", "wr"])
def test_what_is_like_nothing_is_like_nothing(typed: str) -> None:
    assert near(typed, FLEET) == []


def test_of_those_that_are_as_much_alike_the_same_ends_count() -> None:
    names = [f"agent-{number:05d}" for number in range(10_000)]
    assert near("agent-0001x", names) == ["agent-00010", "agent-00011", "agent-00012"]


def test_the_same_end_counts_as_the_same_beginning_does() -> None:
    names = [f"{number:03d}-agent" for number in range(200)]
    assert near("x17-agent", names)[:2] == ["017-agent", "117-agent"]


def test_of_many_that_begin_alike_one_of_the_same_length_is_compared() -> None:
    names = [f"worker-{number:03d}-and-a-long-tail" for number in range(200)]
    assert near("worke", [*names, "wirke"]) == ["wirke"]
    names = [f"x{number:03d}" for number in range(200)]
    assert near("xworkerx", [*names, "yworkery"]) == ["yworkery"]


@pytest.mark.parametrize(("name", "alike"), [("abcxy", True), ("abcxyz", False)])
def test_three_letters_of_five_are_enough(name: str, alike: bool) -> None:
    assert near("abcde", [name]) == [name] * alike


def test_a_long_name_is_compared_letter_by_letter_as_well() -> None:
    assert near("x" + "ab" * 100, long := ["y" + "ab" * 100]) == long


@given(typed=agents(), names=st.lists(agents()))
def test_the_few_are_of_those_that_there_are_whatever_their_order(
    typed: str, names: list[str]
) -> None:
    found = near(typed, names)
    assert len(found) == len(set(found)) <= MOST and set(found) <= set(names)
    assert found == near(typed, reversed(names))


def test_a_name_that_is_there_is_the_likeliest_itself() -> None:
    assert near("worker", FLEET)[0] == "worker"


@pytest.mark.parametrize(
    ("names", "question"),
    [
        (["a"], "did you mean a"),
        (["a", "b"], "did you mean a or b"),
        (["a", "b", "c"], "did you mean a, b or c"),
    ],
)
def test_the_question_names_each_of_them(names: list[str], question: str) -> None:
    assert meant(names) == question
