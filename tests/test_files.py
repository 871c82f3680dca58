"""Files below one root: bounded reads that never raise, writes seen whole or not at all."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.errors import words_of
from catalog.refusals import LocalStateUnsafe
from catalog.seen import Content, Missing, Unreadable
from catalog.system.files import Files
from support.memory import MemoryFiles
from support.nobody import as_nobody

RECORD = "agents/h1/a1/status"
NODES: dict[str, Callable[[Path], object]] = {
    "a fifo": os.mkfifo,
    "a directory": Path.mkdir,
    "a symlink": lambda path: path.symlink_to("/etc/passwd"),
    "a socket": lambda path: socket.socket(socket.AF_UNIX).bind(str(path)),
}


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(str(tmp_path))


@pytest.fixture(params=["real", "memory"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Files | MemoryFiles:
    return MemoryFiles() if request.param == "memory" else Files(str(tmp_path))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "agents" / "h1" / "a1"
    path.mkdir(parents=True)
    return path


def open_files() -> int:
    return len(os.listdir("/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"))


# What holds for the real files and for those in memory.


def test_what_was_never_written_is_missing(either: Files) -> None:
    assert either.read(RECORD) == Missing()
    assert either.remove(RECORD) is False


def test_a_second_write_replaces_the_first(either: Files) -> None:
    for data in (b"busy\nv1 5\n", b"away\n", b""):
        either.replace(RECORD, data, mtime_ms=7)
        assert either.read(RECORD) == Content(data, 7)


@pytest.mark.parametrize(("size", "kept"), [(255, 255), (256, 256), (257, 257), (3_000_000, 257)])
def test_a_read_stops_one_byte_past_its_limit(either: Files, size: int, kept: int) -> None:
    """Case C13: however long a record is, its row costs no more than another one."""
    either.replace(RECORD, b"\0" * size)
    found = either.read(RECORD, 256)
    assert isinstance(found, Content) and len(found.raw) == kept


def test_a_removed_file_is_missing(either: Files) -> None:
    either.replace(RECORD, b"busy\n")
    assert either.remove(RECORD) is True
    assert either.read(RECORD) == Missing()


def test_a_lock_is_not_free_until_it_is_released(either: Files) -> None:
    assert either.lock_free(".st2/h1/owner/a1") is True
    with either.lock(".st2/h1/owner/a1", wait_ms=0):
        assert either.lock_free(".st2/h1/owner/a1") is False
    assert either.lock_free(".st2/h1/owner/a1") is True


# Reading what an enemy, a crash or a strange filesystem left.


@pytest.mark.timeout(100)
@pytest.mark.parametrize("kind", NODES)
def test_what_is_no_regular_file_is_said_and_not_opened_for_good(
    files: Files, folder: Path, kind: str
) -> None:
    """Case C18."""
    NODES[kind](folder / "status")
    found = files.read(RECORD)
    wanted = "no such device or address" if kind == "a socket" else f"is {kind}, not a file"
    assert found == Unreadable(wanted)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a device")
def test_a_device_is_not_read(files: Files, folder: Path) -> None:
    """Case C18."""
    os.mknod(folder / "status", 0o644 | stat.S_IFCHR, os.makedev(1, 5))
    assert files.read(RECORD) == Unreadable("is a device, not a file")


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_symlink_on_the_way_is_not_followed(files: Files, tmp_path: Path, depth: int) -> None:
    real = Path("agents/h1/a1")
    (tmp_path / "outside" / real).mkdir(parents=True)
    (tmp_path / "outside" / RECORD).write_text("busy\nv1 5\n")
    link = Path(*real.parts[:depth])
    (tmp_path / link.parent).mkdir(parents=True, exist_ok=True)
    (tmp_path / link).symlink_to(tmp_path / "outside" / link)
    assert files.read(RECORD) == Unreadable("lies under something that is no folder")
    with pytest.raises(NotADirectoryError):
        files.replace(RECORD, b"away\n")
    assert (tmp_path / "outside" / RECORD).read_text() == "busy\nv1 5\n"


def test_the_root_itself_may_be_a_symlink(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    Files(str(tmp_path / "link")).replace(RECORD, b"busy\n")
    assert (tmp_path / "real" / RECORD).read_bytes() == b"busy\n"


def test_a_root_that_is_not_there_has_nothing_in_it(tmp_path: Path) -> None:
    files = Files(str(tmp_path / "none"))
    assert files.read(RECORD) == files.scan("agents") == Missing()


def test_a_file_time_before_1970_is_read_as_one(files: Files, folder: Path) -> None:
    (folder / "status").write_bytes(b"busy\n")
    os.utime(folder / "status", ns=(-1, -1))
    assert files.read(RECORD) == Content(b"busy\n", -1)


def test_a_folder_is_listed_sorted_with_the_kind_of_each(files: Files, folder: Path) -> None:
    (folder / "b").mkdir()
    (folder / "a").write_bytes(b"")
    (folder / "c").symlink_to("b")
    os.mkfifo(folder / "d")
    listed = [("a", "file"), ("b", "dir"), ("c", "link"), ("d", "other")]
    assert files.scan("agents/h1/a1") == listed


def test_a_name_that_is_not_utf8_is_listed_and_read(files: Files, folder: Path) -> None:
    Path(os.fsdecode(bytes(folder) + b"/\xff")).write_bytes(b"busy\n")
    assert files.scan("agents/h1/a1") == [("\udcff", "file")]
    assert isinstance(files.read("agents/h1/a1/\udcff"), Content)


@pytest.mark.parametrize("target", ["status", ""])
def test_a_closed_record_or_folder_says_permission_denied(target: str) -> None:
    """Case F10."""

    def look(root: str) -> object:
        files = Files(root)
        files.replace(RECORD, b"busy\nv1 5\n")
        os.chmod(Path(root, "agents/h1/a1", target), 0)
        return files.read(RECORD)

    assert as_nobody(look) == Unreadable("permission denied")


# Writing.


def test_a_rewrite_keeps_the_mode_and_a_new_file_has_the_umasks(files: Files, folder: Path) -> None:
    """Case F10."""
    umask = os.umask(0o027)
    try:
        files.replace(RECORD, b"busy\n")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((folder / "status").stat().st_mode) == 0o640
    for mode in (0o604, 0o000, 0o600):
        (folder / "status").chmod(mode)
        files.replace(RECORD, b"away\n")
        assert stat.S_IMODE((folder / "status").stat().st_mode) == mode


@pytest.mark.parametrize("kind", ["a fifo", "a symlink", "a socket"])
def test_a_write_takes_the_place_of_what_is_no_file_and_follows_nothing(
    files: Files, folder: Path, kind: str
) -> None:
    NODES[kind](folder / "status")
    files.replace(RECORD, b"busy\n")
    assert stat.S_ISREG((folder / "status").lstat().st_mode)
    assert Path("/etc/passwd").read_bytes() != b"busy\n"


def test_a_second_name_of_a_file_keeps_the_old_bytes(files: Files, folder: Path) -> None:
    (folder / "status").write_bytes(b"busy\n")
    os.link(folder / "status", folder / "other")
    files.replace(RECORD, b"away\n")
    assert (folder / "other").read_bytes() == b"busy\n"


def test_a_directory_is_not_written_over_and_nothing_is_left(files: Files, folder: Path) -> None:
    (folder / "status").mkdir()
    with pytest.raises(IsADirectoryError) as refused:
        files.replace(RECORD, b"busy\n")
    assert words_of(refused.value) == f"{RECORD}: is a directory"
    assert os.listdir(folder) == ["status"]


def test_left_temporaries_of_the_same_file_are_swept_and_no_other(
    files: Files, folder: Path
) -> None:
    """Case C17: also where one of them is a folder, and where a name looks like another's."""
    for name in (".status.tmp-1-1", ".status.tmp-99-12", ".held.tmp-1-1", ".status.tmp-1.tmp-9-9"):
        (folder / name).write_bytes(b"half")
    (folder / ".status.tmp-5-5").mkdir()
    files.replace(RECORD, b"busy\n")
    left = [".held.tmp-1-1", ".status.tmp-1.tmp-9-9", ".status.tmp-5-5", "status"]
    assert sorted(os.listdir(folder)) == left


def test_a_write_that_cannot_finish_leaves_the_old_bytes_and_no_temporary(
    files: Files, folder: Path
) -> None:
    (folder / "status").write_bytes(b"busy\n")
    with pytest.raises(OverflowError):
        files.replace(RECORD, b"away\n", mtime_ms=2**80)
    assert (folder / "status").read_bytes() == b"busy\n"
    assert os.listdir(folder) == ["status"]


# The folder of this host alone.


def test_folders_for_this_host_alone_are_closed_to_others(files: Files, tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        files.replace(".st2/h1/process/a1", b"")
        files.replace(RECORD, b"busy\n")
    finally:
        os.umask(umask)
    modes = [stat.S_IMODE((tmp_path / p).stat().st_mode) for p in (".st2", ".st2/h1/process")]
    assert modes == [0o700, 0o700]
    assert stat.S_IMODE((tmp_path / "agents" / "h1").stat().st_mode) == 0o777


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_local_folder_that_others_write_is_not_used_and_no_descriptor_stays_open(
    files: Files, tmp_path: Path, mode: int
) -> None:
    (tmp_path / ".st2").mkdir()
    (tmp_path / ".st2").chmod(mode)
    before = open_files()
    for _ in range(20):
        assert files.read(".st2/h1/node") == Unreadable(
            f"mode {mode:04o} lets others write, wanted 0700"
        )
    assert files.lock_free(".st2/h1/owner/a1") is None
    with pytest.raises(LocalStateUnsafe):
        files.lock(".st2/h1/lock/a1", wait_ms=0)
    assert open_files() == before


@pytest.mark.parametrize("target", ["elsewhere", "nowhere"])
def test_a_local_folder_that_is_a_symlink_is_not_used(
    files: Files, tmp_path: Path, target: str
) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / ".st2").symlink_to(target)
    for use in (lambda path: files.replace(path, b""), lambda path: files.lock(path, wait_ms=0)):
        with pytest.raises(LocalStateUnsafe) as caught:
            use(".st2/h1/lock/a1")
    assert str(caught.value) == ".st2: is a symlink or a file, wanted a folder"
    assert os.listdir(tmp_path / "elsewhere") == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a folder of somebody else")
def test_a_local_folder_of_somebody_else_is_not_used(files: Files, tmp_path: Path) -> None:
    (tmp_path / ".st2").mkdir(mode=0o700)
    os.chown(tmp_path / ".st2", 65534, 65534)
    assert files.read(".st2/h1/node") == Unreadable("belongs to uid 65534, wanted 0")


def test_no_use_leaves_a_descriptor_open(files: Files, folder: Path) -> None:
    before = open_files()
    for name in ("status", "none", "status/x"):
        files.read(f"agents/h1/a1/{name}")
        files.scan(f"agents/h1/a1/{name}")
    files.replace(RECORD, b"busy\n")
    files.remove(RECORD)
    files.lock(".st2/h1/lock/a1", wait_ms=0).release()
    files.lock_free(".st2/h1/lock/a1")
    assert open_files() == before
