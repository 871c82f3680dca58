"""The major version of the `mcp` SDK that is not a development dependency, in a folder of its own.

It is put beside its place and renamed, so that it is there whole or not at all; one process
installs at a time.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

from harness.programs import cache

VERSION = "1.30.0"


def folder() -> Path:
    """Return the folder to put on the path, installed; raises OSError, CalledProcessError."""
    place = cache(os.environ) / f"mcp-{VERSION}-{sys.implementation.cache_tag}"
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.is_dir():
            beside = place.with_suffix(".partial")
            shutil.rmtree(beside, ignore_errors=True)
            _install(beside)
            beside.rename(place)
    return place


def _install(beside: Path) -> None:
    options = ("--quiet", "--disable-pip-version-check", "--target", str(beside))
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, f"mcp=={VERSION}"],
        check=True,
        capture_output=True,
        timeout=110,
    )
