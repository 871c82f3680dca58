"""The two-line record: a word, then a version and a stamp in milliseconds.

``<word>`` LF ``v1`` SP ``<decimal>`` LF. :func:`parse` accepts exactly the bytes that
:func:`render` writes, is total, and tells apart what a reader has to treat differently.
"""

from __future__ import annotations

from catalog.value import Value
from catalog.windows import RECORD_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

VERSION = 1
LARGEST_STAMP_MS = 2**63 - 1
SETTABLE = ("offline", "available", "busy", "away", "dnd")
"""The words that a ``status`` may be set to; ``unknown`` is derived, never set."""

NOBODY = "-"
"""What ``seen`` says of a beat whose caller named no session."""

_DIGITS = frozenset("0123456789")
_ZERO = ord("0")


class Record(Value):
    """A sound record of this version: its word and its stamp (``stamp_ms``, Unix time)."""

    __slots__ = ("stamp_ms", "word")

    def __init__(self, word: str, stamp_ms: int) -> None:
        self.word = word
        self.stamp_ms = stamp_ms


class Legacy(Value):
    """A good word on one line, as writers of old left it: its only clock is the file time."""

    __slots__ = ("word",)

    def __init__(self, word: str) -> None:
        self.word = word


class Newer(Value):
    """A good word and a stamp line of a later version: not broken, and not ours to judge."""

    __slots__ = ("version", "word")

    def __init__(self, word: str, version: int) -> None:
        self.word = word
        self.version = version


class Malformed(Value):
    """A good word, then something that no version writes."""

    __slots__ = ("word",)

    def __init__(self, word: str) -> None:
        self.word = word


class Invalid(Value):
    """Line one is no word of ours."""

    __slots__ = ()


class Literal(Value):
    """Line one is the derived word ``unknown``, written out."""

    __slots__ = ()


Parsed = Record | Legacy | Newer | Malformed | Invalid | Literal


def is_settable(word: str) -> bool:
    """Say whether *word* is one that a status may be set to."""
    return word in SETTABLE


def parse(raw: bytes, is_word: Callable[[str], bool] = is_settable) -> Parsed:
    """Classify *raw*, whose line one is judged by *is_word*. Never raises.

    *raw* may hold one byte more than :data:`RECORD_BYTES`: that is how a reader that stops
    there shows that the file went on.
    """
    sound = as_written(raw)
    if sound is not None and is_word(sound.word):
        return sound
    return parse_any(raw, is_word)


def as_written(raw: bytes) -> Record | None:
    """Read the form of nearly every record, whatever its word; None says nothing of the bytes.

    A property test holds this to :func:`parse_any`.
    """
    word, mark, rest = raw.partition(b"\nv1 ")
    digits = rest[:-1]
    if not mark or not word.isalnum() or not digits.isdigit() or rest[-1:] != b"\n":
        return None
    if digits[0] == _ZERO or len(digits) > 18 or len(raw) > RECORD_BYTES:
        return None
    return Record(word.decode("ascii"), int(digits))


def parse_any(raw: bytes, is_word: Callable[[str], bool]) -> Parsed:
    """Classify *raw* by the whole table."""
    first, newline, rest = raw.partition(b"\n")
    try:
        word = first.decode("ascii")
    except UnicodeDecodeError:
        return Invalid()
    if not is_word(word):
        return Literal() if word == "unknown" else Invalid()
    if not newline or not rest:
        return Legacy(word)
    version = _later_version(rest.partition(b"\n")[0])
    if version is not None:
        return Newer(word, version)
    stamp_ms = _stamp(rest) if len(raw) <= RECORD_BYTES else None
    return Malformed(word) if stamp_ms is None else Record(word, stamp_ms)


def _later_version(line: bytes) -> int | None:
    """Return N for a line ``vN`` or ``vN ...`` with N from 2 to 9999."""
    mark = line.partition(b" ")[0].decode("latin-1")
    digits = mark[1:]
    if mark[:1] != "v" or not 1 <= len(digits) <= 4 or not _DIGITS.issuperset(digits):
        return None
    if digits[0] == "0" or digits == str(VERSION):
        return None
    return int(digits)


def _stamp(rest: bytes) -> int | None:
    """Return the stamp of exactly ``v1 <decimal>`` LF."""
    text = rest.decode("latin-1")
    digits = text[3:-1]
    if text[:3] != "v1 " or text[-1] != "\n" or not 1 <= len(digits) <= 19:
        return None
    if not _DIGITS.issuperset(digits) or (digits[0] == "0" and digits != "0"):
        return None
    stamp_ms = int(digits)
    return stamp_ms if stamp_ms <= LARGEST_STAMP_MS else None


def render(word: str, stamp_ms: int) -> bytes:
    """Return the bytes of a record; *stamp_ms* is brought into 0 to 2**63 - 1."""
    return f"{word}\nv{VERSION} {min(max(stamp_ms, 0), LARGEST_STAMP_MS)}\n".encode()
