"""Reading the snapshot that a tip holds, when anybody may have made the tip.

A tip is a commit whose tree is exactly one plain file named ``snapshot``. Nothing is unpacked
before its size is known, and git itself looks into no tree: a malformed one would end it, and
with it the reading of every other host.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.snapshot import SNAPSHOT_BYTES, Refused
from catalog.sync_errors import SyncFailed
from catalog.system.git import Git
from catalog.system.program import number

_SHAPE = b"100644 snapshot\0"
_NO_SNAPSHOT = Refused("its tree is not one plain file named snapshot")
_TOO_LARGE = Refused(f"too large: it was left at the remote, wanted at most {SNAPSHOT_BYTES} bytes")
_MISSING = "missing object"
_COMMIT_BYTES = 65_536
_BATCH_BYTES = 4 * SNAPSHOT_BYTES


@dataclass(frozen=True, slots=True)
class _Object:
    oid: str
    kind: str
    size: int


def snapshots(git: Git, tips: dict[str, str]) -> Iterator[tuple[str, bytes | Refused]]:
    """Yield for each tip, by its key, the bytes of its snapshot, or why they are not read."""
    refused: dict[str, Refused] = {}
    blobs: dict[str, str] = {}
    for key, raw in _contents(git, _trees(git, tips, refused)):
        if raw.startswith(_SHAPE):
            blobs[key] = raw[len(_SHAPE) :].hex()
        else:
            refused[key] = _NO_SNAPSHOT
    for batch in _batches(_objects(git, blobs), refused):
        yield from _contents(git, batch)
    yield from refused.items()


def commits(git: Git, tips: dict[str, str]) -> Iterator[tuple[str, bytes | Refused]]:
    """Yield for each tip, by its key, the bytes of its commit, or why they are not read."""
    small: dict[str, _Object] = {}
    for key, found in _objects(git, tips).items():
        if found.kind != "commit":
            yield key, Refused(f"its ref holds a {found.kind}, wanted a commit")
        elif found.size > _COMMIT_BYTES:
            yield key, Refused(f"a commit of {found.size} bytes, wanted at most {_COMMIT_BYTES}")
        else:
            small[key] = found
    yield from _contents(git, {key: found.oid for key, found in small.items()})


def _trees(git: Git, tips: dict[str, str], refused: dict[str, Refused]) -> dict[str, str]:
    """Return the trees of those tips whose tree can be of the one shape."""
    objects = _objects(git, tips)
    trees = _objects(git, {key: f"{oid}^{{tree}}" for key, oid in tips.items()})
    for key, oid in tips.items():
        if objects[key].kind != "commit":
            refused[key] = Refused(f"its ref holds a {objects[key].kind}, wanted a commit")
        elif trees[key].size != len(_SHAPE) + len(oid) // 2:
            refused[key] = _NO_SNAPSHOT
    return {key: trees[key].oid for key in tips if key not in refused}


def _batches(blobs: dict[str, _Object], refused: dict[str, Refused]) -> Iterator[dict[str, str]]:
    """Group the blobs that may be read, so that no batch unpacks more than a bounded size.

    The small ones come first: whoever reads for a bounded time has most hosts by then.
    """
    batch: dict[str, str] = {}
    total = 0
    for key, blob in sorted(blobs.items(), key=lambda each: each[1].size):
        if blob.kind == _MISSING:
            refused[key] = _TOO_LARGE
        elif blob.kind != "blob":
            refused[key] = Refused(f"its snapshot is a {blob.kind}, wanted a blob")
        elif blob.size > SNAPSHOT_BYTES:
            refused[key] = Refused(f"{blob.size} bytes, wanted at most {SNAPSHOT_BYTES}")
        else:
            if total + blob.size > _BATCH_BYTES:
                yield batch
                batch, total = {}, 0
            batch[key] = blob.oid
            total += blob.size
    yield batch


def _objects(git: Git, names: dict[str, str]) -> dict[str, _Object]:
    """Ask for oid, kind and size of each object, one answer a line."""
    if not names:
        return {}
    asked = "".join(f"{name}\n" for name in names.values()).encode()
    ran = git.run("cat-file", "--batch-check", "--buffer", stdin=asked)
    lines = ran.lines("replace")
    if ran.code or len(lines) != len(names):
        raise SyncFailed("collect", f"git cannot read what it fetched: {ran.words}")
    return {key: _object(line) for key, line in zip(names, lines, strict=True)}


def _object(line: str) -> _Object:
    oid, _, rest = line.partition(" ")
    kind, _, size = rest.partition(" ")
    known = number(size)
    return _Object(oid, _MISSING, 0) if known is None else _Object(oid, kind, known)


def _contents(git: Git, names: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """Read objects that are known to be there and small enough."""
    if not names:
        return
    asked = "".join(f"{name}\n" for name in names.values()).encode()
    rest = memoryview(git.run("cat-file", "--batch", "--buffer", stdin=asked).out)
    for key in names:
        head, _, _ = bytes(rest[:200]).partition(b"\n")
        start = len(head) + 1
        end = start + _object(head.decode("ascii", "replace")).size
        yield key, bytes(rest[start:end])
        rest = rest[end + 1 :]
