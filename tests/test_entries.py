"""drivers/entries.py: which elements are ours, at what cost, and how many there may be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from drivers.entries import is_ours, strip, strip_inside
from drivers.json_edit import Container, NotEditable, read, value_of
from drivers.merge import take_out, upsert
from test_merge import THEIRS, hook, hooks, merged


def test_what_stands_there_already_is_not_looked_into() -> None:
    """Two of ours with one ending would supersede each other, one at a time, for ever."""
    twins = hooks({**hook("/1"), "matcher": "a"}, {**hook("/2"), "matcher": "b"})
    assert merged(twins, twins) == twins


def test_more_hooks_of_ours_than_anybody_writes_are_refused() -> None:
    for count, refused in ((64, False), (65, True)):
        value = hooks(*(hook(event=f"E{number}") for number in range(count)))
        for act in (upsert, take_out):
            if refused:
                with pytest.raises(NotEditable) as error:
                    act(json.dumps(hooks(THEIRS)), value, "union")
                sentence = f"found {count} hooks of st2's for one array, wanted at most 64"
                assert str(error.value) == sentence
            else:
                assert act(json.dumps(hooks(THEIRS)), value, "union")


def test_ours_are_found_at_every_depth_below_the_deepest_that_is_read() -> None:
    deep: Any = [hook("/1")["hooks"][0], 1]
    for _ in range(190):
        deep = [deep]
    after = merged({"hooks": {"Stop": deep}})
    assert json.dumps(after).count("driver hook") == 1 and after["hooks"]["Stop"][-1] == hook()


ENDING = (" driver hook claude Stop --identity h1.w",)
[MINE] = hook()["hooks"]
[YOURS] = THEIRS["hooks"]


@pytest.mark.parametrize(
    ("value", "ours"),
    [
        *[(MINE, True), ([MINE, MINE], True), (hook(), True), ([[MINE], {"a": [MINE]}], True)],
        *[(YOURS, False), ([MINE, YOURS], False), ([YOURS, MINE], False), ([MINE, [YOURS]], False)],
        *[({}, False), ([], False), (5, False), ("x", False), (None, False)],
        *[({**MINE, "a": YOURS}, False), ({**YOURS, "a": MINE}, False), ([1, MINE, {}], True)],
        *[([MINE, MINE, YOURS], False), ([YOURS, YOURS], False), ({"command": 5}, False)],
    ],
)
def test_an_element_is_ours_where_all_its_commands_are(value: Any, ours: bool) -> None:
    assert is_ours(value, ENDING) is ours
    assert not is_ours(value, ())


@pytest.mark.parametrize(
    ("held", "left"),
    [
        ([MINE], []),
        ([1, MINE, "x", None, 1], [1, "x", None, 1]),
        ([{}, MINE, []], [{}, []]),
        ([[MINE, YOURS], 1, YOURS], [[YOURS], 1, YOURS]),
        ([[YOURS, MINE], [MINE, YOURS]], [[YOURS], [YOURS]]),
        ([MINE, [YOURS, {"a": [MINE, 1]}]], [[YOURS]]),
        (
            [{"a": 1, "b": [MINE, YOURS], "c": [YOURS], "d": {}}],
            [{"a": 1, "b": [YOURS], "c": [YOURS], "d": {}}],
        ),
        ([YOURS, 1, {}], [YOURS, 1, {}]),
        ([[MINE, YOURS], {**MINE, "a": YOURS}], [[YOURS], {**MINE, "a": YOURS}]),
        ([], []),
    ],
)
def test_what_is_ours_is_taken_out_and_told_of(held: list[Any], left: list[Any]) -> None:
    document = read(json.dumps(held))
    assert isinstance(document.root, Container)
    assert strip(document.root, held, ()) is False
    assert strip(document.root, held, ENDING) is (left != held)
    assert value_of(document.root) == left


@pytest.mark.parametrize(
    ("value", "left"),
    [
        ({"a": [MINE, YOURS], "b": 1, "c": []}, {"a": [YOURS], "b": 1, "c": []}),
        ({"b": 1, "a": [YOURS, MINE]}, {"b": 1, "a": [YOURS]}),
        ({"a": [YOURS], "b": "x", "c": {"d": 1}}, {"a": [YOURS], "b": "x", "c": {"d": 1}}),
        ([YOURS, [MINE]], [YOURS]),
        ({}, {}),
    ],
)
def test_inside_an_element_that_is_not_ours_too(value: Any, left: Any) -> None:
    document = read(json.dumps(value))
    assert strip_inside(document.root, value, ()) is False
    assert strip_inside(document.root, value, ENDING) is (left != value)
    assert value_of(document.root) == left
    assert strip_inside(read("5").root, 5, ENDING) is False
