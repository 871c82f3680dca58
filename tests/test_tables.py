"""Every row of the tables of threats and faults names tests, and those exist."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from test_invariants import PROOF, names

ROOT = Path(__file__).parent.parent
COLUMNS = {
    "threats": ("boundary", "what is refused", "test"),
    "faults": ("fault", "where", "what holds besides", "test"),
}
LEAST = {"threats": 35, "faults": 25}


def rows(page: str) -> Iterator[list[str]]:
    """The cells of every row of the tables whose last column is for tests."""
    told = False
    for line in (ROOT / f"spec/{page}.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            told = False
        elif cells[-1] == "test":
            assert tuple(cells) == COLUMNS[page]
            told = True
        elif told and set(line) != set("|-"):
            yield cells


ROWS = [(page, cells) for page in COLUMNS for cells in rows(page)]


@pytest.mark.parametrize(("page", "cells"), ROWS, ids=[f"{page}: {row[0]}" for page, row in ROWS])
def test_a_row_is_whole_and_its_tests_exist(page: str, cells: list[str]) -> None:
    assert len(cells) == len(COLUMNS[page]) and all(cells)
    proofs = PROOF.findall(cells[-1])
    assert 1 <= len(proofs) <= 3 and PROOF.sub("", cells[-1]).strip(" ,") == ""
    for file, name in proofs:
        assert (ROOT / file).is_file(), f"{file}: no such file"
        assert name in names(ROOT / file), f"{file}: no test {name}"


@pytest.mark.parametrize("page", sorted(COLUMNS))
def test_no_row_stands_there_twice(page: str) -> None:
    first = [tuple(cells[:2]) for of, cells in ROWS if of == page]
    assert len(first) == len(set(first)) >= LEAST[page]
