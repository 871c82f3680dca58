"""Questions to a repository that is somebody else's: the one an agent works in."""

from __future__ import annotations

import os

from catalog.sync_errors import SyncFailed
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

    def attributes(self, paths: Sequence[str], names: Sequence[str]) -> dict[tuple[str, str], str]:
        """Return what git holds of each of *paths*, by (path, name); SyncFailed as above."""
        told = self._ask("check-attr", "-z", *names, "--", *paths).split(b"\0")
        found = [os.fsdecode(part) for part in told]
        return {(found[n], found[n + 1]): found[n + 2] for n in range(0, len(found) - 2, 3)}

    def ignored(self, paths: Sequence[str]) -> dict[str, str]:
        """Return which line makes git ignore a path, for those of *paths* that it ignores.

        Whether git tracks the path already does not count. SyncFailed as above.
        """
        args = ("check-ignore", "-z", "-v", "--no-index", "--stdin")
        given = b"\0".join(map(os.fsencode, paths))
        told = self._ask(*args, stdin=given, nothing=1).split(b"\0")
        found = [os.fsdecode(part) for part in told]
        lines = [found[n : n + 4] for n in range(0, len(found) - 3, 4)]
        return {
            path: f"{file}:{number}: {pattern}"
            for file, number, pattern, path in lines
            if not pattern.startswith("!")
        }

    def own_file(self, name: str) -> str:
        """Return the absolute path of a file that git keeps for this repository."""
        told = os.fsdecode(self._ask("rev-parse", "--git-path", name)).removesuffix("\n")
        return os.path.join(self.folder, told)

    def _ask(self, *args: str, stdin: bytes = b"", nothing: int = 0) -> bytes:
        """Return what git says; its exit code *nothing* says that there is nothing to say."""
        # A path is no pattern; check-ignore knows none and does not take the option.
        literal = ("--literal-pathspecs",) if args[0] == "ls-files" else ()
        where = ("-C", self.folder, *literal)
        ran = run_git(where, args, stdin=stdin, limit_s=self.limit_s)
        if ran.code not in (0, nothing):
            raise SyncFailed(f"git {args[0]}", f"{ran.words}, wanted an answer about {self.folder}")
        return ran.out
