"""The host-local log: one line an event, whatever is in it, and bounded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from catalog.system.files import Files
from catalog.system.log import LINE_CHARS, LOG_BYTES, append, latest

LOG = ".st2/h1/log"
NOW_MS = 1_800_000_000_123


def test_an_event_is_one_line_with_its_time(tmp_path: Path) -> None:
    assert append(Files(str(tmp_path)), LOG, "owner of h1.w: began", now_ms=NOW_MS)
    assert (tmp_path / LOG).read_bytes() == b"2027-01-15T08:00:00.123Z owner of h1.w: began\n"
    assert (tmp_path / LOG).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / ".st2").stat().st_mode & 0o777 == 0o700


def test_what_would_forge_a_line_or_move_a_terminal_is_escaped(tmp_path: Path) -> None:
    files = Files(str(tmp_path))
    append(files, LOG, "a\nb\x1b[2J\u202ec\udcff", now_ms=NOW_MS)
    assert (tmp_path / LOG).read_text().endswith("Z a\\u000ab\\u001b[2J\\u202ec\\udcff\n")


def test_a_long_event_is_cut_off(tmp_path: Path) -> None:
    append(Files(str(tmp_path)), LOG, "x" * 10_000, now_ms=NOW_MS)
    assert len((tmp_path / LOG).read_bytes()) == 25 + LINE_CHARS + 1


def test_a_full_log_is_put_aside_and_begun_anew(tmp_path: Path) -> None:
    files = Files(str(tmp_path))
    (tmp_path / ".st2/h1").mkdir(parents=True)
    (tmp_path / ".st2").chmod(0o700)
    (tmp_path / LOG).write_bytes(b"x" * (LOG_BYTES - 10))
    append(files, LOG, "last", now_ms=NOW_MS)
    append(files, LOG, "first", now_ms=NOW_MS)
    assert (tmp_path / f"{LOG}.1").read_bytes().endswith(b" last\n")
    assert (tmp_path / LOG).read_bytes() == b"2027-01-15T08:00:00.123Z first\n"


def test_a_log_that_cannot_be_put_aside_takes_one_line_more_and_no_other(tmp_path: Path) -> None:
    files = Files(str(tmp_path))
    assert append(files, LOG, "one", now_ms=NOW_MS)
    (tmp_path / f"{LOG}.1").mkdir()
    with (tmp_path / LOG).open("ab") as file:
        file.truncate(LOG_BYTES)
    assert append(files, LOG, "two", now_ms=NOW_MS)
    whole = (tmp_path / LOG).read_bytes()
    assert not append(files, LOG, "three", now_ms=NOW_MS)
    assert (tmp_path / LOG).read_bytes() == whole
    (tmp_path / f"{LOG}.1").rmdir()
    assert append(files, LOG, "four", now_ms=NOW_MS)
    assert (tmp_path / f"{LOG}.1").read_bytes() == whole
    assert (tmp_path / LOG).read_bytes().endswith(b"Z four\n")


@pytest.mark.parametrize("kind", ["directory", "symlink", "fifo", "folder is a symlink"])
def test_what_lies_in_the_place_of_the_log_is_left_alone(tmp_path: Path, kind: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    catalog = tmp_path / "catalog"
    (catalog / ".st2").mkdir(parents=True, mode=0o700)
    place = catalog / LOG
    if kind == "folder is a symlink":
        (catalog / ".st2/h1").symlink_to(outside)
    else:
        (catalog / ".st2/h1").mkdir()
        if kind == "directory":
            place.mkdir()
        elif kind == "symlink":
            place.symlink_to(outside / "file")
        else:
            os.mkfifo(place)
    assert not append(Files(str(catalog)), LOG, "event", now_ms=NOW_MS)
    assert list(outside.iterdir()) == []


def test_the_last_line_about_a_subject_is_found(tmp_path: Path) -> None:
    files = Files(str(tmp_path))
    assert latest(files, LOG, "owner of h1.w:") is None
    for event in ("owner of h1.w: one", "owner of h1.w: two", "owner of h1.w2: three", "x owner"):
        append(files, LOG, event, now_ms=NOW_MS)
    assert latest(files, LOG, "owner of h1.w:") == "2027-01-15T08:00:00.123Z owner of h1.w: two"
    assert latest(files, LOG, "owner of h1.v:") is None
