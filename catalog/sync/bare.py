"""The remote's end: a bare repository for presence, set up for refs that are replaced for ever.

git's own defaults do not suit it: a small push is not synced to the disk, unreachable objects
pile up for two weeks and then switch automatic upkeep off.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass

from catalog.sync.remote import Remote
from catalog.sync_errors import RemoteRefused, SyncFailed
from catalog.system import keeping, making
from catalog.system.git import Git

Settings = tuple[tuple[str, str], ...]

CONFIGURATION: Settings = (
    ("core.fsync", "all"),
    ("receive.autogc", "false"),
    ("gc.auto", "0"),
    ("receive.fsckObjects", "true"),
    ("receive.maxInputSize", "16m"),
    ("core.logAllRefUpdates", "false"),
    ("uploadpack.allowFilter", "true"),
)


_HOME = re.compile(r"~([A-Za-z_][A-Za-z0-9._-]*)?")


@dataclass(frozen=True, slots=True)
class Prepared:
    """Whether the repository was made now, and the commands that are for a person to run there."""

    made: bool
    commands: tuple[str, ...]


def prepare(remote: Remote) -> Prepared:
    """Make the repository where a path names nothing or an empty folder; leave any other as it is.

    One whose making was cut short is made anew. Raises RemoteRefused where something else is in
    its place. Safe to repeat.
    """
    if remote.path is None or is_repository(remote.path):
        if remote.path is not None and keeping.is_bare(remote.path):
            making.drop(remote.path)
        path = remote.path
        return Prepared(False, () if path is None else _commands(path, _unset(path)))
    if os.path.lexists(remote.path) and not os.path.isdir(remote.path):
        raise RemoteRefused(remote.shown, "found a file, wanted a repository or a free place")
    if not making.is_free(remote.path):
        sentence = "found a folder with other things in it, wanted a repository or a free place"
        raise RemoteRefused(remote.shown, sentence)
    _make(remote.path)
    return prepared(remote.path, made=True)


def is_repository(path: str) -> bool:
    """Say whether *path* looks like a git repository, bare or with a work tree."""
    return keeping.is_bare(path) or keeping.is_bare(f"{path}/.git")


def _make(path: str) -> None:
    """Make it whole or not at all: one without its configuration would be used as it is."""
    git = Git(making.begin(path))
    made = git.run("init", "-q", "--bare", "--template=", "--initial-branch=main")
    for key, value in CONFIGURATION:
        made = git.run("config", key, value) if made.code == 0 else made
    if made.code:
        making.drop(path)
        raise SyncFailed(f"remote {path}", f"git made no repository: {made.words}")
    making.finish(path)


def prepared(path: str, *, made: bool) -> Prepared:
    """Return what is for a person to run at *path*: all of it, or upkeep where it was made now."""
    return Prepared(made, _commands(path, () if made else CONFIGURATION))


def by_hand(path: str) -> tuple[str, ...]:
    """Return the commands that make the repository by hand."""
    made = f"git init --bare --template= --initial-branch=main {shell_path(path)}"
    return (made, *_commands(path, CONFIGURATION))


def _unset(path: str) -> Settings:
    """Return what of the configuration a repository here has not; all of it where git is silent."""
    inner = f"{path}/.git"
    git = Git(inner if os.path.isdir(inner) else path)
    listed = git.run("config", "--local", "--list", "-z").out.decode("utf-8", "replace")
    there = {tuple(entry.split("\n", 1)) for entry in listed.split("\0")}
    return tuple((key, value) for key, value in CONFIGURATION if (key.lower(), value) not in there)


def shell_path(path: str) -> str:
    """Return a path as a shell takes it, a home in front as git reads it: ``~/`` or ``~user/``."""
    home, slash, rest = path.partition("/")
    if _HOME.fullmatch(home) is None:
        return shlex.quote(path)
    return f"{home}{slash}{shlex.quote(rest) if rest else ''}"


def _commands(path: str, settings: Settings) -> tuple[str, ...]:
    git = f"git -C {shell_path(path)}"
    return (*(f"{git} config {key} {value}" for key, value in settings), *_upkeep(path))


def _upkeep(path: str) -> tuple[str, ...]:
    """Return the hourly upkeep. One hour of grace: without it a push under way is destroyed."""
    git = f"git -C {shell_path(path)}"
    return (
        f"st2 remote upkeep {shell_path(path)}",
        f"or: {git} pack-refs --all && {git} gc -q --prune=1.hour.ago",
    )
