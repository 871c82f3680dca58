"""A command line as it was typed so far, taken apart without running anything of it.

Completion is asked in the middle of a line. Quotes and backslashes are understood, ``~`` and
exported variables are put in; a command substitution stays the text that it is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_BLANK = " \t\n"
_ENDS = ";|&("
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def split(line: str, environ: Mapping[str, str]) -> list[str]:
    """Return the words of the last command of *line*; the last word is the one being typed.

    It is ``""`` after a blank. Never raises.
    """
    words: list[str] = []
    word: list[str] = []  # the pieces of the one being read: none, and it has not begun
    at = 0
    while at < len(line):
        letter = line[at]
        if letter in _BLANK:
            if word:
                words.append("".join(word))
            word, at = [], at + 1
        elif letter in _ENDS:
            words, word, at = [], [], at + 1
        else:
            text, at = _part(line, at, environ, first=not word)
            word.append(text)
    return [*words, "".join(word)]


def _part(line: str, at: int, environ: Mapping[str, str], *, first: bool) -> tuple[str, int]:
    """Read what begins at *at*: a quoted text, an escape, a variable, a letter."""
    letter = line[at]
    if letter == "'":
        end = line.find("'", at + 1)
        return (line[at + 1 :], len(line)) if end < 0 else (line[at + 1 : end], end + 1)
    if letter == '"':
        return _double(line, at + 1, environ)
    if letter == "\\":
        return line[at + 1 : at + 2], at + 2
    if letter == "$":
        return _variable(line, at, environ)
    if letter == "~" and first and line[at + 1 : at + 2] in ("", "/", *_BLANK):
        return environ.get("HOME", "~"), at + 1
    return letter, at + 1


def _double(line: str, at: int, environ: Mapping[str, str]) -> tuple[str, int]:
    pieces: list[str] = []
    while at < len(line) and line[at] != '"':
        if line[at] == "\\" and line[at + 1 : at + 2] in ("\\", '"', "$", "`"):
            text, at = line[at + 1], at + 2
        elif line[at] == "$":
            text, at = _variable(line, at, environ)
        else:
            text, at = line[at], at + 1
        pieces.append(text)
    return "".join(pieces), at + 1


def _variable(line: str, at: int, environ: Mapping[str, str]) -> tuple[str, int]:
    braced = line[at + 1 : at + 2] == "{"
    start = end = at + 2 if braced else at + 1
    while end < len(line) and line[end] in _NAME:
        end += 1
    if end == start or (braced and line[end : end + 1] != "}"):
        return "$", at + 1
    return environ.get(line[start:end], ""), end + braced
