"""This host's own log: what a session's owner could not write and nobody was there to hear.

Appending never raises and never follows a symlink; a log that cannot be written is lost.
"""

from __future__ import annotations

import os
import stat
from time import gmtime, strftime

from catalog.errors import St2Error
from catalog.seen import Content
from catalog.system.folders import owned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.system.files import Files

LOG_BYTES = 262_144
"""The size at which the log is put aside as ``<log>.1`` and begun anew."""

LINE_CHARS = 500
"""The longest event; the rest of a longer one is cut off."""

_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def append(files: Files, path: str, event: str, *, now_ms: int) -> bool:
    """Add one line to the log at *path*; False, and nothing worse, where that is impossible."""
    try:
        folder, name = files.folder_of(path, make=True)
    except (OSError, St2Error):
        return False
    try:
        return _append_at(folder, name, _line(event, now_ms))
    except OSError:
        return False
    finally:
        os.close(folder)


def latest(files: Files, path: str, subject: str) -> str | None:
    """Return the last line about *subject* (an event that begins with it), time first."""
    found = files.read(path, LOG_BYTES + 2 * LINE_CHARS)
    if not isinstance(found, Content):
        return None
    lines = found.raw.decode("utf-8", "replace").split("\n")
    about = [line for line in lines if line.partition(" ")[2].startswith(subject)]
    return about[-1] if about else None


def _append_at(folder: int, name: str, line: bytes) -> bool:
    file = owned(os.open, name, _APPEND, 0o600, dir_fd=folder)
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            return False
        is_full = found.st_size > LOG_BYTES
        if not is_full:
            _write(file, line)
    finally:
        os.close(file)
    if is_full:
        # Whoever was to put it aside was killed, or could not.
        _put_aside(folder, name)
        return _append_at(folder, name, line)
    if found.st_size + len(line) > LOG_BYTES:
        try:
            _put_aside(folder, name)
        except OSError:
            pass  # the line is there; the next one tries again, and is not written where it fails
    return True


def _write(file: int, line: bytes) -> None:
    rest = memoryview(line)
    while rest:
        rest = rest[os.write(file, rest) :]


def _put_aside(folder: int, name: str) -> None:
    os.rename(name, f"{name}.1", src_dir_fd=folder, dst_dir_fd=folder)


def _line(event: str, now_ms: int) -> bytes:
    seconds, rest_ms = divmod(now_ms, 1_000)
    moment = strftime("%Y-%m-%dT%H:%M:%S", gmtime(seconds))
    shown = "".join(_escaped(letter) for letter in event[:LINE_CHARS])
    return f"{moment}.{rest_ms:03d}Z {shown}\n".encode()


def _escaped(letter: str) -> str:
    return letter if letter.isprintable() else f"\\u{ord(letter):04x}"
