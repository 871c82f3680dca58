"""catalog/system/open_files.py: which files a process and those below it have open."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.system import open_files
from test_transcript import Holder, T, touch


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[Holder]:
    made = Holder(tmp_path / "sessions/rollout-1.jsonl")
    yield made
    made.close()


def test_a_family_is_a_process_and_all_below_it(holder: Holder) -> None:
    family = open_files.family(holder.pid)
    assert family[0] == holder.pid and len(family) == 2
    assert open_files.family(2**22 + 7) == [2**22 + 7]


def test_the_shape_is_of_files_alone(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("abc")
    touch(tmp_path / "f", T)
    assert open_files.shape(str(tmp_path / "f")) == (3, T * 1_000_000)
    assert open_files.shape(str(tmp_path)) is None
    assert open_files.shape(str(tmp_path / "none")) is None


def test_the_working_directory_of_a_process_is_told() -> None:
    assert open_files.folder_of(os.getpid()) == os.getcwd()
    assert open_files.folder_of(2**22 + 7) == ""
