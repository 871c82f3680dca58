"""Upkeep of a fleet's remote, and files that are made older."""

from __future__ import annotations

import os
import time
from pathlib import Path

from catalog.sync.upkeep import GRACE_MS, Upkept, upkeep
from support.fleet import Fleet

HOUR_S = GRACE_MS // 1000


def now_ms() -> int:
    """The wall clock: git judges the age of its files by it."""
    return time.time_ns() // 1_000_000


def kept(fleet: Fleet) -> Upkept:
    """Run upkeep once."""
    return upkeep(str(fleet.remote), now_ms=now_ms())


def age(root: Path, seconds: int = HOUR_S + 60) -> None:
    """Let every file below *root* be that much older."""
    moment = time.time() - seconds
    for path in root.rglob("*"):
        os.utime(path, (moment, moment))
