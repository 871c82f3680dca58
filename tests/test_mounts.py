"""Which filesystem a folder is on, by the kernel's own list, and what it has none of."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from catalog.system.changes import watch_folders
from catalog.system.mounts import kind_of, lacking, shared_kind

MOUNTS = b"""\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:26 / /home rw - nfs4 server:/home rw
31 30 0:27 / /home/a/local rw - tmpfs tmpfs rw
32 22 0:28 / /my\\040share rw - fuse.sshfs a@b: rw
33 22 0:29 / /twice rw - ext4 /dev/sdb1 rw
34 33 0:30 / /twice rw - cifs //server/twice rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/catalog", "ext4"),
        ("/home", "nfs4"),
        ("/home/a/catalog", "nfs4"),
        ("/home/a/local/catalog", "tmpfs"),
        ("/homely", "ext4"),
        ("/my share/catalog", "fuse.sshfs"),
        ("/twice/catalog", "cifs"),
    ],
)
def test_the_innermost_and_latest_mount_counts(path: str, kind: str) -> None:
    assert kind_of(path, MOUNTS) == kind


@pytest.mark.parametrize("raw", [b"", b"\n", b"a b c", b"1 2 3 4 - ext4", b"\xff\xfe - "])
def test_a_list_that_makes_no_sense_says_nothing(raw: bytes) -> None:
    assert kind_of("/catalog", raw) is None


def test_a_share_is_told_from_a_local_disk(tmp_path: Path) -> None:
    """Case F15."""
    listed = tmp_path / "mountinfo"
    for kind, shared in (("ext4", None), ("nfs4", "nfs4"), ("fuse.sshfs", "fuse.sshfs")):
        listed.write_bytes(b"1 0 0:1 / / rw - %s x rw\n" % kind.encode())
        assert shared_kind(str(tmp_path), str(listed)) == shared
    assert shared_kind(str(tmp_path), str(tmp_path / "nothing")) is None


def test_on_a_share_it_looks_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case F15."""
    monkeypatch.setattr("catalog.system.changes.shared_kind", lambda root: "nfs4")
    found = watch_folders(str(tmp_path), ["agents"], environ={})
    assert found.degraded == f"{tmp_path} is on nfs4, where others' writes make no event"


class TestRoom:
    """What a filesystem has none of, for whoever asks."""

    ROOM = SimpleNamespace(
        f_flag=0, f_blocks=9, f_bfree=5, f_bavail=5, f_files=9, f_ffree=5, f_favail=5
    )

    def told(self, monkeypatch: pytest.MonkeyPatch, user: int, **found: int) -> str | None:
        told = SimpleNamespace(**{**vars(self.ROOM), **found})
        monkeypatch.setattr(os, "statvfs", lambda _: told)
        monkeypatch.setattr(os, "geteuid", lambda: user)
        return lacking("/catalog")

    @pytest.mark.parametrize(
        ("found", "user", "root"),
        [
            ({}, None, None),
            ({"f_bavail": 0}, "space", None),  # what is left is kept for root
            ({"f_bavail": 0, "f_bfree": 0}, "space", "space"),
            ({"f_favail": 0}, "files", None),
            ({"f_favail": 0, "f_ffree": 0}, "files", "files"),
            ({"f_files": 0, "f_favail": 0, "f_ffree": 0}, None, None),
            ({"f_blocks": 0, "f_bavail": 0, "f_bfree": 0}, None, None),
            ({"f_flag": os.ST_RDONLY, "f_bavail": 0, "f_bfree": 0}, None, None),
        ],
    )
    def test_it_is_told_of_what_there_is_a_number_and_none_left(
        self,
        monkeypatch: pytest.MonkeyPatch,
        found: dict[str, int],
        user: str | None,
        root: str | None,
    ) -> None:
        assert self.told(monkeypatch, 1_000, **found) == user
        assert self.told(monkeypatch, 0, **found) == root

    def test_of_a_folder_that_is_gone_nothing_is_told(self, tmp_path: Path) -> None:
        assert lacking(str(tmp_path / "gone")) is None
        assert lacking(str(tmp_path)) is None
