"""Every row of the fault table names tests, and those exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from test_invariants import PROOF, names

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "spec/replication.md").read_text("utf-8")
COLUMNS = ("fault", "done", "what is read meanwhile", "right again after", "test")


def rows() -> Iterator[list[str]]:
    """The cells of every row, headings and rules left out."""
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells != list(COLUMNS) and set(line) != set("|-"):
            yield cells


ROWS = list(rows())


@pytest.mark.parametrize("cells", ROWS, ids=lambda cells: cells[0].replace(" ", "-")[:60])
def test_a_row_is_whole_and_its_tests_exist(cells: list[str]) -> None:
    assert len(cells) == len(COLUMNS) and all(cells)
    proofs = PROOF.findall(cells[-1])
    assert proofs and PROOF.sub("", cells[-1]).strip(" ,") == ""
    for file, name in proofs:
        assert (ROOT / file).is_file(), f"{file}: no such file"
        assert name in names(ROOT / file), f"{file}: no test {name}"


def test_no_fault_stands_there_twice_and_every_table_has_the_columns() -> None:
    faults = [cells[0] for cells in ROWS]
    assert len(faults) == len(set(faults)) > 40
    heads = re.findall(r"^\| fault .*\|$", PAGE, re.MULTILINE)
    assert len(heads) == PAGE.count("\n## ")
    assert {tuple(cell.strip() for cell in head.strip("|").split("|")) for head in heads} == {
        COLUMNS
    }
