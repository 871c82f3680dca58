"""Installs the programs of ``programs.py`` by npm, once for each set of versions.

An installation is there whole or not at all: it is made beside its place and renamed. One process
installs at a time; what an interrupted one left is removed by the next.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from harness.programs import PROGRAMS, installation

FLAGS = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")


def install(place: Path, npm: str = "npm") -> bool:
    """Make the installation *place*; False when it was there."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with _alone(place.parent):
        if place.is_dir():
            return False
        for left in place.parent.glob("*.partial"):
            shutil.rmtree(left)
        beside = place.with_name(f"{place.name}.partial")
        _fill(beside, npm)
        beside.rename(place)
        return True


def _fill(folder: Path, npm: str) -> None:
    (folder / "bin").mkdir(parents=True)
    (folder / "package.json").write_text('{"private": true}\n')
    packages = [program.wanted for program in PROGRAMS]
    cache = folder / "npm-cache"
    subprocess.run([npm, "install", *FLAGS, "--cache", cache, *packages], cwd=folder, check=True)
    shutil.rmtree(cache, ignore_errors=True)
    for program in PROGRAMS:
        file = Path("../node_modules", program.file)
        (folder / "bin" / program.word).symlink_to(file)
        if not os.access(folder / "bin" / program.word, os.X_OK):
            raise SystemExit(f"{program.wanted}: no program {program.file}, wanted one")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    here = installation(os.environ)
    made = install(here)
    print(f"{here}: {'installed' if made else 'is there'}")
