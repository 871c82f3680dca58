"""Making a bare repository on a server that is reached by ssh, because somebody named it.

One command is run there, a line of POSIX shell: it makes a repository where the path is free, and
touches nothing that is there already.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from urllib.parse import unquote

from catalog.sync.bare import CONFIGURATION
from catalog.sync.remote import Remote
from catalog.sync_errors import SyncFailed
from catalog.system.program import LIMIT_S, Ran, run_program

_TAKEN = 17


@dataclass(frozen=True, slots=True)
class Place:
    """A path on a server: what ssh is told to reach it, and the path, absolute or from home."""

    target: str
    port: str
    path: str


def place_of(remote: Remote) -> Place | None:
    """Return the place that a remote's address names over ssh; None for any other address."""
    address = remote.address
    if address.startswith("ssh://"):
        authority, slash, path = address.removeprefix("ssh://").partition("/")
        host, colon, port = authority.rpartition(":")
        if not colon or not (port.isascii() and port.isdigit()):
            host, port = authority, ""
        path = unquote(path if path.startswith("~") else slash + path)
        return Place(host.replace("[", "").replace("]", ""), port, path)
    if remote.path is not None or "://" in address:
        return None
    user, at, rest = (
        address.rpartition("@") if "@" in address.partition("/")[0] else ("", "", address)
    )
    host, _, path = rest.rpartition("]:") if rest.startswith("[") else rest.partition(":")
    return Place(f"{user}{at}{host.removeprefix('[')}", "", path)


def make(place: Place, ssh: str, *, limit_s: float = LIMIT_S) -> Ran:
    """Make and configure the repository, where the path is free; *ssh* is how ssh is called.

    Raises SyncFailed where ssh cannot be run or does not end, or where something else is there.
    """
    port = ("-p", place.port) if place.port else ()
    command = [
        *shlex.split(ssh),
        *port,
        "--",
        place.target,
        f"exec sh -c {shlex.quote(script(place.path))}",
    ]
    ran = run_program(command, {}, "ssh", limit_s=limit_s)
    if ran.code == _TAKEN:
        sentence = "found something else there, wanted a repository or a free place"
        raise SyncFailed(f"remote {place.target}:{place.path}", sentence)
    return ran


def script(path: str) -> str:
    """Return the line of shell that makes the repository at *path*."""
    where = f'"$HOME"/{shlex.quote(path[2:])}' if path.startswith("~/") else shlex.quote(path)
    configure = (f'git -C "$p" config {key} {value}' for key, value in CONFIGURATION)
    free = f'if [ -e "$p" ] && [ -n "$(ls -A "$p")" ]; then exit {_TAKEN}; fi'
    made = 'git init -q --bare --template= --initial-branch=main "$p"'
    return "; ".join([f"p={where}", free, " && ".join([made, *configure])])
