"""What is asked of the remote: put our snapshot under our ref, bring everybody's tips, read them.

Two repositories of st2's own stand behind it, see :mod:`catalog.sync.own`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.errors import SyncFailed
from catalog.layout import REF_PREFIX, Layout, presence_ref
from catalog.names import is_host
from catalog.snapshot import Refused
from catalog.sync import tips as reading
from catalog.sync.fetched import Fetched, fetch
from catalog.sync.own import Own, repository
from catalog.sync.remote import Remote
from catalog.sync.signing import KEY_HINT, signed_by
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

    @property
    def broken(self) -> str | None:
        """The host whose ref at the remote points nowhere, where that is why it took nothing."""
        _, found, rest = self.words.partition(f"bad object {REF_PREFIX}")
        host = rest.partition(";")[0].strip()
        return host if found and not self.accepted and is_host(host) else None


class Exchange:
    """One remote, as this host uses it. Its user holds the publisher's lock.

    ``sign`` is the absolute path of the ssh key by which every commit is signed, None for none.
    """

    __slots__ = ("_publish", "_read", "host", "remote", "sign")

    def __init__(
        self,
        files: Files,
        layout: Layout,
        machine: str,
        remote: Remote,
        *,
        sign: str | None = None,
        limit_s: float = LIMIT_S,
    ) -> None:
        self.host = layout.host
        self.remote = remote
        self.sign = sign
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
        far = [] if self.remote.path is None else [f"--receive-pack={far_end('receive-pack')}"]
        ran = git.run(
            *("push", "--porcelain", "--no-verify", "--no-follow-tags", guard, *far),
            *("--end-of-options", self.remote.address, f"{oid}:{ref}"),
        )
        return Pushed(oid, ran.code == 0, ran.words)

    def fetch(self) -> Fetched:
        """Bring every host's tip here, and name those that could not be had.

        Raises SyncFailed where the remote does not answer.
        """
        return fetch(self._read, self.remote)

    def snapshots(self, tips: dict[str, str]) -> Iterator[tuple[str, bytes | Refused]]:
        """Yield the snapshots of tips that :meth:`fetch` returned, by the same keys."""
        return reading.snapshots(self._read.git, tips)

    def commits(self, tips: dict[str, str]) -> Iterator[tuple[str, bytes | Refused]]:
        """Yield the commits themselves, for whoever checks their signatures, by the same keys."""
        return reading.commits(self._read.git, tips)

    def _commit(self, git: Git, raw: bytes, at_ms: int) -> str:
        who, when = {"NAME": "st2", "EMAIL": "st2@localhost"}, f"@{at_ms // 1000} +0000"
        env = {f"GIT_{by}_{key}": who[key] for by in ("AUTHOR", "COMMITTER") for key in who}
        env |= {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        blob = _oid(git.run("hash-object", "-w", "--no-filters", "--stdin", stdin=raw))
        tree = _oid(git.run("mktree", stdin=f"100644 blob {blob}\tsnapshot\n".encode()))
        message = ("-m", f"presence {self.host}", "--end-of-options", tree)
        if self.sign is None:
            return _oid(git.run("commit-tree", *message, env=env))
        ran = git.run("commit-tree", "-S", *message, env=env, settings=signed_by(self.sign))
        if ran.code:
            sentence = f"cannot be used to sign: {ran.words}"
            raise SyncFailed(f"key {self.sign}", sentence, KEY_HINT)
        return _oid(ran)


def _oid(ran: Ran) -> str:
    oid = ran.out.decode("ascii", "replace").strip()
    if ran.code or not oid:
        raise SyncFailed("publish", f"git made no object: {ran.words}")
    return oid
