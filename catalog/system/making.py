"""A bare repository that is made inside the folder that it is for, and seen only once it is whole.

Whoever makes it may be killed at any moment, and its disk may be full. The parts lie in a folder
of a name of our own until all of them are there; they are moved out of it, the objects last,
because no git takes a folder without them for a repository.
"""

from __future__ import annotations

import os
import shutil

ASIDE = "st2-making"
"""The folder inside the repository's in which it is made; it says that nobody else began there."""

PARTS = ("HEAD", "config", "refs", "reftable")
"""What may lie beside it where an attempt was cut short: all that git makes but for objects."""

LAST = "objects"


def is_free(path: str) -> bool:
    """Say whether a repository may be made at *path*: nothing is there, or what we left there."""
    if not os.path.lexists(path):
        return True
    if not os.path.isdir(path):
        return False
    found = set(os.listdir(path))
    aside = f"{path}/{ASIDE}"
    begun = os.path.isdir(aside) and not os.path.islink(aside)
    return not found or (begun and found <= {ASIDE, *PARTS})


def begin(path: str) -> str:
    """Make the folder in which the parts are made, empty, and return it. Safe to repeat."""
    aside = f"{path}/{ASIDE}"
    os.makedirs(path, exist_ok=True)
    shutil.rmtree(aside, ignore_errors=True)
    os.mkdir(aside)
    return aside


def finish(path: str) -> None:
    """Move every part to its place, the objects last. Raises OSError."""
    aside = f"{path}/{ASIDE}"
    for name in sorted(os.listdir(aside), key=lambda name: (name == LAST, name)):
        if not os.path.isdir(f"{path}/{name}"):
            os.rename(f"{aside}/{name}", f"{path}/{name}")
    drop(path)


def drop(path: str) -> None:
    """Remove the folder in which the parts were made, of a repository that is there or that failed.

    Absence is fine.
    """
    shutil.rmtree(f"{path}/{ASIDE}", ignore_errors=True)
