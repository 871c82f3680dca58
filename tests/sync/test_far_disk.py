"""A remote on a disk that is full, or read-only: what is told, what goes on, what is left there.

The disk is full for real, at every file and at every block that a push needs.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.sync.round import Report
from support.fleet import Fleet, Member

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount a small disk")

ROOMY = "rw,nr_inodes=1000,size=4m"
STATUS = "agents/h1/a1/status"


class Far:
    """Two hosts, of which one publishes, and their remote on a disk of its own."""

    def __init__(self, disk: Path, folder: Path) -> None:
        self.disk = disk
        self.far = Fleet(disk)
        self.fleet = Fleet(folder, in_memory=True)
        self.fleet.in_memory = False
        self.h1, self.h2 = (self.host(name) for name in ("h1", "h2"))
        self.words = 0

    def host(self, name: str) -> Member:
        return self.fleet.host(name, remote=str(self.far.remote))

    def mounted(self, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", self.disk], check=True)

    def room(self, *, files: int | None = None, blocks: int | None = None) -> None:
        """Leave room for so many files more, or for so many blocks."""
        facts = os.statvfs(self.disk)
        if files is not None:
            # One file less than none is no size that this disk takes.
            self.mounted(f"nr_inodes={facts.f_files - facts.f_ffree + files + 1}")
        if blocks is not None:
            size = (facts.f_blocks - facts.f_bfree + blocks) * facts.f_frsize
            self.mounted(f"size={size}")

    def publishes(self) -> tuple[bytes, Report]:
        """A round of h1's, whose agent says another word; return its bytes and the report."""
        self.words += 1
        self.fleet.now_ms += 60_000
        record = b"%s\nv1 %d\n" % ((b"busy", b"away")[self.words % 2], self.fleet.now_ms)
        path = self.h1.root / STATUS
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(record)
        return record, self.h1.sync()

    def left(self) -> list[str]:
        """Locks, halves and quarantines that lie in the remote."""
        names = (path.name for path in self.far.remote.rglob("*"))
        return [name for name in names if "tmp" in name or name.endswith(".lock")]

    def goes_on(self, record: bytes, report: Report) -> None:
        """Nothing is lost on either side, the error says whose it is, and room is enough."""
        assert str(report.failed).startswith(f"publish to {self.far.remote}: git says: ")
        assert report.failed is not None and "the remote" in report.failed.hint
        assert report.uncollected is None
        assert self.h1.read(STATUS) == record
        before = self.h2.read(STATUS)
        assert self.h2.sync().uncollected is None
        assert self.h2.read(STATUS) == before
        assert self.left() == []
        self.mounted(ROOMY)
        assert self.h1.sync().failed is None
        self.h2.sync()
        assert self.h2.read(STATUS) == record


@pytest.fixture
def far(tmp_path: Path) -> Iterator[Far]:
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", ROOMY, "st2", disk], check=True)
    made = Far(disk, tmp_path / "hosts")
    assert made.publishes()[1].failed is None
    assert made.h2.sync().failed is None
    yield made
    subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize(("kind", "refusals"), [("files", 5), ("blocks", 2)])
def test_a_disk_that_is_full_at_any_point_of_a_push_leaves_nothing_and_works_with_room(
    far: Far, kind: str, refusals: int
) -> None:
    room = 0
    while True:
        far.room(**{kind: room})
        record, report = far.publishes()
        if report.failed is None:
            break
        far.goes_on(record, report)
        room += 1
    assert room >= refusals


def test_a_read_only_remote_is_still_read_and_works_once_it_is_writable(far: Far) -> None:
    far.mounted("ro")
    far.goes_on(*far.publishes())
