"""Which filesystem a folder is on, by the kernel's own list."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.system.changes import watch_folders
from catalog.system.mounts import kind_of, shared_kind

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
