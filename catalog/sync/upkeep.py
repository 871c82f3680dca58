"""Upkeep of a bare repository that takes pushes: what its keeper runs every hour.

Each publish replaces a commit, so all but the newest objects are garbage. git's own upkeep is
made for histories: it keeps garbage for two weeks, then stops altogether. This keeps it for an
hour, which is the grace that a push under way needs: without any, a repository was destroyed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from catalog.snapshot import SNAPSHOT_BYTES
from catalog.sync.shape import PREFIXES, TRIALS
from catalog.sync_errors import SyncFailed
from catalog.system import keeping, making
from catalog.system.files import Files
from catalog.system.git import Git, Ran
from catalog.system.lock_files import Lock, left_locks
from catalog.system.program import number

GRACE_MS = 3_600_000
"""How old garbage has to be, and a lock before its age is told."""

_GRACE = "1.hour.ago"
_LIMIT_S = 1_800.0
_LOCK, _MARK = "st2-upkeep", "st2-upkeep-runs"
_OF_UPKEEP = ("packed-refs.lock", "gc.pid")
_SETTINGS = ("gc.packRefs=false", "gc.writeCommitGraph=false")
_TOGETHER, _APART = "gc.cruftPacks=true", "gc.cruftPacks=false"
"""Garbage that is younger lies in one pack and not in a file an object (git 2.37 and later).

Neither is left to git: what it does unasked is the first from 2.41 on.
"""

_ENVIRONMENT = {"GIT_ALLOW_PROTOCOL": "none"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkept:
    """What upkeep did: sizes on the disk, the refs that are there, those that were removed.

    ``locks`` are lock files older than an hour that it left alone, ``failed`` what git said
    where a step did not work: the others were taken all the same.
    """

    before_bytes: int
    after_bytes: int
    refs: int
    removed: tuple[tuple[str, str], ...]
    locks: tuple[Lock, ...]
    failed: tuple[str, ...]


class _Keeper(Git):
    """git in a repository that has a configuration: it asks no other repository for an object."""

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        settings: tuple[str, ...] = (),
    ) -> Ran:
        """Run git here; see :meth:`Git.run`."""
        return super().run(
            *args, stdin=stdin, env={**_ENVIRONMENT, **(env or {})}, settings=settings
        )


def upkeep(path: str, *, now_ms: int) -> Upkept:
    """Keep the bare repository at *path*, as the only one who does. Safe beside live pushes.

    Raises SyncFailed where it is no bare repository of our own, LockBusy where upkeep runs.
    """
    subject = f"repository {path}"
    if not keeping.is_bare(path):
        raise SyncFailed(subject, "is no bare repository, wanted one")
    if not keeping.is_ours(path):
        sentence = f"belongs to uid {keeping.owner_of(path)}, wanted one of our own"
        hint = "run it as that user: files of another one would stand in the way of its pushes"
        raise SyncFailed(subject, sentence, hint)
    git = _Keeper(path, limit_s=_LIMIT_S)
    if git.run("config", "--get-regexp", "^gc\\.recentobjectshook$").code == 0:
        raise SyncFailed(subject, "its gc.recentObjectsHook is a program, wanted none of it")
    with Files(path).lock(_LOCK, wait_ms=0):
        before = keeping.disk_bytes(path)
        making.drop(path)
        removed = _remove_broken(git, path) + _remove_trials(git, now_ms)
        failed = _packed(git, path, now_ms)
        return Upkept(
            before_bytes=before,
            after_bytes=keeping.disk_bytes(path),
            refs=len(_refs(git)),
            removed=tuple(removed),
            locks=tuple(lock for lock in left_locks(path) if now_ms - lock.mtime_ms >= GRACE_MS),
            failed=tuple(failed),
        )


def _packed(git: Git, path: str, now_ms: int) -> list[str]:
    """Pack the refs and the objects; return what git said where it did not.

    A lock that stands in the way is left alone, but for one that upkeep itself left when it was
    killed: its mark says that it never ended, and nobody else holds those two for an hour.
    """
    began_ms = keeping.begin(path, _MARK)
    if began_ms is not None:
        _take_away(path, began_ms, now_ms)
    refs = git.run("pack-refs", "--all")
    gc = ("gc", "-q", f"--prune={_GRACE}")
    objects = git.run(*gc, settings=(*_SETTINGS, _TOGETHER))
    if objects.code:
        # One garbage object that is torn cannot be packed; in files it is no hindrance.
        objects = git.run(*gc, settings=(*_SETTINGS, _APART))
    failed = [
        f"git {name}: {ran.words}"
        for name, ran in (("pack-refs", refs), ("gc", objects))
        if ran.code
    ]
    if not failed:
        keeping.remove(f"{path}/{_MARK}")
    return failed


def _take_away(path: str, began_ms: int, now_ms: int) -> None:
    """Remove the locks that an upkeep left which began at *began_ms* and never ended."""
    for name in _OF_UPKEEP:
        made_ms = keeping.made_ms(f"{path}/{name}")
        if made_ms is not None and began_ms - 1_000 <= made_ms <= now_ms - GRACE_MS:
            keeping.remove(f"{path}/{name}")


def _remove_broken(git: Git, path: str) -> list[tuple[str, str]]:
    """Remove every presence ref that no reader can read; return each with the reason.

    Below a broken file an older value of the ref may be packed, so it is looked at twice.
    """
    removed = []
    for prefix in PREFIXES:
        for ref in keeping.loose_refs(path, prefix):
            # Before git looks at it: a pipe in a ref's place would make it wait for ever.
            if keeping.remove_torn_ref(path, ref):
                removed.append((ref, "its file is torn: no object's name is in it"))
    for _ in range(2):
        refs = _refs(git)
        for ref, why in _broken(git, refs).items():
            gone = ("update-ref", "--no-deref", "-d", "--end-of-options", ref, refs[ref])
            if git.run(*gone).code == 0:
                removed.append((ref, why))
    return removed


def _remove_trials(git: Git, now_ms: int) -> list[tuple[str, str]]:
    """Remove the refs of trials that were cut short, an hour after they were made."""
    form = "--format=%(committerdate:unix) %(objectname) %(refname)"
    ran = git.run("for-each-ref", form, *TRIALS)
    removed = []
    for line in ran.lines():
        made_s, oid, ref = [*line.split(" ", 2), "", ""][:3]
        made = number(made_s)
        if made is None or made * 1_000 > now_ms - GRACE_MS:
            continue
        if git.run("update-ref", "--no-deref", "-d", "--end-of-options", ref, oid).code == 0:
            removed.append((ref, "a trial that was cut short"))
    return removed


def _refs(git: Git) -> dict[str, str]:
    """Return every presence ref that git can read, with its object; there or not."""
    form = "--format=%(objectname) %(refname)"
    ran = git.run("for-each-ref", form, *PREFIXES)
    return {ref: oid for oid, _, ref in (line.partition(" ") for line in ran.lines())}


def _broken(git: Git, refs: dict[str, str]) -> dict[str, str]:
    """Return those refs that no reader can read, and why.

    All that a ref holds has to be there, whatever it is: a newer st2 may keep more in it. What
    it says is a reader's to judge.
    """
    if not refs:
        return {}
    found = {}
    if _walked(git, *refs.values()).code:
        walked = {ref: _walked(git, oid) for ref, oid in refs.items()}
        found = {ref: ran.words for ref, ran in walked.items() if ran.code}
    rest = {ref: oid for ref, oid in refs.items() if ref not in found}
    asked = "".join(f"{oid}:snapshot\n" for oid in rest.values()).encode()
    told = git.run("cat-file", "--batch-check", stdin=asked)
    for ref, line in zip(rest, told.lines(), strict=False):
        oid, _, size_text = line.replace(" blob ", "\t").partition("\t")
        size = number(size_text)
        if size is not None and size <= SNAPSHOT_BYTES:
            ran = git.run("cat-file", "blob", "--end-of-options", oid)
            if ran.code:
                found[ref] = ran.words
    return found


def _walked(git: Git, *oids: str) -> Ran:
    """Walk over everything that *oids* hold: git fails where something is not there."""
    asked = "".join(f"{oid}\n" for oid in oids).encode()
    return git.run("rev-list", "--objects", "--quiet", "--stdin", stdin=asked)
