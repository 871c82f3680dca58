"""Objects of a git repository, written as git writes them, without a git for each.

A publish makes three small ones, and starting a git thrice costs half a push. The forms are those
of git's own manual (gitformat-loose); a test holds each byte and each name to what git makes.
"""

from __future__ import annotations

import os
import zlib
from hashlib import sha1

_FILE = b"100644"


def write_blob(repository: str, raw: bytes) -> str:
    """Keep *raw* in the repository at that path; return its name. Raises OSError."""
    return _write(repository, b"blob", raw)


def write_tree(repository: str, name: str, blob: str) -> str:
    """Keep a tree of one file; return its name. Raises OSError."""
    entry = b"%s %s\0%s" % (_FILE, name.encode(), bytes.fromhex(blob))
    return _write(repository, b"tree", entry)


def write_commit(
    repository: str, tree: str, message: str, *, who: str, at_s: int, parent: str = ""
) -> str:
    """Keep a commit by *who* (``name <address>``) at *at_s*, UTC; return its name.

    *parent* is "" for a commit that has none. Raises OSError.
    """
    lines = [f"tree {tree}", *([f"parent {parent}"] if parent else [])]
    lines += [f"{role} {who} {at_s} +0000" for role in ("author", "committer")]
    return _write(repository, b"commit", "\n".join([*lines, "", message, ""]).encode())


def _write(repository: str, kind: bytes, raw: bytes) -> str:
    whole = b"%s %d\0%s" % (kind, len(raw), raw)
    name = sha1(whole, usedforsecurity=False).hexdigest()
    folder = f"{repository}/objects/{name[:2]}"
    path = f"{folder}/{name[2:]}"
    if os.path.lexists(path):
        return name
    os.makedirs(folder, exist_ok=True)
    # By this start git knows, and sweeps, what a writer that was killed left.
    temporary = f"{folder}/tmp_obj_{os.getpid()}"
    try:
        with open(temporary, "xb") as file:
            file.write(zlib.compress(whole, zlib.Z_BEST_SPEED))
            file.flush()
            os.fchmod(file.fileno(), 0o444)
            os.fsync(file.fileno())
        os.rename(temporary, path)
    except BaseException:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        raise
    return name
