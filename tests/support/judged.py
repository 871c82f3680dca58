"""A host's site whose keyring and remote are the test's own, and commits that name a key."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from catalog import heard
from catalog.heard import Heard
from catalog.layout import Layout
from catalog.seen import Found, Unreadable
from catalog.snapshot import Refused
from catalog.sync.keys import fingerprint_of
from catalog.sync.signers import Signers, parse
from catalog.sync.site import Site
from catalog.sync.trust import Trust
from support.memory import MemoryFiles

KEY = "AAAAC3NzaC1lZDI1NTE5AAAAINq8nRBkfjcQ7EI1EGh1YGRDe4wkc65PMyslYFmbClvV"
OTHER = "AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
PRINT, OTHER_PRINT = (fingerprint_of(base64.b64decode(key)) for key in (KEY, OTHER))
LISTED = f"h1 ssh-ed25519 {KEY}\nh2,h3 ssh-ed25519 {OTHER}\n".encode()
LIST = "hosts.allowed_signers"
NOW = 1_800_000_000_000


def armour(key: str) -> bytes:
    """A signature that names *key*, without anything of a signature."""
    blob = base64.b64decode(key)
    text = base64.b64encode(b"SSHSIG\0\0\0\1" + len(blob).to_bytes(4, "big") + blob)
    return b"-----BEGIN SSH SIGNATURE-----\n" + text + b"\n-----END SSH SIGNATURE-----\n"


def signed(key: str) -> bytes:
    """A commit with such a signature."""
    folded = armour(key).rstrip(b"\n").replace(b"\n", b"\n ")
    return b"tree t\ngpgsig " + folded + b"\n\nmessage\n"


class Failing(MemoryFiles):
    """Files of which one cannot be read: the system fails (*errno*), or it is no file (0)."""

    def __init__(self, path: str, errno: int) -> None:
        super().__init__()
        self.path = path
        self.errno = errno

    def read(self, path: str, limit: int = 256) -> Found:
        if path == self.path:
            return Unreadable("is a fifo, not a file", self.errno)
        return super().read(path, limit)


@dataclass
class World:
    """One host's site: what is asked of its keyring and of its remote is kept."""

    files: MemoryFiles = field(default_factory=MemoryFiles)
    told: str = ""
    own: str = "off"
    commits_of: dict[str, bytes | Refused] = field(default_factory=dict)
    asked: list[dict[str, str]] = field(default_factory=list)
    checked: list[tuple[object, ...]] = field(default_factory=list)

    @property
    def site(self) -> Site:
        here: Any = self
        files: Any = self.files
        return Site(
            files=files,
            layout=Layout("/", "h1"),
            node="n",
            exchange=here,
            verdict_of=lambda claim: "unknown",
            now_ms=lambda: NOW,
            sleep=lambda seconds: None,
            jitter=lambda: 0.5,
            signing=self.own,
            keyring=here,
        )

    def commits(self, tips: dict[str, str]) -> Iterator[tuple[str, bytes | Refused]]:
        """The remote: the commit of each tip."""
        self.asked.append(tips)
        yield from ((host, self.commits_of[host]) for host in tips)

    def doubt(
        self, payload: bytes, armour: bytes, *, lines: bytes, principal: str, namespace: str
    ) -> str:
        """The keyring."""
        self.checked.append((payload, armour, lines, principal, namespace))
        return self.told

    def demand(self, policy: str, listed: bytes | None = LISTED) -> None:
        self.files.replace("catalog.kdl", f'signing "{policy}"\n'.encode())
        if listed is not None:
            self.files.replace(LIST, listed)

    @property
    def known(self) -> Heard:
        return heard.load(self.site.files, self.site.layout, "h1")

    @property
    def written(self) -> list[str]:
        return [path for path in self.files.changes if "heard" in path]


def trust(policy: str = "warn", missing: str = "") -> Trust:
    """The policy with the list, or with a reason why there is none."""
    return Trust(policy, Signers() if missing else parse(LISTED), missing)
