"""A seal: what this machine alone can put on a file of one copy of a catalog.

A catalog's author may lay anything into it, also where host-local state lies. The key of the
seal is the machine's id, which is never published, and the catalog's real path goes into it: so
what has a fitting seal was written here. :mod:`hashlib` would load the system's crypto library,
which costs more than a roster; the interpreter's own C module is enough.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_module: Any
try:
    import _blake2 as _module
except ImportError:  # another interpreter than CPython
    _module = None

_BYTES = 16
_DIGEST_BYTES = 32


def seal(machine: str, path: str, purpose: str, data: bytes) -> str:
    """Return the seal (32 hex) over *data*, for one use, in the catalog whose real path is *path*.

    No two different calls seal the same bytes: each part goes in after its length.
    """
    key = _digest(_bytes(machine), b"", 32)
    parts = (_bytes(purpose), _bytes(path), data)
    return _digest(b"".join(b"%d:%b" % (len(part), part) for part in parts), key, _BYTES).hex()


def digest(data: bytes) -> str:
    """Return what stands for exactly these bytes (64 hex): nobody finds others with the same."""
    if _module is None:
        return _digest(data, b"", _DIGEST_BYTES).hex()
    told: str = _module.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()
    return told


def _digest(data: bytes, key: bytes, size: int) -> bytes:
    module = _module
    if module is None:
        import hashlib

        module = hashlib
    digest: bytes = module.blake2b(data, key=key, digest_size=size).digest()
    return digest


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
