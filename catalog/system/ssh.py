"""How ssh is called: it never asks, never hangs for ever, and uses one connection for a round.

It is the user's own ssh, with the user's own configuration, agent and known hosts. What is set
here is set on the command line, which comes before their configuration.
"""

from __future__ import annotations

import hashlib
import os
import stat

PERSIST_S = 10
"""How long a connection stays open after a single round; a watcher keeps it for two intervals."""

_SOCKET_BYTES = 103
"""The longest path of a socket: 104 bytes with the NUL on macOS, 108 on Linux."""

_NAME_BYTES = 1 + 8 + 40 + 17
"""What comes behind the folder: a slash, 8 letters of the address, ssh's own hash of 40 letters,
and its suffix while it binds."""

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")

OPTIONS = (
    # Without a terminal ssh cannot ask, with this it does not try to: no password, no host key.
    "BatchMode=yes",
    "ConnectTimeout=5",
    "ServerAliveInterval=5",
    "ServerAliveCountMax=2",
    "ForwardAgent=no",
    "ForwardX11=no",
    "ClearAllForwardings=yes",
    "PermitLocalCommand=no",
)
"""On every ssh of ours."""

_SHARED = ("ControlMaster=auto", "ControlPath={folder}/{mark}%C", "ControlPersist={persist_s}")
_ALONE = ("ControlMaster=no", "ControlPath=none")


def command(folder: str | None = None, *, persist_s: int = PERSIST_S, address: str = "") -> str:
    """Return the words by which git calls ssh.

    *folder* is where :func:`control_folder` allows a connection to be shared; None shares none.
    Only commands to the same *address* share one: of two names of a server in the user's
    configuration each may have a key of its own, and ssh's hash tells them not apart.
    """
    shared = _ALONE if folder is None else _SHARED
    mark = hashlib.sha256(address.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    values = {"folder": folder, "mark": mark, "persist_s": persist_s}
    names = (*OPTIONS, *(name.format(**values) for name in shared))
    return " ".join(["ssh", *(f"-o{name}" for name in names)])


def control_folder(runtime: str | None) -> str | None:
    """Return a private folder, short enough for ssh's sockets; None where there is none.

    Below *runtime*, which is the user's own folder for such things, else below ``/tmp``: a
    folder there that is not ours alone is not used, whoever could open a socket in it could
    speak with our keys.
    """
    places = [f"{runtime}/st2"] if runtime and runtime.startswith("/") else []
    for folder in (*places, f"/tmp/st2-{os.geteuid()}"):
        fits = len(os.fsencode(folder)) + _NAME_BYTES <= _SOCKET_BYTES
        if fits and _PLAIN.issuperset(folder) and _is_private(folder):
            return folder
    return None


def _is_private(folder: str) -> bool:
    """Make the folder where it is missing; say whether it is a folder of ours alone."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    except OSError:
        return False
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return (
        stat.S_ISDIR(found.st_mode)
        and found.st_uid == os.geteuid()
        and stat.S_IMODE(found.st_mode) & 0o077 == 0
    )
