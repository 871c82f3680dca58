"""The results that are kept are whole: each section, each floor, each line of each plot."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks import plots
from benchmarks.__main__ import draw
from benchmarks.results import FOLDER, STORED, TABLE, parsed, table
from benchmarks.sections import PARTS


def test_the_page_that_is_kept_is_the_one_that_its_results_give() -> None:
    kept = parsed((FOLDER / STORED).read_text("utf-8"))
    assert (FOLDER / TABLE).read_text("utf-8") == table(kept)
    assert list(kept.sections) == list(PARTS)


def test_every_row_that_is_kept_names_its_floor() -> None:
    kept = parsed((FOLDER / STORED).read_text("utf-8"))
    assert [row.what for row in kept.rows() if row.floor == "–"] == []


def test_every_line_of_a_plot_was_measured_at_more_than_one_size() -> None:
    kept = parsed((FOLDER / STORED).read_text("utf-8"))
    lines = {line.curve for plot in plots.PLOTS for line in plot.lines}
    assert {line for line in lines if len(kept.curve(line)[0]) < 2} == set()


def test_the_plots_are_drawn_from_what_is_kept(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    shutil.copy(FOLDER / STORED, tmp_path)
    draw(tmp_path)
    assert {path.name for path in tmp_path.glob("*.png")} == {plot.file for plot in plots.PLOTS}
    assert {path.name for path in FOLDER.glob("*.png")} == {plot.file for plot in plots.PLOTS}
