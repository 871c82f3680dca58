"""Line and column of a member in TOML or JSON, for errors alone.

Their parsers do not tell. In JSON the way to the member is walked with the parser's own parts. In
TOML the document is cut at line ends: the statement that brings the member is the line whose
addition makes it appear.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from catalog.kdl import Address

MAX_LETTERS = 16_384
"""As in KDL: a longer document has no positions."""
MAX_CUTS = 64
"""How often a TOML document is cut; a text of very many lines can use that up."""

Place = tuple[int, int]
_BLANK = " \t\n\r"


class JsonPlaces:
    """The places of the members of one JSON document; the steps of an address are indices."""

    def __init__(self, text: str) -> None:
        self._text = text if len(text) <= MAX_LETTERS else ""

    def place(self, at: Address) -> Place | None:
        """Return where the member at *at* begins. Never raises."""
        text = self._text
        try:
            offset = _walk(text, at)
        except (ValueError, IndexError, RecursionError):
            return None
        return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _walk(text: str, at: Address) -> int:
    from json import JSONDecoder

    decoder = JSONDecoder()
    offset = begin = _after_blanks(text, 0)
    for step in at:
        is_object = text[offset] == "{"
        offset = _after_blanks(text, offset + 1)
        for index in range(int(step) + 1):
            begin = offset
            if is_object:
                _, offset = decoder.raw_decode(text, offset)
                offset = _after_blanks(text, _after_blanks(text, offset) + 1)
            if index < int(step):
                _, offset = decoder.raw_decode(text, offset)
                offset = _after_blanks(text, _after_blanks(text, offset) + 1)
    return begin


def _after_blanks(text: str, offset: int) -> int:
    while text[offset] in _BLANK:
        offset += 1
    return offset


class TomlPlaces:
    """The places of the members of one TOML document, found by cutting it at line ends."""

    def __init__(self, text: str) -> None:
        # As its parser reads them: a cut after the first half of such an end would be no document.
        lines = text.replace("\r\n", "\n").split("\n")
        self._lines = lines if len(text) <= MAX_LETTERS else None
        self._cuts: dict[int, dict[str, Any] | None] = {}

    def place(self, at: Address) -> Place | None:
        """Return where the statement begins that brings the member at *at*. Never raises."""
        lines = self._lines
        if lines is None or not at:
            return (1, 1) if lines is not None else None
        try:
            if not self._has(len(lines), at):
                return None
            start = self._last_without(at)
        except (LookupError, RecursionError):
            return None
        return start + 1, len(lines[start]) - len(lines[start].lstrip()) + 1

    def _last_without(self, at: Address) -> int:
        """Return the most lines that are whole statements and do not have the member yet."""
        without, within = 0, len(self._lines or ())
        while True:
            middle = (without + within) // 2
            for cut in (*range(middle, within), *range(middle - 1, without, -1)):
                has = self._has(cut, at) if cut > without else None
                if has is not None:
                    break
            else:
                return without
            without, within = (without, cut) if has else (cut, within)

    def _has(self, cut: int, at: Address) -> bool | None:
        """Say whether the first *cut* lines have the member; None: they end in a statement."""
        if cut not in self._cuts:
            self._cuts[cut] = self._parse(cut)
        found: Any = self._cuts[cut]
        if found is None:
            return None
        for step in at:
            held = found if isinstance(found, dict) else dict(enumerate(found))
            if step not in held:
                return False
            found = held[step]
        return True

    def _parse(self, cut: int) -> dict[str, Any] | None:
        from tomllib import TOMLDecodeError, loads

        if len(self._cuts) >= MAX_CUTS:
            raise LookupError(cut)
        try:
            return loads("\n".join((self._lines or [])[:cut]))
        except TOMLDecodeError:
            return None
