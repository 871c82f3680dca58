"""A record that was carried elsewhere reads there as at home, whatever became of its file time."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.reading import Reading, read_status
from catalog.record import render
from catalog.system.files import Files

T = 1_800_000_000_000
GIT = ("git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "safe.directory=*")


def git_clone(source: Path, target: Path) -> None:
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "records")):
        subprocess.run([*GIT, "-C", str(source), *command], check=True)
    subprocess.run([*GIT, "clone", "-q", str(source), str(target)], check=True)


def cp_r(source: Path, target: Path) -> None:
    subprocess.run(["cp", "-r", str(source), str(target)], check=True)


def rsync_without_times(source: Path, target: Path) -> None:
    if shutil.which("rsync") is None:
        pytest.skip("no rsync here")
    subprocess.run(["rsync", "-r", f"{source}/", f"{target}/"], check=True)


def tar_without_times(source: Path, target: Path) -> None:
    target.mkdir()
    packed = subprocess.run(["tar", "-C", str(source), "-c", "."], check=True, capture_output=True)
    unpack = ["tar", "-C", str(target), "-x", "-m"]
    subprocess.run(unpack, input=packed.stdout, check=True)


CARRIERS = [git_clone, cp_r, rsync_without_times, tar_without_times]


def reading(root: Path, age_ms: int) -> Reading:
    return read_status(Files(str(root)).read("agents/h1/a1/status"), now_ms=T + age_ms)


@pytest.fixture
def home_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "agents" / "h1" / "a1"
    folder.mkdir(parents=True)
    (folder / "status").write_bytes(render("busy", T))
    os.utime(folder / "status", (1_000_000_000, 1_000_000_000))
    return tmp_path / "home"


@pytest.mark.parametrize("carry", CARRIERS)
def test_a_carried_record_has_the_same_reading_at_every_age(
    home_dir: Path, tmp_path: Path, carry: Callable[[Path, Path], None]
) -> None:
    """Case C12."""
    away = tmp_path / "away"
    carry(home_dir, away)
    times = [path.stat().st_mtime for path in (home_dir, away) for path in path.rglob("status")]
    assert times[0] != times[1]
    for age_ms in (-60_001, -60_000, 0, 899_999, 900_000):
        assert reading(away, age_ms) == reading(home_dir, age_ms)
    assert reading(away, 5).state == "busy"
