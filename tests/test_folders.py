"""An open folder: what it lists, and one call that reads what an agent's folder has."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest

from catalog.seen import UNASKED, Content, Missing, Unreadable
from catalog.system.files import Files
from catalog.system.folders import Folder


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(str(tmp_path))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "agents" / "h1" / "a1"
    path.mkdir(parents=True)
    return path


def open_files() -> int:
    return len(os.listdir("/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"))


def opened(files: Files, path: str) -> Folder:
    found = files.folder(path)
    assert isinstance(found, Folder)
    return found


def test_the_folders_of_a_folder_are_listed_sorted_and_no_symlink_is_one(
    files: Files, folder: Path
) -> None:
    for name in ("b", "a"):
        (folder / name).mkdir()
    (folder / "c").symlink_to("b")
    (folder / "d").write_bytes(b"")
    with opened(files, "agents/h1/a1") as here:
        assert here.folders() == ["a", "b"]


class TestReadingBelow:
    """One call reads what an agent's folder has of the files that are asked for."""

    LIMITS: ClassVar = {"status": 4, "held": 0, "seen": 8}

    def test_each_is_read_up_to_its_limit_and_no_other_is(self, files: Files, folder: Path) -> None:
        for name in ("status", "held", "activity"):
            (folder / name).write_bytes(b"busy\n")
        with opened(files, "agents/h1") as host:
            found = host.read_below("a1", self.LIMITS)
        assert isinstance(found, dict)
        assert {name: isinstance(each, Content) and each.raw for name, each in found.items()} == {
            "status": b"busy\n",
            "held": b"",
        }

    @pytest.mark.parametrize("limit", [0, 1, 8])
    def test_each_is_what_a_read_of_it_alone_finds(
        self, files: Files, folder: Path, limit: int
    ) -> None:
        for size in range(4):
            (folder / f"long{size}").write_bytes(b"x" * (limit + size - 1) if limit else b"x")
        (folder / "empty").write_bytes(b"")
        (folder / "link").symlink_to("long0")
        (folder / "lost").symlink_to("nothing")
        (folder / "folder").mkdir()
        os.mkfifo(folder / "fifo")
        if os.geteuid() == 0:
            os.mknod(folder / "zeros", 0o644 | stat.S_IFCHR, os.makedev(1, 5))
        for name in os.listdir(folder):
            with opened(files, "agents/h1") as host:
                found = host.read_below("a1", {name: limit})
            alone = files.read(f"agents/h1/a1/{name}", limit)
            assert found == {name: alone if limit else Content(b"", 0)}

    @pytest.mark.parametrize(
        ("raw", "asked"),
        [
            *((raw, True) for raw in (b"", b"\n", b"busy", b"busy\n", b"seven..\nx", b"x" * 9)),
            *((raw, False) for raw in (b"busy\nv", b"busy\nv1 5\n", b"\n\n", b"\nx")),
        ],
    )
    def test_the_file_time_is_asked_of_one_line_alone(
        self, files: Files, folder: Path, raw: bytes, asked: bool
    ) -> None:
        (folder / "seen").write_bytes(raw)
        os.utime(folder / "seen", ns=(5_000_000_000, 7_000_999_999))
        assert files.read("agents/h1/a1/seen", 8) == Content(raw[:9], 7_000)
        with opened(files, "agents/h1") as host:
            found = host.read_below("a1", self.LIMITS)
        assert found == {"seen": Content(raw[:9], 7_000 if asked else UNASKED)}

    @pytest.mark.parametrize("kind", ["nothing", "a file", "a symlink"])
    def test_what_is_no_folder_is_told_as_entering_it_tells(
        self, files: Files, folder: Path, kind: str
    ) -> None:
        if kind == "a file":
            (folder.parent / "a2").write_bytes(b"")
        elif kind == "a symlink":
            (folder.parent / "a2").symlink_to("a1")
        with opened(files, "agents/h1") as host:
            found = host.read_below("a2", self.LIMITS)
            assert found == host.enter("a2")
        assert isinstance(found, Missing if kind == "nothing" else Unreadable)

    def test_no_call_leaves_a_descriptor_open(self, files: Files, folder: Path) -> None:
        (folder / "status").write_bytes(b"busy\n")
        with opened(files, "agents/h1") as host:
            before = open_files()
            host.read_below("a1", self.LIMITS)
            host.read_below("a2", self.LIMITS)
            assert open_files() == before


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs files that are larger than told")
@pytest.mark.parametrize("limit", [1, 64, 1_000_000])
def test_a_file_that_holds_more_than_its_size_said_is_read_up_to_the_limit(limit: int) -> None:
    """As one does that grows while it is read."""
    found = Files("/proc/self").read("limits", limit)
    assert isinstance(found, Content)
    assert found.raw == Path("/proc/self/limits").read_bytes()[: limit + 1]


@pytest.mark.parametrize("size", [0, 1, 4_094, 4_095, 4_096, 4_097, 8_192, 8_193, 300_000])
@pytest.mark.parametrize("limit", [1, 4_094, 4_095, 4_096, 4_097, 8_192, 262_144, 2**62])
def test_a_file_of_any_length_is_read_to_its_end_or_to_one_past_the_limit(
    tmp_path: Path, size: int, limit: int
) -> None:
    whole = bytes(range(256)) * (size // 256 + 1)
    (tmp_path / "file").write_bytes(whole[:size])
    found = Files(str(tmp_path)).read("file", limit)
    assert isinstance(found, Content)
    assert found.raw == whole[:size][: limit + 1]


def test_a_file_that_goes_on_growing_is_read_up_to_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its length, when it was asked for, was not its end."""
    told = SimpleNamespace(st_mode=stat.S_IFREG, st_size=0, st_mtime_ns=0)
    monkeypatch.setattr(os, "fstat", lambda _: told)
    (tmp_path / "file").write_bytes(b"x" * 20_000)
    for limit, length in ((10_000, 10_001), (30_000, 20_000)):
        found = Files(str(tmp_path)).read("file", limit)
        assert isinstance(found, Content) and len(found.raw) == length
