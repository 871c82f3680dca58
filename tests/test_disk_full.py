"""A disk that refuses writes: the harness never notices (case D6)."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.wrapped import Wrapped, settled, until

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount a small disk")


@pytest.fixture
def small_disk(catalog_dir: Path) -> Iterator[Path]:
    """The catalog on a disk of its own, of 256 KB."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "st2", catalog_dir], check=True)
    (catalog_dir / "agents").mkdir()
    yield catalog_dir
    subprocess.run(["umount", catalog_dir], check=True)


@pytest.fixture
def full(small_disk: Path, wrapped: Wrapped) -> Iterator[Wrapped]:
    """A wrapped agent on that disk (its harnesses end before the disk is unmounted)."""
    yield wrapped
    wrapped.close()


def fill(disk: Path) -> Path:
    rest = disk / "filler"
    with rest.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4_096)
        except OSError:
            pass
    return rest


def test_beats_fail_on_a_full_disk_and_the_next_one_lands(full: Wrapped, small_disk: Path) -> None:
    process = full.running("sleep", "60", beat_ms=200)
    filler = fill(small_disk)
    before = settled(full.status)
    time.sleep(0.7)
    assert full.status() == before
    assert process.poll() is None
    assert full.row()["status"] == "available"
    assert "agents: disk-full: found no space left on its disk" in full.cli("doctor").text
    filler.unlink()
    freed_ms = int(time.time() * 1_000)
    until(lambda: full.stamp_ms() >= freed_ms)
    assert full.word() == "available"
    assert "disk-full" not in full.cli("doctor").text
    why = full.cli("why", "h1.w").text
    assert "beat not written: agents/h1/w/status: no space left on device" in why
    assert list(full.folder().glob(".*.tmp-*")) == []


def test_an_end_that_the_disk_refused_is_written_once_there_is_room(
    full: Wrapped, small_disk: Path
) -> None:
    process = full.running("sleep", "60")
    filler = fill(small_disk)
    process.kill()
    process.wait()
    row = full.row()
    assert (row["status"], row["presence"]["why"]) == ("offline", "lost")
    filler.unlink()
    assert full.ended()["exit"] == "signal 9"
    assert full.word() == "offline"
