"""A page of the manual as roff, of the few macros of man(7) that every reader knows."""

from __future__ import annotations

from collections.abc import Iterable


def escaped(text: str) -> str:
    """Return *text* so that roff prints it as it is."""
    told = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return f"\\&{told}" if told.startswith(".") else told


class Page:
    """One page; each method adds to it."""

    def __init__(self, title: str, *, version: str) -> None:
        name = escaped(title)
        self._lines = [
            '.\\" Written by generators/manual.py from the command tree; not by hand.',
            f'.TH "{name.upper()}" 1 "" "st2 {version}" "st2"',
            ".nh",
            ".ad l",
        ]

    def section(self, title: str) -> None:
        """Begin a section."""
        self._lines.append(f".SH {title}")

    def text(self, text: str) -> None:
        """Add a paragraph, one line a sentence."""
        self._paragraph()
        self._lines += _sentences(text)

    def _paragraph(self) -> None:
        """Begin one, but for where a title did."""
        if not self._lines[-1].startswith(".SH"):
            self._lines.append(".PP")

    def entry(self, head: str, text: str) -> None:
        """Add an entry of a list: a bold word or line, and what it means."""
        self._lines += [".TP", f"\\fB{escaped(head)}\\fR", *_sentences(text or "See above.")]

    def lines(self, lines: Iterable[str]) -> None:
        """Add lines that are not filled: commands to type."""
        self._paragraph()
        self._lines += [".nf", *(f"\\fB{escaped(line)}\\fR" for line in lines), ".fi"]

    def see(self, pages: Iterable[str]) -> None:
        """Name other pages of the manual."""
        named = [f"\\fB{escaped(page)}\\fR(1)" for page in pages]
        self._lines += [*(f"{each}," for each in named[:-1]), named[-1]]

    def name(self, title: str, about: str) -> None:
        """Add the one line that whatis(1) shows."""
        self._lines += [".SH NAME", f"{escaped(title)} \\- {escaped(about)}"]

    @property
    def source(self) -> str:
        """The page as roff."""
        return "\n".join(self._lines) + "\n"


def _sentences(text: str) -> list[str]:
    parts = text.replace(". ", ".\n").split("\n")
    return [escaped(part) for part in parts if part]
