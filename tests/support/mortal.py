"""Real files under a process that may die before any chosen change, and again after it."""

from __future__ import annotations

from catalog.seen import Missing
from catalog.system.files import Files
from support.memory import Crash

__all__ = ["Crash", "MortalFiles"]


class MortalFiles(Files):
    """Files whose user dies before the change number ``crash_in`` (0 is the next one)."""

    __slots__ = ("changes", "crash_in")

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self.crash_in: int | None = None
        self.changes: list[str] = []

    def replace(
        self, path: str, data: bytes, *, mtime_ms: int | None = None, durable: bool = True
    ) -> None:
        """As :meth:`Files.replace`, but nobody waits for the disk."""
        self.step(path)
        super().replace(path, data, mtime_ms=mtime_ms, durable=False)

    def remove(self, path: str) -> bool:
        """As :meth:`Files.remove`; what is not there is no change."""
        if not isinstance(super().read(path), Missing):
            self.step(path)
        return super().remove(path)

    def step(self, what: str) -> None:
        """Die here, or count one change more."""
        if self.crash_in is not None:
            if self.crash_in == 0:
                raise Crash(what)
            self.crash_in -= 1
        self.changes.append(what)
