"""A bare repository on this machine's disk, as its keeper looks at it: size, files, torn refs."""

from __future__ import annotations

import os
import stat

_TORN_LIMIT = 256


def disk_bytes(path: str) -> int:
    """Return what a folder takes up on its disk; what vanishes meanwhile counts as nothing."""
    total = 0
    for folder, _, names in os.walk(path):
        for name in (".", *names):
            try:
                total += os.lstat(f"{folder}/{name}").st_blocks * 512
            except FileNotFoundError:
                continue
    return total


def is_bare(path: str) -> bool:
    """Say whether *path* looks like a bare repository."""
    return all(os.path.exists(f"{path}/{name}") for name in ("HEAD", "objects", "refs"))


def owner_of(path: str) -> int:
    """Return the uid that a folder belongs to."""
    return os.stat(path).st_uid


def is_ours(path: str) -> bool:
    """Say whether a folder belongs to whoever runs this."""
    return owner_of(path) == os.geteuid()


def loose_refs(path: str, prefix: str) -> list[str]:
    """Return the refs below *prefix* that have a file of their own, readable or not; sorted."""
    found = []
    for folder, _, names in os.walk(f"{path}/{prefix}"):
        for name in names:
            if not name.endswith(".lock"):
                found.append(os.path.relpath(f"{folder}/{name}", path))
    return sorted(found)


def remove_torn_ref(path: str, ref: str) -> bool:
    """Remove the file of a ref where it holds no object's name, under git's own lock for it.

    Nor is a link, a pipe or a device a ref. False where it is one, or somebody holds the lock.
    """
    file = f"{path}/{ref}"
    if not _is_torn(file):
        return False
    try:
        lock = os.open(f"{file}.lock", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    except FileExistsError:
        return False
    try:
        os.close(lock)
        if not _is_torn(file):
            return False
        os.unlink(file)
        return True
    finally:
        os.unlink(f"{file}.lock")


def _is_torn(file: str) -> bool:
    """Say whether a ref's file can hold no ref: it is no plain file, or no name is in it."""
    try:
        facts = os.lstat(file)
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(facts.st_mode):
        return True
    with open(file, "rb") as stream:
        raw = stream.read(_TORN_LIMIT).strip()
    return len(raw) not in (40, 64) or not set(raw) <= set(b"0123456789abcdef")


def begin(path: str, name: str) -> int | None:
    """Leave a mark that an act has begun; return when an earlier one began that never ended, in ms.

    Whoever calls this is alone in it.
    """
    file = f"{path}/{name}"
    before = made_ms(file)
    if before is None:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644))
    return before


def made_ms(file: str) -> int | None:
    """Return a file's time in ms; None where there is none."""
    try:
        return os.lstat(file).st_mtime_ns // 1_000_000
    except FileNotFoundError:
        return None


def remove(file: str) -> None:
    """Remove one file; absence is fine."""
    try:
        os.unlink(file)
    except FileNotFoundError:
        pass
