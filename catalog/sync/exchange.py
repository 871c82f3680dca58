"""What is asked of the remote: put our snapshot under our ref, bring everybody's tips, read them.

Two repositories of st2's own stand behind it, see :mod:`catalog.sync.own`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.errors import SyncFailed
from catalog.layout import REF_PREFIX, Layout, presence_ref
from catalog.snapshot import Refused
from catalog.sync import tips as reading
from catalog.sync.own import Own, repository
from catalog.sync.remote import Remote
from catalog.system.files import Files
from catalog.system.git import LIMIT_S, Git, Ran, far_end

_RACES = ("fetch first", "stale info", "cannot lock ref", "failed to update ref")


@dataclass(frozen=True, slots=True)
class Pushed:
    """What the remote said to a push: the object offered, whether it took it, and its words."""

    oid: str
    accepted: bool
    words: str

    @property
    def lease_failed(self) -> bool:
        """Whether the ref is not where our lease says."""
        return not self.accepted and "stale info" in self.words

    @property
    def race(self) -> bool:
        """Whether the refusal has the shape of a race, so that another try may succeed."""
        return not self.accepted and any(shape in self.words for shape in _RACES)


class Exchange:
    """One remote, as this host uses it. Its user holds the publisher's lock."""

    __slots__ = ("_publish", "_read", "host", "remote")

    def __init__(
        self,
        files: Files,
        layout: Layout,
        machine: str,
        remote: Remote,
        *,
        limit_s: float = LIMIT_S,
    ) -> None:
        self.host = layout.host
        self.remote = remote
        base = repository(layout, machine)
        self._publish = Own(files, layout, f"{base}/publish", limit_s=limit_s)
        self._read = Own(files, layout, f"{base}/read", limit_s=limit_s)

    def push(self, raw: bytes, *, at_ms: int, lease: str | None) -> Pushed:
        """Offer *raw* as our snapshot: one blob, one tree, one commit without a parent.

        *lease* is the object that our ref has to hold ("" for no ref yet, None for any).
        Each publish starts with an empty object folder, so that pushes stay fast for ever.
        """
        git = self._publish.git
        git.drop_objects()
        self._publish.make()
        oid = self._commit(git, raw, at_ms)
        ref = presence_ref(self.host)
        guard = "--force" if lease is None else f"--force-with-lease={ref}:{lease}"
        far = self._far("receive-pack")
        ran = git.run(
            *("push", "--porcelain", "--no-verify", "--no-follow-tags", guard, *far),
            *("--end-of-options", self.remote.address, f"{oid}:{ref}"),
        )
        return Pushed(oid, ran.code == 0, ran.words)

    def fetch(self) -> dict[str, str]:
        """Bring every host's tip here; return them by what follows the prefix of their refs.

        The repository behind it is a cache: where it has grown, or a killed fetch left a lock
        in it, it is made anew. Raises SyncFailed, having changed nothing that matters.
        """
        git = self._read.git
        if git.is_grown():
            git.drop()
        ran = self._fetch(git)
        if ran.code and "lock" in ran.err:
            git.drop()
            ran = self._fetch(git)
        if ran.code:
            raise SyncFailed(f"collect from {self.remote.shown}", f"git says: {ran.words}")
        listed = git.run("for-each-ref", "--format=%(objectname) %(refname)", REF_PREFIX)
        lines = listed.out.decode("utf-8", "replace").splitlines()
        parts = (line.partition(" ") for line in lines)
        return {name.removeprefix(REF_PREFIX): oid for oid, _, name in parts}

    def snapshots(self, tips: dict[str, str]) -> Iterator[tuple[str, bytes | Refused]]:
        """Yield the snapshots of tips that :meth:`fetch` returned, by the same keys."""
        return reading.snapshots(self._read.git, tips)

    def _commit(self, git: Git, raw: bytes, at_ms: int) -> str:
        who, when = {"NAME": "st2", "EMAIL": "st2@localhost"}, f"@{at_ms // 1000} +0000"
        env = {f"GIT_{by}_{key}": who[key] for by in ("AUTHOR", "COMMITTER") for key in who}
        env |= {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        blob = _oid(git.run("hash-object", "-w", "--no-filters", "--stdin", stdin=raw))
        tree = _oid(git.run("mktree", stdin=f"100644 blob {blob}\tsnapshot\n".encode()))
        message = f"presence {self.host}"
        return _oid(git.run("commit-tree", "-m", message, "--end-of-options", tree, env=env))

    def _fetch(self, git: Git) -> Ran:
        self._read.make()
        quiet = ("--no-tags", "--no-auto-gc", "--no-write-fetch-head", "--no-recurse-submodules")
        every = f"+{REF_PREFIX}*:{REF_PREFIX}*"
        return git.run(
            *("fetch", "-q", "--prune", *quiet, *self._far("upload-pack")),
            *("--end-of-options", self.remote.address, every),
        )

    def _far(self, program: str) -> list[str]:
        """Say how the far end is run where it runs as us, in a repository of somebody else's."""
        return [] if self.remote.path is None else [f"--{program}={far_end(program)}"]


def _oid(ran: Ran) -> str:
    oid = ran.out.decode("ascii", "replace").strip()
    if ran.code or not oid:
        raise SyncFailed("publish", f"git made no object: {ran.words}")
    return oid
