"""The one place that runs git: bounded, silent, deaf to the environment, without hooks.

Nothing here knows a remote or a ref. Callers hand over an argument list in which every
value from outside comes after ``--end-of-options``.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping, Sequence

from catalog.system import ssh
from catalog.system.program import LIMIT_S, Ran, run_program

__all__ = ["LIMIT_S", "Git", "Ran", "far_end", "run_git", "settings_of"]

LOOSE = 2_000
"""Loose objects above which a repository that is a cache is made anew (50 ms)."""

PACKS = 100
"""Files of packs above which it is, too: a pack comes as two or three."""

PACKED_BYTES = 536_870_912
"""Bytes of packs above which it is: twice what one round reads. Who replaces a snapshot of 16 MiB
at each round would have that much kept of each."""

SETTINGS = (
    # What a repository could start: a hook, a monitor, a listing command, its own upkeep.
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.alternateRefsCommand=true",
    "gc.auto=0",
    "maintenance.auto=false",
    "receive.autogc=false",
)
"""Set on every git of ours and on the far end of a remote that is a path.

``core.alternateRefsCommand`` is set to a command that does nothing: a remote that has
alternates would run the one of its own configuration, and an empty value is no way to say none.
"""

_FAR = (
    # A ref of ours that is checked out there, in whatever work tree, would be written into it,
    # through the filters that its configuration names.
    "receive.denyCurrentBranch=refuse",
    "receive.denyDeleteCurrent=refuse",
    # A snapshot that is too large is left where it is, instead of being unpacked here.
    "uploadpack.allowFilter=true",
)
"""Set on the far end of a remote that is a path, besides."""

_FAR_ENVIRONMENT = ("GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1")
"""The far end answers out of its own objects: it never asks a third repository for one."""

_OURS = (
    # What a user's own configuration could change about the bytes or the reach of a command.
    "push.gpgSign=false",
    "push.followTags=false",
    "push.recurseSubmodules=no",
    "fetch.recurseSubmodules=false",
    # One host's odd object must not stop the fetch of all: what is used is checked by decode().
    "fetch.fsckObjects=false",
    "transfer.fsckObjects=false",
    "fetch.negotiationAlgorithm=noop",
    "fetch.writeCommitGraph=false",
    # A branch in a repository of ours would get a log, which is nothing that we put there.
    "core.logAllRefUpdates=false",
)

_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    # Empty, not absent: git would go on to core.askPass and SSH_ASKPASS.
    "GIT_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_ALLOW_PROTOCOL": "file:ssh:https:git",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_SSH_COMMAND": ssh.command(),
}
"""The only ``GIT_*`` of a child. The user's own and the system's configuration files are read:
they hold the proxy, the certificates and the credential helper that an https remote needs, and
nobody else can write them. The catalog's configuration is not: its repository is never entered."""


def settings_of(names: tuple[str, ...]) -> list[str]:
    """Return *names* as ``-c`` arguments."""
    return [part for name in names for part in ("-c", name)]


def far_end(program: str) -> str:
    """Return the shell words by which the far end of a path remote runs *program*, and no other."""
    return " ".join([*_FAR_ENVIRONMENT, "git", *settings_of(SETTINGS + _FAR), program])


class Git:
    """Runs git in one repository of st2's own, given by its absolute path.

    ``ssh`` is how it calls ssh, see :mod:`catalog.system.ssh`. ``spent_s`` is how long its
    commands took so far, all of them together.
    """

    __slots__ = ("limit_s", "repository", "spent_s", "ssh")

    def __init__(
        self, repository: str, *, limit_s: float = LIMIT_S, ssh: str | None = None
    ) -> None:
        self.repository = repository
        self.limit_s = limit_s
        self.spent_s = 0.0
        self.ssh = ssh

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        settings: tuple[str, ...] = (),
    ) -> Ran:
        """Run ``git *args`` in the repository to its end; what fails is a result, not an error.

        *settings* hold for this command alone. Raises SyncFailed where git cannot be started or
        does not end within the limit: then its whole process group is ended.
        """
        where = (f"--git-dir={self.repository}",)
        if self.ssh is not None:
            env = {"GIT_SSH_COMMAND": self.ssh, **(env or {})}
        began_s = time.monotonic()
        try:
            return run_git(where, args, settings, stdin=stdin, env=env, limit_s=self.limit_s)
        finally:
            self.spent_s += time.monotonic() - began_s

    def make_folders(self) -> None:
        """Make the folders without which git calls this no repository. Safe to repeat."""
        for name in ("objects", "refs"):
            os.makedirs(f"{self.repository}/{name}", exist_ok=True)

    def drop_objects(self) -> None:
        """Remove every object; absence is fine."""
        shutil.rmtree(f"{self.repository}/objects", ignore_errors=True)

    def drop_torn(self) -> None:
        """Remove the halves of packs and objects that a git left which was ended; absence is fine.

        Nobody else may be at work in the repository.
        """
        objects = f"{self.repository}/objects"
        for folder in ("pack", *(f"{first:02x}" for first in range(256))):
            for name in _kinds(f"{objects}/{folder}"):
                if name.startswith("tmp_"):
                    os.unlink(f"{objects}/{folder}/{name}")

    def drop(self) -> None:
        """Remove the whole repository; absence is fine."""
        shutil.rmtree(self.repository, ignore_errors=True)

    def is_plain(self) -> bool:
        """Say whether nothing lies here but objects and refs: no configuration and no hook.

        Symbolic links, alternates, work trees and whatever git may learn to read are not ours.
        """
        found = _kinds(self.repository)
        objects = _kinds(f"{self.repository}/objects")
        return (
            {name for name in found if name not in ("packed-refs", "shallow")}
            <= {"HEAD", "objects", "refs"}
            and all(name in _FOLDERS or _is_first(name) for name in objects)
            and all(is_folder for name, is_folder in found.items() if name in _FOLDERS)
            and all(objects.values())
        )

    def count_refs(self, prefix: str) -> int:
        """Return how many refs lie in one folder of them, each in a file of its own."""
        return _count(f"{self.repository}/{prefix}")

    def is_grown(self) -> bool:
        """Say whether so much lies loose, or in packs, that a new start is faster or smaller."""
        objects = f"{self.repository}/objects"
        return (
            _count(f"{objects}/pack") > PACKS
            or _bytes(f"{objects}/pack") > PACKED_BYTES
            or sum(_count(f"{objects}/{first:02x}") for first in range(256)) > LOOSE
        )


def run_git(
    where: Sequence[str],
    args: Sequence[str],
    settings: tuple[str, ...] = (),
    *,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    limit_s: float,
) -> Ran:
    """Run git on the repository that *where* names; see :meth:`Git.run`."""
    command = ["git", *where, *settings_of(SETTINGS + _OURS + settings), *args]
    given = {**_ENVIRONMENT, **(env or {})}
    return run_program(command, given, f"git {args[0]}", stdin=stdin, limit_s=limit_s)


_FOLDERS = ("objects", "refs", "pack")


def _kinds(folder: str) -> dict[str, bool]:
    """Return each name in a folder with whether it is a folder itself, and no link to one."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
    except FileNotFoundError:
        return {}


def _is_first(name: str) -> bool:
    """Say whether *name* is the first byte of an object's name."""
    return len(name) == 2 and set(name) <= set("0123456789abcdef")


def _bytes(folder: str) -> int:
    try:
        with os.scandir(folder) as entries:
            return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)
    except FileNotFoundError:
        return 0


def _count(folder: str) -> int:
    try:
        return len(os.listdir(folder))
    except FileNotFoundError:
        return 0
