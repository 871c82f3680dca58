"""The filesystem that a folder is on: whether other machines write to it, whether it has room."""

from __future__ import annotations

import os

SHARED = frozenset(
    {"9p", "afs", "ceph", "cifs", "drvfs", "fuse", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4"}
    | {"prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs"}
)
"""Kinds whose other writers make no event here; every ``fuse.…`` is one, too."""


def shared_kind(path: str, mounts: str = "/proc/self/mountinfo") -> str | None:
    """Return the kind of the shared filesystem below *path*; None where it is local or unknown."""
    try:
        with open(mounts, "rb") as file:
            kind = kind_of(os.path.realpath(path), file.read())
    except OSError:
        return None
    shared = kind is not None and (kind in SHARED or kind.startswith("fuse."))
    return kind if shared else None


def lacking(path: str) -> str | None:
    """Return what the filesystem below *path* has none of for this user, so that nothing is made.

    ``space``, or ``files``, of which some take a fixed number; None where it has both, is only
    read, or cannot tell.
    """
    try:
        found = os.statvfs(path)
    except OSError:
        return None
    root = os.geteuid() == 0
    if found.f_flag & os.ST_RDONLY:
        return None
    if found.f_blocks and not (found.f_bfree if root else found.f_bavail):
        return "space"
    return "files" if found.f_files and not (found.f_ffree if root else found.f_favail) else None


def kind_of(path: str, mountinfo: bytes) -> str | None:
    """Return the kind of the filesystem that *path* is on, by the kernel's list of mounts."""
    best, kind = -1, None
    for line in mountinfo.decode("utf-8", "surrogateescape").split("\n"):
        before, _, after = line.partition(" - ")
        fields, kinds = before.split(" "), after.split(" ")
        if len(fields) < 5 or not kinds[0]:
            continue
        place = _unescaped(fields[4]).rstrip("/")
        inside = path == place or path.startswith(f"{place}/")
        # A later mount on the same place covers the earlier one.
        if inside and len(place) >= best:
            best, kind = len(place), kinds[0]
    return kind


def _unescaped(text: str) -> str:
    for octal, letter in ((r"\040", " "), (r"\011", "\t"), (r"\012", "\n"), (r"\134", "\\")):
        text = text.replace(octal, letter)
    return text
