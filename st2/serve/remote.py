"""``st2 remote``: what the keeper of a remote runs where the repository lies."""

from __future__ import annotations

import os

from catalog.refusals import BadUsage
from catalog.seen import Content, Unreadable
from catalog.sync import afar
from catalog.sync import authorize as lines
from catalog.sync.remote import Remote, check
from catalog.sync.settings import remote_of
from catalog.sync.upkeep import Upkept
from catalog.sync.upkeep import upkeep as keep
from catalog.sync_errors import SyncFailed
from catalog.system.files import Files
from catalog.system.machine import machine_id
from st2.context import Context, start_of
from st2.out import emit, plain, warn

_KEY_BYTES = 16_384


def upkeep(context: Context, *, path: str | None, as_json: bool) -> int:
    """Keep the bare repository at *path*, else this catalog's remote; 1 where a step failed."""
    place = _own_path(context, path)
    now_ms = context.clock.now_ms()
    done = keep(place, now_ms=now_ms)
    if as_json:
        from st2.remote_json import upkept_json

        emit(upkept_json(done, path=place, now_ms=now_ms))
    else:
        emit(_told(done, place))
        for lock in done.locks:
            warn(lock.told(now_ms))
    if done.failed:
        raise SyncFailed(f"upkeep of {place}", "; ".join(done.failed))
    return 0


def authorize(context: Context, *, host: str, key: str, path: str | None) -> int:
    """Print the line of ``authorized_keys`` for a host's key."""
    emit(lines.line(host, _key_text(key), _far_path(context, path)) + "\n")
    return 0


def _told(done: Upkept, place: str) -> str:
    removed = "".join(f"removed {plain(ref)}: {plain(why)}\n" for ref, why in done.removed)
    sizes = f"{_size(done.before_bytes)} before, {_size(done.after_bytes)} after"
    count = f"{done.refs} ref{'' if done.refs == 1 else 's'}"
    return f"{removed}{plain(place)}: {count}, {sizes}\n"


def _size(count: int) -> str:
    return f"{count / 1_048_576:.1f} MiB" if count >= 1_048_576 else f"{count // 1024} KiB"


def _chosen(context: Context) -> Remote | None:
    """Return the remote that is kept, whose path is absolute."""
    address = remote_of(context.files, context.layout, machine_id())
    return check(address, base="/") if address is not None else None


def _own_path(context: Context, path: str | None) -> str:
    """Return the folder to keep: the argument, else this catalog's remote where it is a folder."""
    if path is not None:
        named = check(path, base=start_of(path))
        if named.path is None:
            hint = "run it on the machine that holds the repository"
            raise BadUsage(path, "an address of another machine, wanted a path here", hint)
        return named.path
    remote = _chosen(context)
    if remote is None or remote.path is None:
        hint = "on the machine that holds the repository: st2 remote upkeep PATH"
        raise BadUsage("PATH", "not given, and the remote is no folder here, wanted either", hint)
    return remote.path


def _far_path(context: Context, path: str | None) -> str:
    """Return the repository as the server sees it: of the argument, else of the kept remote."""
    if path == "":
        return path
    remote = _chosen(context) if path is None else check(path, base=start_of(path))
    if remote is None:
        raise BadUsage("PATH", "not given, and no remote is chosen, wanted the repository's path")
    place = afar.place_of(remote)
    found = remote.path or (place.path if place is not None else None)
    if found is None:
        sentence = "an address that no ssh key opens, wanted the repository's path"
        raise BadUsage(remote.shown, sentence)
    return found


def _key_text(key: str) -> str:
    """Return a public key's text: the argument itself, else the file that it names.

    A pipe or a device in its place is refused, and not waited for.
    """
    if " " in key.strip() and not os.path.lexists(key):
        return key
    folder, name = os.path.split(os.path.realpath(key))
    found = Files(folder).read(name, _KEY_BYTES)
    if isinstance(found, Content):
        return found.raw.decode("utf-8", "surrogateescape")
    reason = found.reason if isinstance(found, Unreadable) else "no such file or directory"
    raise BadUsage(f"key {key}", f"{reason}, wanted a public key or its file")
