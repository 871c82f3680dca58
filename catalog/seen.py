"""What a bounded look at one file found: its content, nothing, or a reason."""

from __future__ import annotations

from catalog.value import Value


class Content(Value):
    """The bytes of a regular file and its modification time.

    *raw* holds at most one byte more than the limit that was asked for.
    """

    __slots__ = ("mtime_ms", "raw")

    def __init__(self, raw: bytes, mtime_ms: int) -> None:
        self.raw = raw
        self.mtime_ms = mtime_ms


class Missing(Value):
    """There is no such file."""

    __slots__ = ()


class Unreadable(Value):
    """Something is there that cannot be read; *reason* says what."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason


Found = Content | Missing | Unreadable
