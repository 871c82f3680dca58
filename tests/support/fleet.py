"""Several hosts in one process, each with its own catalog, and the bare repository between them."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from catalog import node
from catalog.layout import Layout
from catalog.snapshot import Snapshot, decode
from catalog.sync import bare
from catalog.sync.exchange import Exchange, Pushed
from catalog.sync.fetched import Fetched
from catalog.sync.remote import Remote, check
from catalog.sync.round import Report, run
from catalog.sync.shape import REFS
from catalog.sync.site import Site
from conftest import Cli, Result
from support.mortal import MortalFiles

START_MS = 1_800_000_000_000
HEAD = "st2-presence 1\nhost {host}\nnode {node}\nseq {seq}\nbeat {beat}\n\n"


def git(*args: str | Path, stdin: bytes = b"") -> str:
    """Run a plain git, as somebody who is not st2 would."""
    return raw_git(*args, stdin=stdin).decode().strip()


def raw_git(*args: str | Path, stdin: bytes = b"") -> bytes:
    """Run a plain git for its bytes."""
    return subprocess.run(["git", *args], input=stdin, capture_output=True, check=True).stdout


def a_snapshot(
    host: str, *lines: bytes, node: str = "f" * 16, seq: int = 1, beat: int = START_MS
) -> bytes:
    """The bytes of a snapshot, sound unless its parts are not."""
    head = HEAD.format(host=host, node=node, seq=seq, beat=beat).encode()
    return head + b"".join(line + b"\n" for line in lines)


@dataclass
class Member:
    """One host: its site, and its catalog as a test looks at it."""

    site: Site
    root: Path

    def put(self, agent: str, record: str, raw: bytes, mtime_ms: int | None = None) -> None:
        """Write one of this host's own records."""
        path = self.site.layout.record(self.site.host, agent, record)
        self.site.files.replace(path, raw, mtime_ms=mtime_ms)

    def sync(self) -> Report:
        """Run one round."""
        return run(self.site)

    def own(self, name: str) -> Path:
        """One of the two repositories of its own: ``read`` or ``publish``."""
        [found] = (self.root / self.site.layout.repository()).glob(f"*/{name}")
        return found

    def read(self, path: str) -> bytes | None:
        """The bytes of a file of the catalog, None where there is none."""
        return (self.root / path).read_bytes() if (self.root / path).exists() else None

    def records(self) -> dict[str, bytes]:
        """Every replicated file of the catalog by its path."""
        found = [p for top in ("agents", "hosts") for p in (self.root / top).rglob("*")]
        return {str(p.relative_to(self.root)): p.read_bytes() for p in found if p.is_file()}


class SharedRefs:
    """The remote as a dictionary: pushes with a lease, tips and snapshots, as Exchange has them."""

    def __init__(self, refs: dict[str, tuple[str, bytes]], host: str, remote: Remote) -> None:
        self.refs = refs
        self.host = host
        self.remote = remote
        self.shape = REFS

    @property
    def ref(self) -> str:
        """The ref of this host."""
        return self.shape.ref(self.host)

    def push(self, raw: bytes, *, at_ms: int, lease: str | None) -> Pushed:
        """Take *raw* where the lease holds."""
        oid = hashlib.sha1(raw).hexdigest()
        if lease is not None and lease != self.refs.get(self.host, ("", b""))[0]:
            return Pushed(oid, False, "stale info")
        self.refs[self.host] = (oid, raw)
        return Pushed(oid, True, "")

    def fetch(self) -> Fetched:
        """Every host's tip."""
        tips = {host: oid for host, (oid, _) in self.refs.items()}
        return Fetched(tips, refs={self.shape.ref(host): oid for host, oid in tips.items()})

    def snapshots(self, tips: dict[str, str]) -> Iterator[tuple[str, bytes]]:
        """The bytes behind the tips."""
        yield from ((host, self.refs[host][1]) for host in tips)


@dataclass
class Fleet:
    """The hosts, their remote, and the one clock that they share."""

    folder: Path
    in_memory: bool = False
    refs: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    now_ms: int = START_MS
    pauses: list[float] = field(default_factory=list)
    on_pause: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        if not self.in_memory:
            bare.prepare(check(str(self.remote), base="/"))

    @property
    def remote(self) -> Path:
        """The bare repository."""
        return self.folder / "remote.git"

    def host(
        self,
        name: str,
        *,
        place: str = "",
        remote: str = "",
        verdict: str = "unknown",
        limit_s: float = 30.0,
        boot: str = "boot-1",
    ) -> Member:
        """A host with an empty catalog; *place* tells two clones of one name apart."""
        root = self.folder / (place or name)
        (root / "agents").mkdir(parents=True, exist_ok=True)
        files, layout = MortalFiles(str(root)), Layout(str(root), name)
        own = node.ensure(files, layout, machine=place or name)
        address = check(remote or str(self.remote), base="/")
        exchange: Any = Exchange(files, layout, place or name, address, limit_s=limit_s)
        if self.in_memory:
            exchange = SharedRefs(self.refs, name, address)
        site = Site(
            files=files,
            layout=layout,
            node=own,
            exchange=exchange,
            verdict_of=lambda claim: verdict,
            now_ms=self._tick,
            sleep=self._sleep,
            jitter=lambda: 0.5,
            boot=boot,
        )
        return Member(site, root)

    def forge(self, host: str, raw: bytes, *, mode: str = "100644", name: str = "snapshot") -> str:
        """Put *raw* under a host's ref as anybody with access to the remote could."""
        blob = self.git("hash-object", "-w", "--stdin", stdin=raw)
        tree = self.git("mktree", stdin=f"{mode} blob {blob}\t{name}\n".encode())
        return self.point(host, self.git("commit-tree", "-m", "forged", tree))

    def point(self, host: str, oid: str) -> str:
        """Let a host's ref hold any object."""
        self.git("update-ref", f"refs/st2/presence/{host}", oid)
        return oid

    def published(self, host: str) -> Snapshot:
        """What a host's ref says, read by a plain git."""
        ref = f"refs/st2/presence/{host}:snapshot"
        raw = raw_git(f"--git-dir={self.remote}", "cat-file", "blob", ref)
        found = decode(raw, host=host)
        assert isinstance(found, Snapshot), found
        return found

    def tip(self, host: str) -> str:
        """What a host's ref holds; empty where there is none."""
        return self.git("for-each-ref", "--format=%(objectname)", f"refs/st2/presence/{host}")

    def git(self, *args: str, stdin: bytes = b"") -> str:
        """Run a plain git in the remote."""
        return git(f"--git-dir={self.remote}", *args, stdin=stdin)

    def _tick(self) -> int:
        self.now_ms += 1
        return self.now_ms

    def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.on_pause()


def private_home(folder: Path) -> Path:
    """A HOME with a git identity and nothing else in it."""
    os.makedirs(folder, exist_ok=True)
    (folder / ".gitconfig").write_text("[user]\n\tname = T\n\temail = t@example.invalid\n")
    return folder


def put(one: Cli, agent: str, record: str, raw: bytes) -> None:
    """Write a record of a command's own host."""
    folder = one.catalog / "agents" / one.env["ST2_HOST"] / agent
    folder.mkdir(parents=True, exist_ok=True)
    (folder / record).write_bytes(raw)


def good(done: Result) -> Result:
    """The result of a command that has to succeed."""
    assert done.code == 0, done.errors
    return done
