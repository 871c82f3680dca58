"""Every guarantee of spec/invariants.md names at most three tests, and those exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LINES = [
    line
    for line in (ROOT / "spec" / "invariants.md").read_text("utf-8").splitlines()
    if line.startswith("- ")
]
FORM = re.compile(r"- \*\*(?P<id>[A-Z]+\d+)\*\* (?P<text>[^`]+\.) — (?P<proofs>`.+`)")
PROOF = re.compile(r"`(tests/[\w/]+\.py)::([\w:]+)`")


def names(path: Path) -> set[str]:
    """Functions and `Class::method`s of a test file; rules of a state machine are methods."""
    found: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found.add(node.name)
            found |= {
                f"{node.name}::{each.name}"
                for each in node.body
                if isinstance(each, ast.FunctionDef)
            }
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {name for name in found if name.lower().startswith("test")}


@pytest.mark.parametrize("line", LINES)
def test_a_guarantee_is_one_line_with_an_id_and_one_to_three_proofs(line: str) -> None:
    match = FORM.fullmatch(line)
    assert match, "want: - **ID** sentence. — `tests/file.py::name`, …"
    assert 1 <= len(PROOF.findall(match["proofs"])) <= 3
    assert PROOF.sub("", match["proofs"]).strip(" ,") == ""


@pytest.mark.parametrize("line", LINES)
def test_the_proofs_of_a_guarantee_exist(line: str) -> None:
    for file, name in PROOF.findall(line):
        assert (ROOT / file).is_file(), f"{file}: no such file"
        assert name in names(ROOT / file), f"{file}: no test {name}"


def test_ids_are_unique() -> None:
    ids = [line.split("**")[1] for line in LINES]
    assert len(ids) == len(set(ids)) and ids
