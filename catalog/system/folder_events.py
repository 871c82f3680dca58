"""The system's own events for some folders, by watchfiles.

Each folder is watched by itself and not with all below it: an agent's folder may hold a whole
workspace, and the system has only so many watches.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

DEBOUNCE_MS = 50
"""How long further events are gathered into the hint of the first one."""

_TURN_MS = 100
_TRIES = 5


class Unwatchable(Exception):
    """No events can be had, and the reason why."""


class FolderEvents:
    """Events of some folders (or files) of *root*, there or not yet, *depth* levels down.

    Raises Unwatchable where the system grants no watch.
    """

    def __init__(self, root: str, folders: Sequence[str], *, depth: int) -> None:
        self._root = os.path.realpath(root)
        self._places = [os.path.join(self._root, folder) for folder in folders]
        self._depth = depth
        self._watched: dict[str, int] = {}
        self._turns: Any = None
        self._restless = False
        self._watch()

    def heard(self) -> bool:
        """Wait a tenth of a second at most; True where something happened since the last call.

        A folder that is new is watched before this returns, so that a look after it misses
        nothing. Raises Unwatchable.
        """
        if self._restless:
            self._watch()
            return True
        try:
            paths = {path for path in _turn(self._turns) if self._counts(path)}
        except FileNotFoundError as error:
            raise Unwatchable(f"a folder has gone: {error}") from None
        if not paths:
            return self._is_elsewhere() and self._watch_anew()
        if not paths.isdisjoint(self._watched) or self._folders() != self._watched:
            self._watch()
        return True

    def _is_elsewhere(self) -> bool:
        """Say whether another folder lies at the root's path than the one watched, or one again.

        No event tells: a folder above it was moved, or it had gone, and nothing is watched.
        """
        found: dict[str, int] = {}
        _add(self._root, found)
        return found.get(self._root) != self._watched.get(self._root)

    def _watch_anew(self) -> bool:
        self._watch()
        return True

    def close(self) -> None:
        """Let go of every watch; harmless when repeated."""
        if self._turns is not None:
            self._turns.close()
            self._turns = None

    def _counts(self, path: str) -> bool:
        return any(
            path == place or path.startswith(f"{place}/") or place.startswith(f"{path}/")
            for place in self._places
        )

    def _watch(self) -> None:
        """Watch what is there now; again while folders come and go meanwhile."""
        for _ in range(_TRIES):
            self._watched = self._folders()
            self.close()
            turns = _watching(list(self._watched))
            if turns is None:
                continue
            self._turns = turns
            self._restless = self._folders() != self._watched
            if not self._restless:
                return
        if self._turns is None:
            raise Unwatchable("folders come and go too fast")

    def _folders(self) -> dict[str, int]:
        """Return each folder to watch with its inode: the places, those above, those below."""
        found: dict[str, int] = {}
        for place in self._places:
            above = os.path.dirname(place)
            while above not in found and len(above) >= len(self._root):
                _add(above, found)
                above = os.path.dirname(above)
            if _add(place, found) and os.path.isdir(place):
                _below(place, self._depth, found)
        return found


def _add(path: str, found: dict[str, int]) -> bool:
    try:
        inode = os.stat(path).st_ino
    except OSError:
        return False
    if os.access(path, os.R_OK):
        found[path] = inode
    return True


def _below(folder: str, depth: int, found: dict[str, int]) -> None:
    if not depth:
        return
    try:
        with os.scandir(folder) as entries:
            inner = [each for each in entries if each.is_dir(follow_symlinks=False)]
    except OSError:
        return
    for entry in inner:
        # A folder that we cannot read is no look's business either.
        if os.access(entry.path, os.R_OK):
            found[entry.path] = entry.inode()
            _below(entry.path, depth - 1, found)


def _watching(paths: list[str]) -> Any:
    """Return the turns of one watch over *paths* that has begun; None where one has gone."""
    try:
        from watchfiles import watch
    except ImportError as error:
        raise Unwatchable(f"watchfiles cannot be used ({error})") from None
    turns = watch(
        *paths,
        watch_filter=None,
        debounce=DEBOUNCE_MS,
        step=DEBOUNCE_MS,
        rust_timeout=_TURN_MS,
        yield_on_timeout=True,
        force_polling=False,
        recursive=False,
        # What this would ignore is every error, too few watches as well: then nobody would know.
        ignore_permission_denied=False,
    )
    try:
        # The watch begins with its first turn. What that one sees is in the caller's look.
        _turn(turns)
    except FileNotFoundError:
        return None
    return turns


def _turn(turns: Any) -> set[str]:
    """Return the paths that one turn told of."""
    try:
        return {path for _, path in next(turns)}
    except StopIteration:
        raise Unwatchable("the system's events have ended") from None
    except FileNotFoundError:
        raise
    except (OSError, RuntimeError) as error:
        words = " ".join(str(error).partition(" about [")[0].split())
        raise Unwatchable(
            f"the system grants no more watches: {words.rstrip('.').lower()}"
        ) from None
