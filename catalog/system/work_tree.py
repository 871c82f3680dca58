"""Questions to a repository that is somebody else's: the one an agent works in."""

from __future__ import annotations

import os

from catalog.errors import SyncFailed
from catalog.system.git import LIMIT_S, run_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class WorkTree:
    """Asks the repository that a folder lies in, which is somebody else's; changes nothing."""

    __slots__ = ("folder", "limit_s")

    def __init__(self, folder: str, *, limit_s: float = LIMIT_S) -> None:
        self.folder = folder
        self.limit_s = limit_s

    def is_there(self) -> bool:
        """Say whether the folder lies in a repository at all; git itself is not asked."""
        folder = os.path.realpath(self.folder)
        while not os.path.lexists(os.path.join(folder, ".git")):
            if folder == os.path.dirname(folder):
                return False
            folder = os.path.dirname(folder)
        return True

    def tracked(self, paths: Sequence[str]) -> frozenset[str]:
        """Return those of *paths*, relative to the folder, that git tracks.

        Raises SyncFailed where git does not tell: nobody may take that for a no.
        """
        listed = self._ask("ls-files", "-z", "--", *paths).split(b"\0")
        return frozenset(os.fsdecode(path) for path in listed if path)

    def own_file(self, name: str) -> str:
        """Return the absolute path of a file that git keeps for this repository."""
        told = os.fsdecode(self._ask("rev-parse", "--git-path", name)).removesuffix("\n")
        return os.path.join(self.folder, told)

    def _ask(self, *args: str) -> bytes:
        where = ("-C", self.folder, "--literal-pathspecs")
        ran = run_git(where, args, limit_s=self.limit_s)
        if ran.code != 0:
            raise SyncFailed(f"git {args[0]}", f"{ran.words}, wanted an answer about {self.folder}")
        return ran.out
