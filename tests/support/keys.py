"""ssh keys for signing, the list of who may sign, and commits that were tampered with."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.fleet import Fleet, Member, raw_git


@dataclass
class Keys:
    """Keys by name, made when they are first asked for."""

    folder: Path

    def __post_init__(self) -> None:
        if shutil.which("ssh-keygen") is None:
            if os.environ.get("CI"):
                pytest.fail("no ssh-keygen here, wanted openssh-client")
            pytest.skip("no ssh-keygen here")
        self.folder.mkdir(exist_ok=True)

    def path(self, name: str, passphrase: str = "") -> Path:
        """The private half; the public one lies beside it."""
        path = self.folder / name
        if not path.exists():
            made = ("ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", str(path))
            subprocess.run(made, check=True)
        return path

    def public(self, name: str) -> str:
        """The kind and the base64 of the public half."""
        self.path(name)
        return " ".join((self.folder / f"{name}.pub").read_text().split()[:2])

    def fingerprint(self, name: str) -> str:
        """How ssh prints the key."""
        asked = ("ssh-keygen", "-l", "-f", str(self.path(name)))
        return subprocess.run(asked, capture_output=True, check=True).stdout.decode().split()[1]

    def line(self, host: str, name: str, options: str = "") -> str:
        """A line of the list."""
        return (
            f"{host} {options} {self.public(name)}\n"
            if options
            else (f"{host} {self.public(name)}\n")
        )


def demand(member: Member, policy: str, listed: str | None) -> None:
    """Let a member's catalog ask for signatures of the keys in *listed*."""
    (member.root / "catalog.kdl").write_text(f'signing "{policy}"\n')
    path = member.root / "hosts.allowed_signers"
    path.unlink(missing_ok=True)
    if listed is not None:
        path.write_text(listed)


def signing(member: Member, key: Path | None) -> Member:
    """The same member, which signs by *key* from now on."""
    member.site.exchange.sign = None if key is None else str(key)
    return member


def commit_of(fleet: Fleet, host: str) -> bytes:
    """The commit under a host's ref, as it lies at the remote."""
    return raw_git(f"--git-dir={fleet.remote}", "cat-file", "commit", fleet.tip(host))


def point_to(fleet: Fleet, host: str, commit: bytes) -> None:
    """Put a commit of any bytes under a host's ref, as whoever holds the remote could."""
    made = ("hash-object", "-t", "commit", "-w", "--stdin", "--literally")
    fleet.point(host, fleet.git(*made, stdin=commit))


def unsigned(commit: bytes) -> bytes:
    """A commit without its signature."""
    head, _, message = commit.partition(b"\n\n")
    start = head.index(b"\ngpgsig ")
    return head[:start] + b"\n\n" + message


def with_tree_of(fleet: Fleet, commit: bytes, raw: bytes) -> bytes:
    """A commit whose snapshot is *raw*, all else as it was."""
    blob = fleet.git("hash-object", "-w", "--stdin", stdin=raw)
    tree = fleet.git("mktree", stdin=f"100644 blob {blob}\tsnapshot\n".encode())
    return b"tree " + tree.encode() + commit[commit.index(b"\n") :]
