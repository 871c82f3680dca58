"""Locks that the kernel frees: bounded waits, the holder named, no text in a lock believed."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from catalog.refusals import LockBusy
from catalog.system.files import Files
from catalog.system.lock_holder import Holder
from catalog.system.locks import _try

LOCK = ".st2/h1/lock/a1"


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(str(tmp_path))


@pytest.fixture
def path(files: Files, tmp_path: Path) -> Path:
    files.lock(LOCK, wait_ms=0).release()
    return tmp_path / LOCK


@pytest.fixture
def holder(files: Files) -> Iterator[int]:
    """The pid of another process that holds the lock until it is killed."""
    there, here = os.pipe()
    child = os.fork()
    if child == 0:
        held = files.lock(LOCK, wait_ms=0)
        os.write(here, b"%d" % held.fd)
        signal.pause()
        os._exit(0)
    os.close(here)
    os.read(there, 8)
    yield child
    os.close(there)
    try:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


def refusal(files: Files, wait_ms: int = 0) -> LockBusy:
    with pytest.raises(LockBusy) as caught:
        files.lock(LOCK, wait_ms=wait_ms)
    return caught.value


def test_a_lock_is_held_once(files: Files) -> None:
    with files.lock(LOCK, wait_ms=0):
        refusal(files)
    files.lock(LOCK, wait_ms=0).release()


def test_a_release_may_be_repeated(files: Files) -> None:
    lock = files.lock(LOCK, wait_ms=0)
    lock.release()
    other = os.open("/dev/null", os.O_RDONLY)
    lock.release()
    os.close(other)


@pytest.mark.parametrize(
    "before", ["", "pid 7\n", "pid 4194304   \n", "pid 123456789012\n", "x" * 99]
)
def test_a_lock_holds_the_pid_of_its_holder_and_nothing_else(
    files: Files, path: Path, before: str
) -> None:
    path.write_text(before)
    with files.lock(LOCK, wait_ms=0):
        assert path.read_text() == f"pid {os.getpid():<10}\n"
        assert f"held by pid {os.getpid()} for 0 s" in str(refusal(files))


def test_the_holder_is_named_with_its_age(files: Files, path: Path, holder: int) -> None:
    """Case F9."""
    os.utime(path, (time.time() - 70, time.time() - 70))
    sentence = f"{LOCK}: held by pid {holder} for 70 s, not free within 0 ms"
    assert str(refusal(files)) == sentence


@pytest.mark.parametrize("text", ["", "pid 0x1", "pid -1", "text", "pid " + "9" * 60, "\xff"])
def test_a_holder_that_wrote_no_pid_is_somebody(
    files: Files, path: Path, holder: int, text: str
) -> None:
    path.write_text(text, encoding="latin-1")
    assert "held by somebody for 0 s" in str(refusal(files))


@pytest.mark.parametrize("wait_ms", [0, 60, 300])
def test_a_wait_is_bounded(files: Files, holder: int, wait_ms: int) -> None:
    start = time.monotonic()
    refusal(files, wait_ms)
    waited = (time.monotonic() - start) * 1_000
    assert wait_ms <= waited < wait_ms + 30_000


@pytest.mark.parametrize("text", ["pid 999999999\n", "pid 0\n", "pid 1\n", "no pid\n", "\0" * 99])
def test_a_lock_is_free_whatever_a_dead_holder_wrote_into_it(
    files: Files, path: Path, text: str
) -> None:
    """Case F9."""
    path.write_text(text)
    assert files.lock_free(LOCK) is True
    files.lock(LOCK, wait_ms=0).release()


def test_the_death_of_the_holder_frees_its_lock(files: Files, holder: int) -> None:
    assert files.lock_free(LOCK) is False
    os.kill(holder, signal.SIGKILL)
    os.waitpid(holder, 0)
    assert files.lock_free(LOCK) is True
    files.lock(LOCK, wait_ms=0).release()


def test_a_waiter_gets_the_lock_when_it_is_released(files: Files, holder: int) -> None:
    os.kill(holder, signal.SIGKILL)
    files.lock(LOCK, wait_ms=5_000).release()


@pytest.mark.timeout(100)
@pytest.mark.parametrize(
    ("make", "found"),
    [
        (Path.mkdir, "a directory"),
        (os.mkfifo, "something that is no file"),
        (lambda path: path.symlink_to("/etc/passwd"), "a symlink"),
        (lambda path: path.symlink_to("nowhere"), "a symlink"),
        (lambda path: socket.socket(socket.AF_UNIX).bind(str(path)), "something that is no file"),
    ],
    ids=["directory", "fifo", "symlink", "dangling", "socket"],
)
def test_what_is_no_lock_file_is_named_at_once_and_not_followed(
    files: Files, path: Path, make: Callable[[Path], object], found: str
) -> None:
    """Case F9."""
    path.unlink()
    make(path)
    error = refusal(files, 5_000)
    assert str(error) == f"{LOCK}: found {found}, wanted a lock file"
    assert error.hint == f"move {LOCK} away; it is made anew"
    assert files.lock_free(LOCK) is None


def test_looking_at_a_lock_makes_no_file_and_writes_nothing(files: Files, tmp_path: Path) -> None:
    assert files.lock_free(LOCK) is True
    assert list(tmp_path.iterdir()) == []
    files.lock(LOCK, wait_ms=0).release()
    (tmp_path / LOCK).write_text("pid 7\n")
    assert files.lock_free(LOCK) is True and (tmp_path / LOCK).read_text() == "pid 7\n"


def test_a_lock_is_not_handed_on_to_a_program_that_is_executed(files: Files) -> None:
    with files.lock(LOCK, wait_ms=0) as lock:
        assert fcntl.fcntl(lock.fd, fcntl.F_GETFD) & fcntl.FD_CLOEXEC


def test_two_looks_at_once_do_not_take_each_other_for_a_holder(files: Files, path: Path) -> None:
    look = os.open(path, os.O_RDONLY)
    fcntl.flock(look, fcntl.LOCK_SH)
    assert files.lock_free(LOCK) is True
    os.close(look)


def test_a_filesystem_without_flock_is_said_and_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def flock(fd: int, kind: int) -> None:
        raise OSError(errno.EOPNOTSUPP, "not supported")

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(LockBusy) as caught:
        _try(0, LOCK, fcntl.LOCK_EX)
    assert str(caught.value) == f"{LOCK}: this filesystem has no flock, wanted one that locks"
    assert caught.value.hint == "put the catalog on a local filesystem"


def test_a_look_tells_the_holder_and_takes_nothing(files: Files, path: Path, holder: int) -> None:
    then = time.time() - 60
    os.utime(path, (then, then))
    found = files.lock_holder(LOCK)
    assert found is not None and found.pid == holder and 59 <= found.age_s <= 70
    assert files.lock_free(LOCK) is False


def test_a_look_at_a_free_lock_finds_nobody(files: Files, path: Path) -> None:
    assert files.lock_holder(LOCK) is None


def test_a_look_believes_no_text_that_is_no_pid(files: Files, path: Path) -> None:
    path.write_bytes(b"pid 12x\n")
    with path.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert files.lock_holder(LOCK) == Holder(None, 0)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("x")])
def test_a_look_at_what_is_no_lock_finds_nobody(
    files: Files, path: Path, make: Callable[[Path], None]
) -> None:
    path.unlink()
    assert files.lock_holder(LOCK) is None
    make(path)
    assert files.lock_holder(LOCK) is None


def test_a_look_makes_no_file(files: Files, tmp_path: Path) -> None:
    assert files.lock_holder(LOCK) is None
    assert list(tmp_path.iterdir()) == []
