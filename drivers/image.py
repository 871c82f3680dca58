"""Becoming another program exactly as libc's ``execvp`` does, environment untouched."""

from __future__ import annotations

import os
from errno import EACCES, ENODEV, ENOENT, ENOEXEC, ENOTDIR, ESTALE, ETIMEDOUT, errorcode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

_SHELL = b"/bin/sh"
_KEEP_LOOKING = (ENOENT, ENOTDIR, ENODEV, ESTALE, ETIMEDOUT)


def inherited_environment() -> dict[bytes, bytes]:
    """Return the environment that this process was started with.

    Taken from the kernel's copy: the interpreter adds ``LC_CTYPE`` to its own under ``LANG=C``.
    """
    try:
        with open("/proc/self/environ", "rb", buffering=0) as block:
            raw = block.read()
    except OSError:
        raw = b""
    if not raw:
        return _own_environment()
    environment: dict[bytes, bytes] = {}
    for entry in raw.split(b"\0"):
        name, equals, value = entry.partition(b"=")
        if name and equals:
            environment.setdefault(name, value)
    return environment


def _own_environment() -> dict[bytes, bytes]:
    environment = dict(os.environb)
    if environment.get(b"LC_CTYPE") == b"C.UTF-8" and not environment.get(b"LC_ALL"):
        del environment[b"LC_CTYPE"]
    return environment


def become(argv: list[bytes], environment: Mapping[bytes, bytes]) -> NoReturn:
    """Replace this process by the program that *argv* names; OSError where that fails."""
    program = argv[0]
    if not program:
        raise OSError(ENOENT, os.strerror(ENOENT))
    if b"/" in program:
        _become_file(program, argv, environment)
    denied = False
    for folder in _search_path(environment):
        try:
            _become_file(os.path.join(folder, program) if folder else program, argv, environment)
        except OSError as error:
            denied |= error.errno == EACCES
            if error.errno != EACCES and error.errno not in _KEEP_LOOKING:
                raise
    failure = EACCES if denied else ENOENT
    raise OSError(failure, os.strerror(failure))


def _search_path(environment: Mapping[bytes, bytes]) -> list[bytes]:
    path = environment.get(b"PATH")
    return (os.fsencode(os.confstr("CS_PATH") or "") if path is None else path).split(b":")


def _become_file(file: bytes, argv: list[bytes], environment: Mapping[bytes, bytes]) -> NoReturn:
    try:
        os.execve(file, argv, environment)
    except OSError as error:
        if error.errno != ENOEXEC:
            raise
    # A script without "#!": libc hands it to the shell, and so do env, timeout and nohup.
    os.execve(_SHELL, [_SHELL, file, *argv[1:]], environment)


def errno_name(error: OSError) -> str:
    """Return the kernel's name of *error*, such as ``ENOENT``."""
    return errorcode.get(error.errno or 0, "EIO")
