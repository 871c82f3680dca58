"""Where `make test` has temporary files: in memory, where that is one a test can use."""

from __future__ import annotations

from pathlib import Path

from support.temporary import in_memory


def test_it_is_a_place_that_has_room_and_starts_programs(tmp_path: Path) -> None:
    assert in_memory(str(tmp_path), needed_bytes=1) == str(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_one_without_room_is_none(tmp_path: Path) -> None:
    assert in_memory(str(tmp_path), needed_bytes=1 << 62) == ""


def test_one_from_which_nothing_can_be_started_is_none(tmp_path: Path) -> None:
    assert in_memory(str(tmp_path), needed_bytes=1, program="#!/nowhere\n") == ""
    assert in_memory(str(tmp_path), needed_bytes=1, program="#!/bin/sh\nexit 1\n") == ""


def test_one_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert in_memory(str(tmp_path / "nowhere"), needed_bytes=1) == ""
