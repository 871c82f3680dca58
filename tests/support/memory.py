"""Files in memory: the same contract as the real ones, with a crash before any chosen write."""

from __future__ import annotations

from catalog.refusals import LockBusy
from catalog.seen import Content, Found, Missing


class Crash(Exception):
    """The process died here."""


class MemoryLock:
    """A lock of :class:`MemoryFiles`."""

    def __init__(self, held: set[str], path: str) -> None:
        self.held = held
        self.path = path

    def release(self) -> None:
        """Let go; harmless when repeated."""
        self.held.discard(self.path)

    def __enter__(self) -> MemoryLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class MemoryFiles:
    """A catalog's files in a dictionary; `crash_in` counts the changes left before a crash."""

    def __init__(self) -> None:
        self.bytes: dict[str, Content] = {}
        self.held: set[str] = set()
        self.changes: list[str] = []
        self.crash_in: int | None = None

    def read(self, path: str, limit: int = 256) -> Found:
        """As :meth:`Files.read`."""
        found = self.bytes.get(path)
        return Missing() if found is None else Content(found.raw[: limit + 1], found.mtime_ms)

    def replace(
        self, path: str, data: bytes, *, mtime_ms: int | None = None, durable: bool = True
    ) -> None:
        """As :meth:`Files.replace`."""
        self._change(path)
        self.bytes[path] = Content(data, mtime_ms or 0)

    def scan(self, path: str) -> list[tuple[str, str]]:
        inside = [
            each.removeprefix(f"{path}/") for each in self.bytes if each.startswith(f"{path}/")
        ]
        return sorted((name, "file") for name in inside if "/" not in name)

    def remove(self, path: str) -> bool:
        """As :meth:`Files.remove`; a lock's file takes the lock with it."""
        self._change(path)
        self.held.discard(path)
        return self.bytes.pop(path, None) is not None

    def lock(self, path: str, *, wait_ms: int) -> MemoryLock:
        """As :meth:`Files.lock`, but for the waiting."""
        if path in self.held:
            raise LockBusy(path, f"held by somebody, not free within {wait_ms} ms")
        self.held.add(path)
        return MemoryLock(self.held, path)

    def lock_free(self, path: str) -> bool | None:
        """As :meth:`Files.lock_free`."""
        return path not in self.held

    def _change(self, path: str) -> None:
        if self.crash_in is not None:
            if self.crash_in == 0:
                raise Crash(path)
            self.crash_in -= 1
        self.changes.append(path)
