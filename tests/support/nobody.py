"""Runs a function as a user who may not read everything."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from collections.abc import Callable

import catalog.system.locks  # noqa: F401  (what the child imports late may be closed to it)

NOBODY = 65534


def as_nobody(work: Callable[[str], object]) -> object:
    """Return what *work* returns of a fresh folder, run by nobody where we are root."""
    root = tempfile.mkdtemp()
    there, here = os.pipe()
    if os.geteuid() == 0:
        os.chown(root, NOBODY, NOBODY)
    child = os.fork()
    if child == 0:
        _run(work, root, here)
    os.close(here)
    with os.fdopen(there, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    shutil.rmtree(root, ignore_errors=True)
    return pickle.loads(told)


def _run(work: Callable[[str], object], root: str, here: int) -> None:
    try:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        try:
            found: object = work(root)
        except Exception as error:
            found = repr(error)
        os.write(here, pickle.dumps(found))
    finally:
        os._exit(0)
