"""An ssh public key: of which kinds st2 takes one, its bytes, and how ssh prints it. Pure."""

from __future__ import annotations

import base64
import binascii
import hashlib

KINDS = (
    "ssh-ed25519",
    "ssh-rsa",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ssh-ed25519@openssh.com",
    "sk-ecdsa-sha2-nistp256@openssh.com",
)
"""The kinds of public keys that are known."""


def key_of(kind: str, text: str) -> bytes | None:
    """Return the bytes of a key from its base64; None where they do not begin with its *kind*."""
    try:
        blob = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return blob if first_string(blob) == kind.encode() else None


def first_string(raw: bytes) -> bytes | None:
    """Return the string that *raw* begins with, in the form ssh writes; None for a short one."""
    size = int.from_bytes(raw[:4], "big")
    return raw[4 : 4 + size] if len(raw) >= 4 + size and size else None


def fingerprint_of(blob: bytes) -> str:
    """Return how ssh prints a public key, given its bytes."""
    digest = base64.b64encode(hashlib.sha256(blob).digest()).decode("ascii")
    return f"SHA256:{digest.rstrip('=')}"
