"""What a bounded look at one file found: its content, nothing, or a reason."""

from __future__ import annotations

import os

from catalog.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Look = TypeVar("Look")


UNASKED = 0
"""A file time that nobody asked for: the first moment of 1970, which is stale by any clock."""


class Content(Value):
    """The bytes of a regular file and its modification time.

    *raw* holds at most one byte more than the limit that was asked for. Only of one line is the
    file time ever a clock: where a folder's files are read together, it is :data:`UNASKED` of
    any other.
    """

    __slots__ = ("mtime_ms", "raw")

    def __init__(self, raw: bytes, mtime_ms: int) -> None:
        self.raw = raw
        self.mtime_ms = mtime_ms


class Missing(Value):
    """There is no such file."""

    __slots__ = ()


class Unreadable(Value):
    """Something is there that cannot be read; *reason* says what.

    ``errno`` is the system's own error where the system failed to read what may be a sound file;
    0 where it is none: a link, a pipe, a folder.
    """

    __slots__ = ("errno", "reason")
    _aside = ("errno",)

    def __init__(self, reason: str, errno: int = 0) -> None:
        self.reason = reason
        self.errno = errno


Found = Content | Missing | Unreadable


def certain(found: Look, path: str) -> Look:
    """Return what a look at a file or a folder *found*; raise OSError where the system failed.

    For what is about to be written anew, or obeyed: what could not be read is not what is not
    there, and a disk that fails once, or a process with too many open files, forgets nothing.
    """
    if isinstance(found, Unreadable) and found.errno:
        raise OSError(found.errno, os.strerror(found.errno), path)
    return found
