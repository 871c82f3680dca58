"""What is asked of the remote: put our snapshot under our ref, bring everybody's tips, read them.

Two repositories of st2's own stand behind it, see :mod:`catalog.sync.own`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.layout import Layout
from catalog.names import is_host
from catalog.refusals import ForeignHost
from catalog.seen import Content
from catalog.snapshot import Refused
from catalog.sync import tips as reading
from catalog.sync.fetched import PEER, Fetched, fetch, listed, peer
from catalog.sync.left_out import LeftOut
from catalog.sync.own import Own, repository
from catalog.sync.remote import Remote
from catalog.sync.sending import commit, far, has, send
from catalog.sync.shape import PREFIXES, REFS, Shape, host_of
from catalog.sync.trouble import failed
from catalog.sync_errors import SyncFailed
from catalog.system.files import Files
from catalog.system.git import LIMIT_S, Ran

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
    def swept(self) -> bool:
        """Whether upkeep may have emptied, and taken away, a folder that the objects moved to.

        git looks for that folder once, and a moment later it is gone. Of a full disk it says the
        same.
        """
        return not self.accepted and "unable to migrate objects" in self.words

    @property
    def broken(self) -> str | None:
        """The host whose ref at the remote points nowhere, where that is why it took nothing."""
        _, found, rest = self.words.partition("bad object ")
        host = host_of(rest.partition(";")[0].strip()) or ""
        return host if found and not self.accepted and is_host(host) else None


class Exchange:
    """One remote, as this host uses it. Its user holds the publisher's lock.

    *aside* are repositories for a command that goes beside the publisher, about another host.
    ``sign`` is the absolute path of the ssh key by which every commit is signed, None for none.
    ``shape`` is how this remote takes presence, ``ssh`` how git calls ssh, ``trial`` a repository
    for trying out which shape it takes.
    """

    __slots__ = (
        *("_chain", "_files", "_layout", "_left_out", "_publish", "_read"),
        *("host", "remote", "shape", "sign", "trial"),
    )

    def __init__(
        self,
        files: Files,
        layout: Layout,
        machine: str,
        remote: Remote,
        *,
        sign: str | None = None,
        shape: Shape = REFS,
        ssh: str | None = None,
        limit_s: float = LIMIT_S,
        aside: bool = False,
    ) -> None:
        self.host = layout.host
        self.remote = remote
        self.sign = sign
        self._files, self._layout = files, layout
        self._left_out = LeftOut()
        self.shape = shape
        base = repository(layout, machine) + ("/aside" if aside else "")
        self._publish, self._read, self._chain, self.trial = (
            Own(files, layout, f"{base}/{name}", limit_s=limit_s, ssh=ssh)
            for name in ("publish", "read", "chain", "trial")
        )

    @property
    def ref(self) -> str:
        """The one ref that this host publishes to."""
        return self.shape.ref(self.host)

    def push(self, raw: bytes, *, at_ms: int, lease: str | None, ref: str | None = None) -> Pushed:
        """Offer *raw* under our ref: one blob, one tree, one commit, without a parent.

        *ref* is the one of another host, for the word that it is forgotten.
        Where the remote does not let a ref be replaced, the commit is a child of what is there.
        *lease* is the object that our ref has to hold ("" for no ref yet, None for any).
        Each publish starts with an empty object folder, so that pushes stay fast for ever.
        """
        ref = ref or self.ref
        if not self.shape.replaces:
            return self._push_child(raw, at_ms, lease, ref)
        self._publish.git.drop_objects()
        self._publish.make()
        oid = self._commit(self._publish, raw, at_ms)
        guard = "--force" if lease is None else f"--force-with-lease={ref}:{lease}"
        ran = send(self._publish, self.remote, guard, f"{oid}:{ref}")
        return Pushed(oid, ran.code == 0, ran.words)

    def _push_child(self, raw: bytes, at_ms: int, lease: str | None, ref: str) -> Pushed:
        """Offer *raw* as a child of what *ref* holds; its objects are kept for the next one."""
        own = self._chain
        if own.git.is_grown():
            own.git.drop()
        own.make()
        parent = self._parent(own, ref) if lease is None else lease
        if parent and not has(own, parent):
            ran = own.git.run(
                *("fetch", "-q", "--depth=1", "--no-tags", "--no-write-fetch-head"),
                *far(self.remote, "upload-pack"),
                *("--end-of-options", PEER, f"+{ref}:refs/up"),
                settings=peer(self.remote),
            )
            if ran.code or not has(own, parent):
                return Pushed(parent, False, ran.words if ran.code else "stale info")
        oid = self._commit(own, raw, at_ms, parent)
        ran = send(own, self.remote, f"--force-with-lease={ref}:{parent}", f"{oid}:{ref}")
        return Pushed(oid, ran.code == 0, ran.words)

    def _parent(self, own: Own, ref: str) -> str:
        found = listed(own, self.remote, ref)
        if isinstance(found, Ran):
            raise failed(f"publish to {self.remote.shown}", found.words)
        return found.get(ref, "")

    def delete(self, host: str, *, force: bool = False) -> tuple[str, ...]:
        """Delete every presence ref of *host* at the remote and return them; absence is fine.

        Each goes with a lease on what it held a moment ago. Raises ForeignHost for another
        host's without *force*, SyncFailed where the remote does not do it.
        """
        if host != self.host and not force:
            sentence = f"another host's ref, wanted {self.host}'s own"
            raise ForeignHost(host, sentence, "--force deletes it all the same")
        return self._delete([f"{prefix}{host}" for prefix in PREFIXES], f"forget {host}")

    def retire(self) -> None:
        """Delete what this host published in another place of the remote, where that is allowed."""
        try:
            other = [prefix + self.host for prefix in PREFIXES if prefix != self.shape.prefix]
            self._delete(other, "publish")
        except SyncFailed:
            return

    def _delete(self, wanted: list[str], act: str) -> tuple[str, ...]:
        subject = f"{act} at {self.remote.shown}"
        found = listed(self._read, self.remote, *wanted)
        if isinstance(found, Ran):
            raise failed(subject, found.words)
        refs = tuple(ref for ref in wanted if ref in found)
        self._publish.make()
        for ref in refs:
            ran = send(
                self._publish, self.remote, f"--force-with-lease={ref}:{found[ref]}", f":{ref}"
            )
            if ran.code:
                raise failed(subject, ran.words)
        return refs

    def fetch(self) -> Fetched:
        """Bring every host's tip here, and name those that could not be had.

        Raises SyncFailed where the remote does not answer.
        """
        return fetch(
            self._read,
            self.remote,
            replaces=self.shape.replaces,
            left_out=self._left_out,
            first=self._heard,
        )

    def _heard(self) -> set[str]:
        """Return this host, and those of which a beat lies here."""
        found = self._files.scan(self._layout.hosts())
        names = [name for name, _ in found if is_host(name)] if isinstance(found, list) else []
        beats = {name: self._files.read(self._layout.host_beat(name)) for name in names}
        return {self.host, *(name for name in names if isinstance(beats[name], Content))}

    def snapshots(self, tips: dict[str, str]) -> Iterator[tuple[str, bytes | Refused]]:
        """Yield the snapshots of tips that :meth:`fetch` returned, by the same keys."""
        return reading.snapshots(self._read.git, tips)

    def commits(self, tips: dict[str, str]) -> Iterator[tuple[str, bytes | Refused]]:
        """Yield the commits themselves, for whoever checks their signatures, by the same keys."""
        return reading.commits(self._read.git, tips)

    def _commit(self, own: Own, raw: bytes, at_ms: int, parent: str = "") -> str:
        return commit(own, self.host, raw, at_ms=at_ms, parent=parent, sign=self.sign)
