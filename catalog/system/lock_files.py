"""Lock files that git left in a repository, or holds there now: which of both nobody can tell.

git's locks are files without a holder's name. They are told with their age, and removed by a
person who has looked.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock file by its name inside the repository, its whole path, and when it was made."""

    name: str
    path: str
    mtime_ms: int

    def told(self, now_ms: int) -> str:
        """Return its sentence, with its age and the command that removes it."""
        age_s = max(now_ms - self.mtime_ms, 0) // 1000
        removal = f"rm {shlex.quote(self.path)}"
        return f"{self.name} is {age_s} s old; if no git runs there any more: {removal}"


def left_locks(repository: str) -> list[Lock]:
    """Return every lock file of a repository, bare or not, sorted; absence is an empty list."""
    inner = f"{repository}/.git"
    base = inner if os.path.isdir(inner) else repository
    found = []
    for path in _files(base):
        try:
            made = os.lstat(path).st_mtime_ns // 1_000_000
        except FileNotFoundError:
            continue
        found.append(Lock(os.path.relpath(path, base), path, made))
    return sorted(found, key=lambda lock: lock.name)


def _files(base: str) -> Iterator[str]:
    with_locks = (base, f"{base}/objects/pack", f"{base}/objects/info")
    for folder in with_locks:
        yield from _in(folder)
    for folder, _, _ in os.walk(f"{base}/refs"):
        yield from _in(folder)


def _in(folder: str) -> Iterator[str]:
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    yield from (f"{folder}/{name}" for name in names if name.endswith(".lock"))
