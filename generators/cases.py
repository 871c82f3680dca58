"""``spec/cases.md``: which tests show which case, as the tests say themselves.

A test names its case in its docstring (``Case X6.``, ``Cases B15 and D7.``, ``cases D2-D4``), in
its own name (``test_case_f24_…``) or in that of its class (``TestCaseX8``). What a class says holds
for all of its tests. What a module says holds for all of its tests where it names one case; where
it names several it is a table of contents, and the tests say it themselves.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACE = "spec/cases.md"
SENTENCES = ROOT / "tests" / "cases.txt"
CASE = r"[A-FX][1-9]\d?"
LIST = re.compile(rf"\b[Cc]ases? ({CASE}(?:(?:, | and |-){CASE})*)\b")
IN_CLASS = re.compile(rf"TestCase({CASE})")
IN_FUNCTION = re.compile(rf"test_case_({CASE.lower()})_")
LINE = re.compile(rf"({CASE})  (\S.*)")
MISSING = "  not shown: "
HEAD = """\
# The cases

What st2 promises, case by case, and the tests that show it. `make generated` writes this page from
the sentences in `tests/cases.txt` and from the tests, which name their cases; a test fails where it
is not what they say. A place that names no test is all of that file or class, below `tests/`.
`pytest --cases FILE` writes the same table with the results of its run; `.ci/run` does, and prints
what did not pass.
"""
GROUPS = {
    "C": "The status record",
    "B": "Who holds the session",
    "A": "Life is the harness's, not its guardian's",
    "D": "Nothing vouches for what it does not see",
    "E": "Is work landing?",
    "X": "Many hosts",
    "F": "Seen in the field",
}


@dataclass(frozen=True)
class Case:
    """A case: its id, what holds, and the parts that no test shows, each with its reason."""

    id: str
    sentence: str
    missing: tuple[str, ...] = ()


def files() -> dict[str, str]:
    """Return the path of the page and its text."""
    return {PLACE: page(read(), shown())}


def present(root: Path) -> Iterable[str]:
    """Return the path of the page, which is one whatever the sources say."""
    return [PLACE] if (root / PLACE).exists() else []


def read(path: Path = SENTENCES) -> tuple[Case, ...]:
    """Return the cases of *path* in its order; ValueError names a line in another form."""
    found: list[Case] = []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith(MISSING) and found:
            last = found.pop()
            missing = (*last.missing, line.removeprefix(MISSING))
            found.append(Case(last.id, last.sentence, missing))
        elif match := LINE.fullmatch(line):
            found.append(Case(match[1], match[2]))
        elif line and not line.startswith("#"):
            raise ValueError(f"{path.name}: {line!r}, want an id, two blanks and a sentence")
    return tuple(found)


def named(text: str) -> Iterator[str]:
    """Yield the cases that a docstring names, all of a range (``D2-D4``) too."""
    for match in LIST.finditer(" ".join(text.split())):
        for part in re.split(r", | and ", match[1]):
            first, _, last = part.partition("-")
            numbers = range(int(first[1:]), int((last or first)[1:]) + 1)
            yield from (f"{first[0]}{number}" for number in numbers)


def shown(root: Path = ROOT) -> dict[str, tuple[str, ...]]:
    """Return the places of each case by its id: ``file``, ``file::Class``, ``file::…::test``."""
    found: dict[str, set[str]] = {}
    for path in (root / "tests").rglob("test_*.py"):
        for case, place in _of_module(path, path.relative_to(root).as_posix()):
            found.setdefault(case, set()).add(place)
    return {case: _widest(places) for case, places in found.items()}


def _of_module(path: Path, place: str) -> Iterator[tuple[str, str]]:
    module = ast.parse(path.read_text("utf-8"))
    whole = set(named(ast.get_docstring(module) or ""))
    if len(whole) == 1:
        yield whole.pop(), place
    yield from _of_body(module.body, place)


def _of_body(body: list[ast.stmt], place: str) -> Iterator[tuple[str, str]]:
    for node in body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef):
            continue
        if not node.name.lower().startswith("test"):
            continue
        here = f"{place}::{node.name}"
        said = {*named(ast.get_docstring(node) or ""), *IN_CLASS.findall(node.name)}
        said |= {case.upper() for case in IN_FUNCTION.findall(node.name)}
        yield from ((case, here) for case in said)
        if isinstance(node, ast.ClassDef):
            yield from _of_body(node.body, here)


def _widest(places: set[str]) -> tuple[str, ...]:
    return tuple(sorted(each for each in places if not any(within(each, o) for o in places)))


def within(test: str, place: str) -> bool:
    """Return whether *test* lies below *place*; a place does not lie below itself."""
    return test.startswith(f"{place}::")


def page(
    cases: Iterable[Case],
    tests: Mapping[str, tuple[str, ...]],
    results: Mapping[str, str] | None = None,
) -> str:
    """Return the table; with *results*, by case, it has one column more."""
    lines = [HEAD.rstrip("\n")]
    for letter, title in GROUPS.items():
        columns = ["case", "what holds", "tests", *([] if results is None else ["result"])]
        lines += ["", f"## {letter}. {title}", "", _row(columns), _row(["---"] * len(columns))]
        for case in cases:
            if case.id[0] == letter:
                result = [] if results is None else [results.get(case.id, "no test")]
                lines.append(_row([case.id, case.sentence, _proofs(case, tests), *result]))
    return "\n".join(lines) + "\n"


def _proofs(case: Case, tests: Mapping[str, tuple[str, ...]]) -> str:
    places = [f"`{place.removeprefix('tests/')}`" for place in tests.get(case.id, ())]
    return "<br>".join([*(places or ["none"]), *(f"not shown: {why}" for why in case.missing)])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
