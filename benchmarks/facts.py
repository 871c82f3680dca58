"""The machine: what has to be known beside a number to believe it."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path


def facts(folder: Path) -> dict[str, str]:
    """What does not change while all is measured; *folder* is where the catalogs lie."""
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True)
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "git": git.stdout.split()[2],
        "kernel": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "file system": file_system(folder),
    }


def load() -> float:
    """How many processes ran or waited, over the last minute."""
    return round(os.getloadavg()[0], 1)


def file_system(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> str:
    """The kind of file system that holds *folder*; ``?`` where the system does not say."""
    place, best, kind = f"{folder.resolve()}/", "", "?"
    if not mounts.exists():
        return kind
    for line in mounts.read_text().splitlines():
        _, point, found, *_ = line.split()
        below = point.rstrip("/") + "/"
        if place.startswith(below) and len(below) >= len(best):
            best, kind = below, found
    return kind


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()
