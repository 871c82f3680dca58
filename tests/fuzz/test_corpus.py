"""Every kept input through every property of its boundary; the cost of those that can grow."""

from __future__ import annotations

import pytest

from fuzz.boundaries import NAMES, boundary
from fuzz.growth import check_growth
from fuzz.runner import CORPUS, kept

SIZE = 200
GROWING = [(name, way) for name in NAMES for way in boundary(name).GROWING]


@pytest.mark.parametrize("name", NAMES)
def test_no_kept_input_breaks_a_property_and_together_they_reach_what_there_is(name: str) -> None:
    check, reached = boundary(name).check, set[str]()
    for file, data in kept(name).items():
        try:
            reached |= check(data)
        except BaseException as error:
            error.add_note(f"tests/corpus/{name}/{file}")
            raise
    assert boundary(name).REACHED - reached == set()


@pytest.mark.parametrize(("name", "way"), GROWING)
def test_an_input_of_twice_the_size_costs_about_twice_as_much(name: str, way: str) -> None:
    check_growth(boundary(name).check, boundary(name).GROWING[way], SIZE)


def test_each_folder_of_kept_inputs_is_of_a_boundary() -> None:
    assert sorted(path.name for path in CORPUS.iterdir()) == sorted(NAMES)
