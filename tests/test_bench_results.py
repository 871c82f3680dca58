"""Results of benchmarks are kept as JSON, from which tables and plots are drawn again."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.__main__ import arguments, keep
from benchmarks.facts import file_system
from benchmarks.results import STORED, Results, Section, dumped, parsed, table
from benchmarks.sections import PARTS
from benchmarks.table import Point, Row

ROWS = (
    Row(
        what="a start",
        measured="15.0 ms",
        floor="nothing, 10.0 ms",
        result="1.50 ×",
        budget="≤ 1.4 ×",
        met=False,
        points=(Point("start", 10, 15.0), Point("start", 1, 14.0), Point("floor", 10, 10.0)),
    ),
    Row(what="a read", measured="1 ms", floor="a loop", result="1 ×", budget="≤ 2 ×", met=True),
    Row(what="a look", measured="1 ms", floor="a loop", result="1 ×"),
)
RESULTS = Results(
    facts={"python": "CPython 3.11", "cores": "2"},
    sections={"start": Section(about="What is begun.", load=1.5, spent_s=2.4, rows=ROWS)},
)


def test_what_is_kept_is_read_back_as_it_was() -> None:
    assert parsed(dumped(RESULTS)) == RESULTS


def test_a_curve_is_in_the_order_of_what_it_is_drawn_against() -> None:
    assert RESULTS.curve("start") == ([1, 10], [14.0, 15.0])
    assert RESULTS.curve("never measured") == ([], [])


def test_the_page_names_the_machine_the_load_and_each_budget_that_is_missed() -> None:
    page = table(RESULTS)
    assert "\nPython CPython 3.11, cores 2.\n" in page
    assert "\nOf 2 rows with a budget 1 are within it.\n" in page
    assert "\n- **missed**: a start: 1.50 ×, ≤ 1.4 ×\n" in page
    assert "\n## start\n\nWhat is begun. Load 1.5 at its start, 2 s.\n" in page
    assert "| a start | 15.0 ms | nothing, 10.0 ms | 1.50 × | ≤ 1.4 × | **no** |\n" in page


def test_a_section_that_is_measured_again_takes_the_place_of_its_old_one(tmp_path: Path) -> None:
    again = Section(about="What is begun.", load=0.1, spent_s=1.0, rows=ROWS[1:])
    other = Section(about="Beside.", load=0.1, spent_s=1.0, rows=ROWS[:1])
    keep(tmp_path, RESULTS.facts, {"signing": other})
    keep(tmp_path, RESULTS.facts, dict(RESULTS.sections))
    keep(tmp_path, RESULTS.facts, {"start": again})
    kept = parsed((tmp_path / STORED).read_text("utf-8"))
    assert list(kept.sections.items()) == [("start", again), ("signing", other)]


def test_a_section_that_is_none_is_refused_with_those_that_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        arguments(["everything"])
    assert ended.value.code == 2
    assert f"everything: no section; there are {', '.join(PARTS)}" in capsys.readouterr().err


def test_the_help_says_what_each_section_is_about(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        arguments(["--help"])
    said = capsys.readouterr().out
    assert all(f"  {name} " in said and part.about in said for name, part in PARTS.items())


def test_the_file_system_is_that_of_the_nearest_mount(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"a / first rw\nb {tmp_path} second rw\nc {tmp_path}-not third rw\n")
    assert file_system(tmp_path / "x", mounts) == "second"
    assert file_system(Path("/"), mounts) == "first"
    assert file_system(tmp_path, tmp_path / "none") == "?"
