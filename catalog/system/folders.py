"""An open folder, and bounded reads in it: regular files only, no symlink followed."""

from __future__ import annotations

import os
import stat
from errno import ELOOP, ENOENT, ENOTDIR

from catalog.errors import reason_of
from catalog.seen import UNASKED, Content, Missing, Unreadable
from catalog.windows import RECORD_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from catalog.seen import Found

    Made = TypeVar("Made")

OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_PIECE = 4096
"""What is read of a file at first: all of it, but for a few."""

Entries = list[tuple[str, str]]
_THERE = Content(b"", 0)


def owned(make: Callable[..., Made], *args: object, **more: object) -> Made:
    """Call *make* for a new file or folder, which its own user can use whatever the umask is.

    Of a umask that takes away the user's own bits only those that are for others hold.
    """
    umask = os.umask(0o077)
    os.umask(umask & 0o077)
    try:
        return make(*args, **more)
    finally:
        os.umask(umask)


class Folder:
    """A folder that stays the same one while it is read, whatever happens to its name."""

    __slots__ = ("fd",)

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def entries(self) -> Entries | Unreadable:
        """List as sorted (name, kind); kind is ``dir``, ``file``, ``link`` or ``other``.

        A name that is not UTF-8 is listed with its stray bytes as surrogates.
        """
        try:
            with os.scandir(self.fd) as entries:
                return sorted((entry.name, _kind(entry)) for entry in entries)
        except OSError as error:
            return Unreadable(reason_of(error), error.errno or 0)

    def folders(self) -> list[str] | Unreadable:
        """List the names of the folders in this one, sorted; a symlink to one is none."""
        found = self.folders_beside(())
        return found if isinstance(found, Unreadable) else found[0]

    def folders_beside(self, asked: Sequence[str]) -> tuple[list[str], list[str]] | Unreadable:
        """List as :meth:`folders` does, and which of *asked* are here, of whatever kind."""
        try:
            with os.scandir(self.fd) as entries:
                found = list(entries)
            folders = [each.name for each in found if each.is_dir(follow_symlinks=False)]
        except OSError as error:
            return Unreadable(reason_of(error), error.errno or 0)
        names = {each.name for each in found} if asked else ()
        return sorted(folders), [each for each in asked if each in names]

    def names(self) -> list[str]:
        """List the names alone, unsorted; none where the folder cannot be listed."""
        found = self.listed()
        return found if isinstance(found, list) else []

    def listed(self) -> list[str] | Unreadable:
        """List the names alone, unsorted, or say why they cannot be had."""
        try:
            return os.listdir(self.fd)
        except OSError as error:
            return Unreadable(reason_of(error), error.errno or 0)

    def enter(self, name: str) -> Folder | Missing | Unreadable:
        """Open a folder in this one."""
        try:
            return Folder(os.open(name, OPEN_FOLDER, dir_fd=self.fd))
        except OSError as error:
            return not_read(error)

    def read_below(
        self, name: str, limits: Mapping[str, int]
    ) -> dict[str, Found] | Missing | Unreadable:
        """Read the files named in *limits* that a folder in this one has, each up to its limit.

        One call for each agent of a catalog. A limit of 0 asks only whether the name is there, and
        finds no bytes. The folder missing, or why it cannot be listed, is told in its place.
        """
        try:
            folder = os.open(name, OPEN_FOLDER, dir_fd=self.fd)
        except OSError as error:
            return not_read(error)
        try:
            with os.scandir(folder) as entries:
                found = [each for each in entries if each.name in limits]
            return {each.name: _listed(folder, each, limits[each.name]) for each in found}
        except OSError as error:
            return Unreadable(reason_of(error), error.errno or 0)
        finally:
            os.close(folder)

    def read(self, name: str, limit: int = RECORD_BYTES) -> Found:
        """Read at most *limit* + 1 bytes of a file in this folder."""
        return read_at(self.fd, name, limit)

    def mtime_ms(self, name: str) -> int | None:
        """Return the file time of a regular file in this folder, else None."""
        try:
            found = os.stat(name, dir_fd=self.fd, follow_symlinks=False)
        except OSError:
            return None
        return found.st_mtime_ns // 1_000_000 if stat.S_ISREG(found.st_mode) else None

    def close(self) -> None:
        """Let go; harmless when repeated."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_at(folder: int, name: str, limit: int) -> Found:
    """Read *name* in an open folder: a regular file, at most *limit* + 1 bytes."""
    try:
        file = os.open(name, _OPEN_FILE, dir_fd=folder)
    except OSError as error:
        return not_read(error)
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            return Unreadable(f"is {_form(found.st_mode)}, not a file")
        raw = _raw(file, limit)
        return Content(raw, found.st_mtime_ns // 1_000_000)
    except OSError as error:
        return not_read(error)
    finally:
        os.close(file)


def _listed(folder: int, entry: os.DirEntry[str], limit: int) -> Found:
    """Read what an open folder lists, as :func:`read_at` does, but for the file time (Content).

    The listing tells what is a regular file: to ask for all that is known of each would cost more
    than its bytes.
    """
    if not limit:
        return _THERE
    if not entry.is_file(follow_symlinks=False):
        return read_at(folder, entry.name, limit)
    try:
        file = os.open(entry.name, _OPEN_FILE, dir_fd=folder)
    except OSError as error:
        return not_read(error)
    try:
        raw = _raw(file, limit)
        several = raw.find(b"\n", 0, min(len(raw), limit) - 1) >= 0  # as it is cut to be carried
        return Content(raw, UNASKED if several else os.fstat(file).st_mtime_ns // 1_000_000)
    except OSError as error:
        return not_read(error)
    finally:
        os.close(file)


def _raw(file: int, limit: int) -> bytes:
    """Read a regular file, at most *limit* + 1 bytes of it: where a read stops short, it ends.

    Room for the whole limit would have the allocator map, and unmap, pages for each file; to ask
    for the length before, or again for the end, would cost as much as the read.
    """
    asked = min(limit + 1, _PIECE)
    raw = os.read(file, asked)
    if len(raw) == asked <= limit:
        rest = max(os.fstat(file).st_size - asked + 1, _PIECE)
        while len(raw) <= limit and (more := os.read(file, min(rest, limit + 1 - len(raw)))):
            raw += more
    return raw


def not_read(error: OSError) -> Missing | Unreadable:
    """Make a finding of a failed open or read."""
    if error.errno == ENOENT:
        return Missing()
    if error.errno == ELOOP:
        return Unreadable("is a symlink, not a file")
    if error.errno == ENOTDIR:
        return Unreadable("lies under something that is no folder")
    return Unreadable(reason_of(error), error.errno or 0)


def _form(mode: int) -> str:
    for test, name in (
        (stat.S_ISDIR, "a directory"),
        (stat.S_ISFIFO, "a fifo"),
        (stat.S_ISSOCK, "a socket"),
    ):
        if test(mode):
            return name
    return "a device"


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "dir"
    return "file" if entry.is_file(follow_symlinks=False) else "other"
