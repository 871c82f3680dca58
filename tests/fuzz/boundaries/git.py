"""What git and the far end say: names of refs, objects, a signed commit, words of an error."""

from __future__ import annotations

from catalog.snapshot import Refused
from catalog.sync import fetched, tips, trouble, upkeep
from catalog.sync.remote import Remote
from catalog.sync.shape import host_of
from catalog.sync.signing import Signed, split
from catalog.sync_errors import SyncFailed
from catalog.system.program import WORDS, Ran
from fuzz.told import check_escaped, check_plain, headed

KINDS = ("words", "refs", "objects", "commit")
REACHED = frozenset(
    (
        *("words", "way out", "unreachable", "refs", "no refs", "objects", "no objects"),
        *("signed", "unsigned", "long words"),
    )
)
GROWING = {
    "words": lambda size: b"words\n" + b"fatal: x\n" * size,
    "one long word": lambda size: b"words\n" + b"x" * size,
    "refs": lambda size: b"refs\n" + b"a\trefs/st2/presence/h1\n" * size,
    "signature": lambda size: b"commit\ngpgsig " + b"\n A" * size + b"\n\n",
}


class FakeGit:
    """Says the same whatever it is asked."""

    limit_s = 1.0

    def __init__(self, out: bytes, code: int = 0) -> None:
        self.out = out
        self.code = code

    def run(self, *args: str, **more: object) -> Ran:
        """As :meth:`Git.run`."""
        return Ran(self.code, self.out, "")


class FakeOwn:
    """A repository whose git is fake."""

    def __init__(self, git: FakeGit) -> None:
        self.git = git

    def make(self) -> None:
        """As :meth:`Own.make`."""


def check(data: bytes) -> set[str]:
    """Read what git said, as the first line says what it was asked for."""
    kind, raw = headed(data, KINDS)
    return {"words": _words, "refs": _refs, "objects": _objects, "commit": _commit}[kind](raw)


def _words(raw: bytes) -> set[str]:
    reached = set()
    for ran in (Ran(1, raw, ""), Ran(1, b"", raw.decode("utf-8", "replace"))):
        words = ran.words
        assert words and "\n" not in words
        check_plain(words)
        # A letter that is not printed is told by its number.
        assert len(words) <= 10 * WORDS + 3
        error = trouble.failed("collect", words)
        check_plain(str(error), error.hint)
        trouble.unended("remote", SyncFailed("git fetch", words))
        reached |= {"way out"} if trouble.way_out(words) else {"words"}
        reached |= {"unreachable"} if trouble.is_unreachable(words) else set()
        reached |= {"long words"} if words.endswith("...") else set()
    return reached


def _refs(raw: bytes) -> set[str]:
    """A name is told whole or not at all: half of one could be the name of another host."""
    own = FakeOwn(FakeGit(raw))
    lines = {line.decode("utf-8", "replace") for line in raw.split(b"\n")}
    found = fetched.listed(own, Remote("/r"), "refs/st2/presence/*")  # type: ignore[arg-type]
    assert isinstance(found, dict)
    assert all(f"{oid}\t{name}" in lines for name, oid in found.items() if name)
    known = fetched._tips(own)  # type: ignore[arg-type]
    assert all(f"{oid} {name}" in lines for name, oid in known.items() if name)
    whole = {line.decode("utf-8", "surrogateescape") for line in raw.split(b"\n")}
    kept = upkeep._refs(own.git)  # type: ignore[arg-type]
    assert all(f"{oid} {name}" in whole for name, oid in kept.items() if name)
    upkeep._remove_trials(own.git, 1_800_000_000_000)  # type: ignore[arg-type]
    return {"refs"} if any(map(host_of, (*found, *known))) else {"no refs"}


def _objects(raw: bytes) -> set[str]:
    """What ``cat-file`` answers about three tips, two of which are one."""
    asked = {"h1": "a" * 40, "h2": "b" * 40, "h3": "a" * 40}
    try:
        found = {
            **dict(tips.commits(FakeGit(raw), asked)),  # type: ignore[arg-type]
            **dict(tips.snapshots(FakeGit(raw), asked)),  # type: ignore[arg-type]
        }
    except SyncFailed as error:
        check_plain(str(error))
        return {"no objects"}
    for each in found.values():
        assert isinstance(each, bytes | Refused)
        check_escaped(each.why if isinstance(each, Refused) else None)
    return {"objects"}


def _commit(raw: bytes) -> set[str]:
    found = split(raw)
    if not isinstance(found, Signed):
        check_plain(found.why)
        return {"unsigned"}
    assert b"gpgsig" not in found.payload.partition(b"\n\n")[0].replace(b" gpgsig", b"")
    assert found.fingerprint.startswith("SHA256:")
    check_plain(found.fingerprint)
    return {"signed"}
