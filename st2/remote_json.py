"""What ``st2 remote upkeep --json`` prints: keys that stay."""

from __future__ import annotations

from catalog.sync.upkeep import Upkept
from st2.printed import Printed


class PrintedRemoval(Printed):
    """A ref that was removed, and why."""

    ref: str
    why: str


class PrintedLock(Printed):
    """A lock file that is older than an hour and was left alone."""

    path: str
    age_ms: int


class PrintedUpkeep(Printed):
    """One upkeep; sizes are what the repository takes up on its disk."""

    path: str
    before_bytes: int
    after_bytes: int
    refs: int
    removed: list[PrintedRemoval]
    locks: list[PrintedLock]
    failed: list[str]


def upkept_json(done: Upkept, *, path: str, now_ms: int) -> str:
    """Return the one line."""
    locks = [PrintedLock(path=each.path, age_ms=now_ms - each.mtime_ms) for each in done.locks]
    printed = PrintedUpkeep(
        path=path,
        before_bytes=done.before_bytes,
        after_bytes=done.after_bytes,
        refs=done.refs,
        removed=[PrintedRemoval(ref=ref, why=why) for ref, why in done.removed],
        locks=locks,
        failed=list(done.failed),
    )
    return printed.as_line()
