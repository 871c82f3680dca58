"""What folders look like from outside: names, inodes, sizes, times. No file is opened."""

from __future__ import annotations

import os
from collections.abc import Sequence

Look = dict[str, tuple[int, int, int]]


class FileTimes:
    """Remembers the last look at some folders of *root* and says whether another one differs."""

    def __init__(self, root: str, folders: Sequence[str], *, depth: int) -> None:
        self._places = [os.path.join(root, folder) for folder in folders]
        self._depth = depth
        self._last: Look = {}

    def changed(self) -> bool:
        """Look again; True where anything is not as it was at the last look."""
        found: Look = {}
        for place in self._places:
            try:
                found[place] = _facts(os.stat(place))
            except OSError:
                continue
            _look(place, self._depth, found)
        before, self._last = self._last, found
        return before != found


def _look(folder: str, depth: int, found: Look) -> None:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    inner = entry.is_dir(follow_symlinks=False)
                    if inner and not depth:
                        continue
                    found[entry.path] = _facts(entry.stat(follow_symlinks=False))
                except OSError:
                    continue
                if inner:
                    _look(entry.path, depth - 1, found)
    except OSError:
        # No folder, or gone, or closed to us: what can be seen of it stands in the look already.
        return


def _facts(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_ino, found.st_mtime_ns, found.st_size
