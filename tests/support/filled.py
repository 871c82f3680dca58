"""A remote that somebody fills, whatever he can push into it; and what that costs a reader."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from catalog.snapshot import SNAPSHOT_BYTES
from catalog.sync.shape import REF_PREFIX
from support.fleet import START_MS, a_snapshot, git

HEAD = "# pack-refs with: peeled fully-peeled sorted \n"
NOWHERE = "1" * 40
LINE = rb"a1/status" + b"\tbusy\\nv1 5\\n"


class Filled:
    """A bare repository; whatever is put into it goes there as one who may write its files does."""

    def __init__(self, remote: Path) -> None:
        self.remote = remote
        self._huge = ""

    def sound(self, hosts: Iterable[str], *lines: bytes, seq: int, beat: int = START_MS) -> None:
        """Let each of *hosts* have published *lines*, at one go."""
        said = b""
        for host in hosts:
            raw = a_snapshot(host, *(lines or (LINE,)), seq=seq, beat=beat)
            said += b"commit %s%s\n" % (REF_PREFIX.encode(), host.encode())
            said += b"committer a <a@a> %d +0000\ndata 1\nx\ndeleteall\n" % seq
            said += b"M 100644 inline snapshot\ndata %d\n%s\n" % (len(raw), raw)
        # Without --force a ref that is replaced by no child of it stays as it was.
        git(f"--git-dir={self.remote}", "fast-import", "--quiet", "--force", stdin=said)

    def point(self, hosts: Iterable[str], oid: str) -> None:
        """Let the refs of *hosts* hold *oid*, be it there or not."""
        refs = self.refs() | dict.fromkeys((REF_PREFIX + host for host in hosts), oid)
        self._write(refs)

    def drop(self, hosts: Iterable[str]) -> None:
        """Take refs away."""
        gone = {REF_PREFIX + host for host in hosts}
        self._write({ref: oid for ref, oid in self.refs().items() if ref not in gone})

    def huge(self) -> str:
        """A commit whose snapshot is larger than one may be."""
        if not self._huge:
            tool = f"--git-dir={self.remote}"
            blob = git(tool, "hash-object", "-w", "--stdin", stdin=bytes(SNAPSHOT_BYTES + 1))
            tree = git(tool, "mktree", stdin=f"100644 blob {blob}\tsnapshot\n".encode())
            self._huge = git(tool, "commit-tree", "-m", "x", tree)
        return self._huge

    def refs(self) -> dict[str, str]:
        """Every presence ref, broken or not."""
        found = {}
        packed = self.remote / "packed-refs"
        for line in packed.read_text().splitlines() if packed.exists() else ():
            oid, _, ref = line.partition(" ")
            if ref.startswith(REF_PREFIX):
                found[ref] = oid
        for path in (self.remote / REF_PREFIX).glob("*"):
            found[REF_PREFIX + path.name] = path.read_text().strip()
        return found

    def _write(self, refs: dict[str, str]) -> None:
        beside = self.remote / "packed-refs.new"
        beside.write_text(HEAD + "".join(f"{refs[ref]} {ref}\n" for ref in sorted(refs)))
        beside.rename(self.remote / "packed-refs")
        for path in (self.remote / REF_PREFIX).glob("*"):
            path.unlink()


@dataclass(frozen=True)
class Cost:
    """What a reader takes at one moment."""

    memory_kb: int
    files: int
    children: int
    local_bytes: int
    local_files: int


def cost(pid: int, local: Path) -> Cost:
    """Measure a process and the folder that it keeps its own state in. Linux alone."""
    status = Path(f"/proc/{pid}/status").read_text()
    [peak] = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    children = sum(
        len(Path(f"/proc/{pid}/task/{task}/children").read_text().split())
        for task in os.listdir(f"/proc/{pid}/task")
    )
    sizes = []
    for folder, _, names in os.walk(local):
        for name in names:
            try:
                sizes.append(Path(folder, name).lstat().st_size)
            except FileNotFoundError:
                continue
    files = len(os.listdir(f"/proc/{pid}/fd"))
    return Cost(int(peak), files, children, sum(sizes), len(sizes))
