"""The remote twice: a dictionary, and a bare repository, with what can happen to either.

tests/contracts/test_exchange_contract.py holds the two to the same behaviour.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from catalog.layout import Layout
from catalog.snapshot import Refused
from catalog.sync import bare
from catalog.sync.exchange import Exchange, Pushed
from catalog.sync.fetched import Fetched
from catalog.sync.remote import Remote, check
from catalog.sync.shape import REF_PREFIX, REFS, Shape, host_of
from catalog.sync_errors import SyncFailed
from catalog.system.files import Files
from support.fleet import git, raw_git

BROKEN = ("empty", "nowhere")
"""How a ref can be broken."""


class Port(Protocol):
    """What publish and collect ask of a remote."""

    host: str
    remote: Remote
    shape: Shape

    @property
    def ref(self) -> str: ...

    def push(
        self, raw: bytes, *, at_ms: int, lease: str | None, ref: str | None = None
    ) -> Pushed: ...

    def delete(self, host: str, *, force: bool = False) -> tuple[str, ...]: ...

    def fetch(self) -> Fetched: ...

    def snapshots(self, tips: dict[str, str]) -> Iterator[tuple[str, bytes | Refused]]: ...


class FarEnd(Protocol):
    """The remote as whoever can write it sees it; every method is harmless when repeated."""

    def port(self, files: Files, layout: Layout, machine: str) -> Port:
        """How one host reaches it."""

    def peek(self, host: str) -> bytes | None:
        """What a host's ref carries; None where there is none, or it is broken."""

    def force(self, host: str, raw: bytes) -> None:
        """Let a host's ref carry *raw*, as anybody with the right to push can.

        What was there before comes back as the very same object.
        """

    def damage(self, host: str, kind: str) -> None:
        """Break a host's ref."""

    def delete(self, host: str) -> None:
        """Remove a host's ref, broken or not."""

    def backup(self) -> None:
        """Keep a copy of all refs as they are."""

    def restore(self) -> None:
        """Go back to that copy, if there is one."""

    def gone(self, gone: bool) -> None:
        """Be there, or not."""


class MemoryRemote:
    """Refs in a dictionary; a broken one carries None."""

    def __init__(self, folder: Path) -> None:
        self.remote = check(str(folder / "remote"), base="/")
        self.refs: dict[str, tuple[str, bytes | None]] = {}
        self.copy: dict[str, tuple[str, bytes | None]] | None = None
        self.seen: dict[bytes, str] = {}
        self.away = False

    def port(self, files: Files, layout: Layout, machine: str) -> Port:
        """As :class:`FarEnd` has it."""
        return MemoryExchange(self, layout.host)

    def peek(self, host: str) -> bytes | None:
        """As :class:`FarEnd` has it."""
        return self.refs.get(host, ("", None))[1]

    def force(self, host: str, raw: bytes) -> None:
        """As :class:`FarEnd` has it."""
        self.refs[host] = (self.seen.get(raw) or _oid(raw, "forged"), raw)

    def damage(self, host: str, kind: str) -> None:
        """As :class:`FarEnd` has it."""
        self.refs[host] = (kind, None)

    def delete(self, host: str) -> None:
        """As :class:`FarEnd` has it."""
        self.refs.pop(host, None)

    def backup(self) -> None:
        """As :class:`FarEnd` has it."""
        self.copy = dict(self.refs)

    def restore(self) -> None:
        """As :class:`FarEnd` has it."""
        if self.copy is not None:
            self.refs = dict(self.copy)

    def gone(self, gone: bool) -> None:
        """As :class:`FarEnd` has it."""
        self.away = gone


class MemoryExchange:
    """One host's way to a :class:`MemoryRemote`, as :class:`Exchange` is to a repository."""

    def __init__(self, far: MemoryRemote, host: str) -> None:
        self.far = far
        self.host = host
        self.remote = far.remote
        self.shape = REFS

    @property
    def ref(self) -> str:
        """The ref of this host."""
        return self.shape.ref(self.host)

    def push(self, raw: bytes, *, at_ms: int, lease: str | None, ref: str | None = None) -> Pushed:
        """Take *raw* where the lease holds and no ref is broken: git checks all of them."""
        oid = _oid(raw, str(at_ms // 1000))
        if self.far.away:
            return Pushed(oid, False, "fatal: does not appear to be a git repository")
        broken = [host for host, (_, held) in self.far.refs.items() if held is None]
        if broken:
            return Pushed(oid, False, f"fatal: bad object {REF_PREFIX}{broken[0]}")
        host = host_of(ref or self.ref) or ""
        if lease is not None and lease != self.far.refs.get(host, ("", b""))[0]:
            return Pushed(oid, False, "stale info")
        self.far.refs[host] = (oid, raw)
        self.far.seen[raw] = oid
        return Pushed(oid, True, "")

    def fetch(self) -> Fetched:
        """Every host's tip; a broken one is named."""
        if self.far.away:
            raise SyncFailed(f"collect from {self.remote.shown}", "git says: not a repository")
        sound = {host: oid for host, (oid, raw) in self.far.refs.items() if raw is not None}
        broken = dict.fromkeys(self.far.refs.keys() - sound.keys(), "its ref is broken")
        return Fetched(sound, broken, {self.shape.ref(host): oid for host, oid in sound.items()})

    def snapshots(self, tips: dict[str, str]) -> Iterator[tuple[str, bytes | Refused]]:
        """The bytes behind the tips."""
        for host in tips:
            yield host, self.far.refs[host][1] or b""

    def delete(self, host: str, *, force: bool = False) -> tuple[str, ...]:
        """Delete a host's ref."""
        if self.far.away:
            raise SyncFailed("forget", "git says: not a repository")
        return () if self.far.refs.pop(host, None) is None else (self.shape.ref(host),)

    def lock_left(self) -> str | None:
        """No lock is ever left in a dictionary."""


class GitRemote:
    """A bare repository."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "remote.git"
        self.copy = folder / "copy.git"
        bare.prepare(check(str(self.path), base="/"))

    def port(self, files: Files, layout: Layout, machine: str) -> Port:
        """As :class:`FarEnd` has it."""
        return Exchange(files, layout, machine, check(str(self.path), base="/"))

    def peek(self, host: str) -> bytes | None:
        """As :class:`FarEnd` has it."""
        try:
            name = f"{REF_PREFIX}{host}:snapshot"
            return raw_git(f"--git-dir={self.path}", "cat-file", "blob", name)
        except subprocess.CalledProcessError:
            return None

    def force(self, host: str, raw: bytes) -> None:
        """As :class:`FarEnd` has it."""
        self.delete(host)
        blob = self._git("hash-object", "-w", "--stdin", stdin=raw)
        tree = self._git("mktree", stdin=f"100644 blob {blob}\tsnapshot\n".encode())
        commit = self._commit_of(tree) or self._git("commit-tree", "-m", "x", tree)
        self._git("update-ref", REF_PREFIX + host, commit)

    def damage(self, host: str, kind: str) -> None:
        """As :class:`FarEnd` has it."""
        place = self.path / (REF_PREFIX + host)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("" if kind == "empty" else "1" * 40 + "\n")

    def delete(self, host: str) -> None:
        """As :class:`FarEnd` has it."""
        (self.path / (REF_PREFIX + host)).unlink(missing_ok=True)
        packed = self.path / "packed-refs"
        if packed.exists():
            lines = packed.read_text().splitlines(keepends=True)
            packed.write_text("".join(x for x in lines if not x.endswith(f" {REF_PREFIX}{host}\n")))

    def backup(self) -> None:
        """As :class:`FarEnd` has it."""
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(self.path, self.copy)

    def restore(self) -> None:
        """As :class:`FarEnd` has it."""
        if self.copy.exists():
            shutil.rmtree(self.path)
            shutil.copytree(self.copy, self.path)

    def gone(self, gone: bool) -> None:
        """As :class:`FarEnd` has it."""
        away = self.path.with_name("away")
        if gone and self.path.exists():
            self.path.rename(away)
        elif not gone and away.exists():
            away.rename(self.path)

    def _commit_of(self, tree: str) -> str | None:
        """Return the commit that had *tree*: nothing is ever pruned here."""
        form = "--batch-check=%(objecttype) %(objectname)"
        for line in self._git("cat-file", "--batch-all-objects", form).splitlines():
            kind, _, oid = line.partition(" ")
            if kind == "commit" and self._git("rev-parse", f"{oid}^{{tree}}") == tree:
                return oid
        return None

    def _git(self, *args: str, stdin: bytes = b"") -> str:
        return git(f"--git-dir={self.path}", *args, stdin=stdin)


def _oid(raw: bytes, salt: str) -> str:
    return hashlib.sha1(raw + salt.encode()).hexdigest()
