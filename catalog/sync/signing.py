"""A signed commit taken apart: what was signed, the signature, and the key that it names.

git makes the signature (``gpg.format=ssh``), so that any git can check it. It is not asked
whether one is good: git takes any listed key, and calls a commit of host 2's key on host 1's
ref good. Whose key it has to be is for :mod:`catalog.sync.signers` to say. Pure.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from catalog.sync.keys import fingerprint_of, first_string

NAMESPACE = "git"
"""What git signs commits for; a signature made for anything else is not one of a commit."""

KEY_HINT = "name a key that needs no passphrase, or the public half of one that ssh-agent holds"

_BEGIN, _END = b"-----BEGIN SSH SIGNATURE-----", b"-----END SSH SIGNATURE-----"
_FIELD = b"gpgsig "
_MAGIC = b"SSHSIG\0\0\0\1"


@dataclass(frozen=True, slots=True)
class Signed:
    """A commit without its signature, the signature in its armour, and the key it names."""

    payload: bytes
    armour: bytes
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Unsigned:
    """A commit whose signature is missing, or is none that git makes with an ssh key."""

    why: str


def signed_by(key: str) -> tuple[str, ...]:
    """Return the settings with which git signs by the ssh key at the absolute path *key*.

    The program is named: one of the user's own configuration could put up a prompt.
    """
    return ("gpg.format=ssh", "gpg.ssh.program=ssh-keygen", f"user.signingkey={key}")


def split(commit: bytes) -> Signed | Unsigned:
    """Take one commit object apart, accepting exactly what git writes. Never raises."""
    head, _, message = commit.partition(b"\n\n")
    kept: list[bytes] = []
    found: list[bytes] = []
    field = kept
    for line in head.split(b"\n"):
        if line.startswith(b"gpgsig"):
            field = found
        elif not line.startswith(b" "):
            field = kept
        field.append(line)
    if not found:
        return Unsigned("it is not signed")
    if not found[0].startswith(_FIELD) or not all(line.startswith(b" ") for line in found[1:]):
        return Unsigned("its signature is not the one field that git writes")
    lines = [found[0].removeprefix(_FIELD), *(line[1:] for line in found[1:])]
    while lines and not lines[-1]:
        lines.pop()
    if len(lines) < 3 or lines[0] != _BEGIN or lines[-1] != _END:
        return Unsigned("its signature is none of an ssh key")
    fingerprint = _named_key(b"".join(lines[1:-1]))
    if fingerprint is None:
        return Unsigned("its signature cannot be read")
    payload = b"\n".join(kept) + b"\n\n" + message
    return Signed(payload, b"\n".join(lines) + b"\n", fingerprint)


def _named_key(text: bytes) -> str | None:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    if not raw.startswith(_MAGIC):
        return None
    blob = first_string(raw[len(_MAGIC) :])
    return None if blob is None else fingerprint_of(blob)
