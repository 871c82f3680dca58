"""A repository that st2 made for itself, and the look that tells it from any other.

git does what a repository's configuration says. Ours have none: each is made of two folders and
a line. They lie under a name that no catalog's author can know, and what is found in one that
we did not put there means that it is dropped and made anew.
"""

from __future__ import annotations

import os

from catalog.errors import reason_of
from catalog.layout import Layout
from catalog.seal import seal
from catalog.seen import Content
from catalog.sync_errors import SyncFailed
from catalog.system.files import Files
from catalog.system.git import LIMIT_S, Git

_HEAD = b"ref: refs/heads/none\n"


class Own:
    """One bare repository of ours, made of folders and a line; it has no configuration."""

    __slots__ = ("_files", "git", "path")

    def __init__(
        self,
        files: Files,
        layout: Layout,
        path: str,
        *,
        limit_s: float = LIMIT_S,
        ssh: str | None = None,
    ) -> None:
        self.path = path
        self.git = Git(layout.absolute(path), limit_s=limit_s, ssh=ssh)
        self._files = files

    def make(self) -> None:
        """Leave the repository with what we put into it and nothing else. Before each use."""
        try:
            if not self._is_ours():
                self.git.drop()
                self._files.replace(f"{self.path}/HEAD", _HEAD)
            self.git.make_folders()
        except OSError as error:
            sentence = f"cannot be made ({reason_of(error)}), wanted a folder of our own"
            raise SyncFailed(self.path, sentence) from None

    def _is_ours(self) -> bool:
        head = self._files.read(f"{self.path}/HEAD")
        return isinstance(head, Content) and head.raw == _HEAD and self.git.is_plain()


def repository(layout: Layout, machine: str) -> str:
    """Return the folder of our repositories, under a name that only this machine can know."""
    name = seal(machine, os.path.realpath(layout.root), "repository", layout.host.encode())
    return f"{layout.repository()}/{name}"
