"""Making a bare repository on a server that is reached by ssh, because somebody named it.

One command is run there, a line of POSIX shell: it makes a repository where the path is free, and
touches nothing that is there already.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from urllib.parse import unquote

from catalog.sync.bare import CONFIGURATION, shell_path
from catalog.sync.remote import Remote
from catalog.sync_errors import SyncFailed
from catalog.system import making
from catalog.system.program import LIMIT_S, Ran, run_program

_TAKEN = 17
_MOVED = '[ ! -e "$m/$part" ] || [ -d "$p/$part" ] || mv -f "$m/$part" "$p/$part"'


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
    """Return the line of shell that makes the repository at *path*, as `catalog.system.making`."""
    parts = " ".join(f"-e {name}" for name in (making.ASIDE, *making.PARTS))
    other = f'[ -n "$(ls -A "$p" | grep -vxF {parts})" ]'
    free = '[ -d "$p" ] && [ -z "$(ls -A "$p")" ]'
    begun = f'[ -d "$m" ] && [ ! -L "$m" ] && ! {other}'
    steps = [
        'rm -rf "$m"',
        'mkdir -p "$m"',
        'git init -q --bare --template= --initial-branch=main "$m"',
        *(f'git -C "$m" config {key} {value}' for key, value in CONFIGURATION),
        f"for part in {' '.join(making.PARTS)} {making.LAST}; do {_MOVED} || exit; done",
        'rm -rf "$m"',
    ]
    lines = [
        f"p={shell_path(path)}",
        f'm="$p"/{making.ASIDE}',
        f'if [ -e "$p" ] && ! {{ {free}; }} && ! {{ {begun}; }}; then exit {_TAKEN}; fi',
        " && ".join(steps),
    ]
    return "; ".join(lines)
