"""drivers/entries.py: which elements are ours, at what cost, and how many there may be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from drivers.json_edit import NotEditable
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
