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
    try:
        _write(1, text)
    except OSError as error:
        if error.errno in (EPIPE, EBADF):
            raise ClosedPipe from None
        from catalog.errors import reason_of
        from catalog.refusals import Unprintable

        raise Unprintable("stdout", f"{reason_of(error)}, wanted a place to write to") from None


def say(text: str) -> None:
    """Write a line of talk to stderr; where nobody listens it is lost."""
    try:
        _write(2, text + "\n")
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


def _write(descriptor: int, text: str) -> None:
    rest = memoryview(text.encode("utf-8", "backslashreplace"))
    while rest:
        rest = rest[os.write(descriptor, rest) :]
