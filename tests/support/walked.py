"""A catalog's files of which it is seen how far a walk goes: into which folders, and how deep."""

from __future__ import annotations

from collections.abc import Mapping
from errno import EACCES

from catalog.seen import Found, Missing, Unreadable
from catalog.system.files import Files
from catalog.system.folders import Folder


class OneFolder(Files):
    """Files of which no walk is made: a folder that holds agents' is not listed."""

    def folder(self, path: str) -> Folder | Missing | Unreadable:
        assert path.count("/") > 1, f"{path}: walked"
        return super().folder(path)


class Watched(Files):
    """Files of which a walk is watched; a folder that is named so is shut."""

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self.limits: list[Mapping[str, int]] = []

    def folder(self, path: str) -> Folder | Missing | Unreadable:
        found = super().folder(path)
        return WatchedFolder(found.fd, self.limits) if isinstance(found, Folder) else found


class WatchedFolder(Folder):
    """A folder of these: with what limits the agents in it are read."""

    def __init__(self, fd: int, limits: list[Mapping[str, int]]) -> None:
        super().__init__(fd)
        self.limits = limits

    def enter(self, name: str) -> Folder | Missing | Unreadable:
        if name.startswith("shut"):
            return Unreadable("permission denied", EACCES)
        found = super().enter(name)
        return WatchedFolder(found.fd, self.limits) if isinstance(found, Folder) else found

    def read_below(
        self, name: str, limits: Mapping[str, int]
    ) -> dict[str, Found] | Missing | Unreadable:
        self.limits.append(limits)
        return super().read_below(name, limits)
