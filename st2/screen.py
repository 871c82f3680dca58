"""The live table as a screen: the table's own lines, cut to the window, with colours.

Every text is one that the table has escaped; nothing in it is taken for markup.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from rich.console import Console
from rich.text import Text

from catalog.roster import Row
from st2.table import Footing, body, foot, ordered

_COLOURS = {
    "available": "green",
    "busy": "yellow",
    "away": "cyan",
    "dnd": "magenta",
    "unknown": "bold red",
    "offline": "dim",
}
_TERMINAL = ("COLORTERM", "NO_COLOR", "TERM")


def console(file: TextIO, environ: Mapping[str, str]) -> Console:
    """Return the terminal behind *file*; its size is asked for anew at every drawing."""
    told = {name: environ[name] for name in _TERMINAL if name in environ}
    return Console(
        file=file, force_terminal=True, markup=False, emoji=False, highlight=False, _environ=told
    )


def screen(rows: list[Row], footing: Footing, notes: list[str], *, width: int, height: int) -> Text:
    """Return the table of *rows* with *notes* below it, as *height* lines of *width* at most."""
    shown = ordered(rows)
    lines = [_coloured(line, row) for line, row in _paired(body(shown, width=width), shown)]
    below = [*foot(rows, footing), *notes]
    room = max(height - len(below), 2)
    if len(lines) > room:
        hidden = len(lines) - room + 1
        lines = [*lines[: room - 1], Text(f"… and {hidden} more", style="dim")]
    whole = Text("\n", no_wrap=True, overflow="crop").join([*lines, *map(Text, below)])
    whole.no_wrap, whole.overflow = True, "crop"
    return whole


def _paired(lines: list[str], shown: list[Row]) -> list[tuple[str, Row | None]]:
    return list(zip(lines, [None, *shown], strict=True)) if lines else []


def _coloured(line: str, row: Row | None) -> Text:
    if row is None:
        return Text(line, style="bold")
    text = Text(line)
    start = line.find(f" {row.state}", len(row.identity)) + 1
    text.stylize(_COLOURS[row.state], start, start + len(row.state))
    return text
