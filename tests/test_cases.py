"""Every case has tests that say so, and the page of the cases is what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from generators import cases
from support.case_results import Results, said, summary

ROOT = Path(__file__).parent.parent
CASES = cases.read()
SIZES = {"C": 19, "B": 17, "A": 13, "D": 8, "E": 17, "X": 16, "F": 24}
MODULE = '''\
"""Of much (cases C1 and C2)."""
class TestCaseX8:
    def test_one(self): ...
    def test_two(self):
        """Case C3, and X9 by the way."""
class TestMore:
    """Cases D2-D4."""
    def test_three(self):
        """Cases D3 and E1:
        what is said twice counts once."""
def test_case_f24_four(): ...
def helper():
    """Case B1."""
def test_five():
    """The case of A1 is another; case\n    A2 is this one."""
'''


@pytest.fixture(scope="module")
def shown() -> dict[str, tuple[str, ...]]:
    """The places of each case; every file of tests is read for it."""
    return cases.shown()


def test_the_page_is_what_the_tests_say() -> None:
    kept = (ROOT / cases.PLACE).read_text("utf-8")
    assert kept == cases.files()[cases.PLACE], "run: make generated"


def test_every_case_has_a_row_in_order() -> None:
    wanted = [f"{letter}{n + 1}" for letter, size in SIZES.items() for n in range(size)]
    assert [case.id for case in CASES] == wanted
    rows = re.findall(r"^\| ([A-Z]\d+) \|", (ROOT / cases.PLACE).read_text("utf-8"), re.MULTILINE)
    assert rows == wanted


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_case_has_a_test_or_a_reason(shown: dict[str, tuple[str, ...]], case: cases.Case) -> None:
    assert shown.get(case.id) or case.missing
    assert case.sentence.endswith(".") and "|" not in case.sentence
    assert all(re.fullmatch(r"\S.+: \S.+\.", reason) for reason in case.missing)


def test_no_test_names_a_case_that_there_is_not(shown: dict[str, tuple[str, ...]]) -> None:
    assert set(shown) - {case.id for case in CASES} == set()


def test_a_test_names_its_case_in_its_docstring_its_name_or_its_class(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_m.py").write_text(MODULE)
    assert cases.shown(tmp_path) == {
        "X8": ("tests/test_m.py::TestCaseX8",),
        "C3": ("tests/test_m.py::TestCaseX8::test_two",),
        "D2": ("tests/test_m.py::TestMore",),
        "D3": ("tests/test_m.py::TestMore",),
        "D4": ("tests/test_m.py::TestMore",),
        "E1": ("tests/test_m.py::TestMore::test_three",),
        "F24": ("tests/test_m.py::test_case_f24_four",),
        "A2": ("tests/test_m.py::test_five",),
    }


def test_a_module_that_names_one_case_says_it_for_all_of_its_tests(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    text = '"""All of it (case F13)."""\ndef test_a():\n    """Case F13, again."""\n'
    (tmp_path / "tests" / "test_m.py").write_text(text)
    assert cases.shown(tmp_path) == {"F13": ("tests/test_m.py",)}


def test_a_line_in_another_form_is_refused_by_its_text(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("# said\nC1  One.\n  not shown: a part: why.\nC2 Two.\n")
    with pytest.raises(ValueError, match=r"c\.txt: 'C2 Two\.', want an id"):
        cases.read(tmp_path / "c.txt")


def test_the_results_of_a_run_stand_in_its_table(tmp_path: Path) -> None:
    """With workers: their reports arrive where the table is written."""
    table = tmp_path / "made" / "cases.md"
    words = ["-p", "xdist", "-n", "1", "-q", "-k", "goes_stale_at", f"--cases={table}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, "tests/test_reading.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    results = dict(re.findall(r"^\| ([A-Z]\d+) \|.* \| ([^|]+) \|$", table.read_text(), re.M))
    assert re.fullmatch(r"\d+ passed", results["C4"]) and results["F13"] == "not run"
    assert len(results) == len(CASES)
    assert re.search(rf"^{len(CASES)} cases: 1 passed, \d+ not run$", done.stdout, re.MULTILINE)
    assert "\nF13  not run\n" in done.stdout and "\nC4  " not in done.stdout


class TestResults:
    def test_the_worst_of_a_test_s_parts_counts(self) -> None:
        found = Results(Path("x"))
        for when, outcome in (("setup", "passed"), ("call", "passed"), ("teardown", "failed")):
            found.pytest_runtest_logreport(report("t.py::a", when, outcome))
        found.pytest_runtest_logreport(report("t.py::b[x::y]", "setup", "skipped"))
        found.pytest_runtest_logreport(report("t.py::ab", "call", "passed"))
        assert found.ends == {"t.py::a": "failed", "t.py::b[x::y]": "skipped", "t.py::ab": "passed"}
        assert found.of(("t.py::a", "t.py::b")) == {"failed": 1, "skipped": 1}
        assert found.of(("t.py",)) == {"failed": 1, "skipped": 1, "passed": 1}

    def test_the_sums_say_what_did_not_pass(self) -> None:
        sums = {
            "C1": Counter(passed=2, skipped=1),
            "C2": Counter(passed=1, failed=1),
            "C3": Counter({"skipped": 1}),
            "C4": Counter[str](),
        }
        assert [said(counts) for counts in sums.values()] == [
            "2 passed, 1 skipped",
            "1 failed, 1 passed",
            "1 skipped",
            "not run",
        ]
        assert summary(sums) == "4 cases: 1 failed, 1 passed, 2 not run"


def report(nodeid: str, when: str, outcome: str) -> pytest.TestReport:
    """A report as pytest makes it, of one part of one test."""
    return pytest.TestReport(nodeid, ("", None, ""), {}, outcome, None, when)  # type: ignore[arg-type]
