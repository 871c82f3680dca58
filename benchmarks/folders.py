"""Where catalogs are made for as long as something is measured."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHM = Path("/dev/shm")


@contextmanager
def folders() -> Iterator[tuple[Path, Path]]:
    """A temporary folder on the disk, and one in memory where there is such a thing."""
    disk = Path(tempfile.mkdtemp(prefix="st2-bench-"))
    memory = Path(tempfile.mkdtemp(prefix="st2-bench-", dir=SHM if SHM.is_dir() else None))
    try:
        yield disk, memory
    finally:
        shutil.rmtree(disk, ignore_errors=True)
        shutil.rmtree(memory, ignore_errors=True)
