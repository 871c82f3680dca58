"""A folder with one agent in it, watched for changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from catalog.system.changes import Hints, watch_folders

FORCED = {"WATCHFILES_FORCE_POLLING": "true"}
BUSY = b"busy\nv1 1000\n"


class Place:
    """A folder with one agent in it, watched; ``write`` changes the record in place."""

    def __init__(self, root: Path, hints: Hints, hint: Callable[[], None] = lambda: None) -> None:
        self.root, self.hints, self._hint = root, hints, hint

    @property
    def record(self) -> Path:
        return self.root / "agents/h1/a1/status"

    def write(self, more: bytes = b"") -> None:
        with self.record.open("ab") as file:
            file.write(b"x" + more)
        self._hint()

    def settle(self, quiet_ms: int = 300) -> int:
        """Wait until what was done before has been told, and return in how many hints."""
        told = 0
        while self.hints.wait(quiet_ms):
            told += 1
        return told

    def heard(self) -> bool:
        """Say whether a hint comes, at leisure: the machine may be slow."""
        return any(self.hints.wait(1_000) for _ in range(40))


def real(root: Path, environ: dict[str, str]) -> Place:
    root = root / "catalog"
    (root / "agents/h1/a1").mkdir(parents=True)
    (root / "agents/h1/a1/status").write_bytes(BUSY)
    found = watch_folders(str(root), ["agents/h1", "catalog.kdl"], environ=environ, poll_ms=100)
    return Place(root, found)
