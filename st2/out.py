"""What is printed: data to stdout, talk to stderr, both as UTF-8 whatever the locale says."""

from __future__ import annotations

import os
from errno import EBADF, EPIPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.finding import Finding


class ClosedPipe(Exception):
    """Nobody reads what is written any more; the command ends quietly."""


def plain(text: str) -> str:
    """Return *text* with every control, bidi and format character escaped.

    Text from a file, a ref or another host goes through here before a person sees it.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    code = ord(letter)
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\u{code:04x}" if code > 0xFF else f"\\x{code:02x}"


def emit(text: str) -> None:
    """Write data to stdout."""
    rest = _encoded(text)
    try:
        while rest:
            try:
                rest = rest[os.write(1, rest) :]
            except BlockingIOError:
                _wait_for_room(1)
    except OSError as error:
        if error.errno == EPIPE or (error.errno == EBADF and not _is_open(1)):
            raise ClosedPipe from None
        from catalog.errors import reason_of
        from catalog.refusals import Unprintable

        found = "is open for reading alone" if error.errno == EBADF else reason_of(error)
        raise Unprintable("stdout", f"{found}, wanted a place to write to") from None


def say(text: str) -> None:
    """Write a line of talk to stderr; where nobody listens it is lost."""
    rest = _encoded(text + "\n")
    try:
        while rest:
            rest = rest[os.write(2, rest) :]
    except OSError:
        pass


def warn(text: str) -> None:
    """Say what a person should look at, without stopping."""
    say(f"warning: {plain(text)}")


def remark(finding: Finding) -> None:
    """Say what was found: where, what, and the way out if it has one."""
    warn(f"{finding.where}: {finding.message}" if finding.path else finding.message)
    if finding.hint:
        say(f"hint: {plain(finding.hint)}")


def _encoded(text: str) -> memoryview:
    return memoryview(text.encode("utf-8", "backslashreplace"))


def _wait_for_room(descriptor: int) -> None:
    """Wait until a pipe takes more: whoever shares it with us may have made it non-blocking."""
    from select import POLLOUT, poll

    room = poll()
    room.register(descriptor, POLLOUT)
    room.poll()


def _is_open(descriptor: int) -> bool:
    """Say whether it is open at all: one that may only be read is the caller's mistake."""
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
