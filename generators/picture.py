"""``examples/roster.svg``: the live table of the README's fleet, as it looks on a terminal.

Drawn from the very text that the terminal gets; without fonts from elsewhere.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from rich.text import Text

from st2.screen import screen

PLACE = "examples/roster.svg"
COLUMNS = 100
LETTER, LINE, MARGIN = 8.4, 20, 18
"""Pixels: the width of a letter, the height of a line, the space around it all."""
STYLES = {
    "bold": "font-weight:bold",
    "bold red": "font-weight:bold;fill:#ff7b72",
    "cyan": "fill:#76e3ea",
    "dim": "fill:#8b949e",
    "green": "fill:#7ee787",
    "magenta": "fill:#d2a8ff",
    "yellow": "fill:#f2cc60",
}
HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 {width} {height}" \
role="img" aria-label="The roster of four agents on two hosts, as st2 agents --watch shows it">
<style>text {{ font: 14px ui-monospace, Menlo, Consolas, monospace; fill: #e6edf3; \
white-space: pre }}</style>
<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>
"""


def files() -> dict[str, str]:
    """Return the path of the picture and the picture."""
    tests = str(Path(__file__).parent.parent / "tests")
    if tests not in sys.path:
        sys.path.append(tests)
    from readme_fleet import roster

    with tempfile.TemporaryDirectory() as folder:
        rows, footing = roster(Path(folder))
    shown = screen(rows, footing, [], width=COLUMNS, height=50)
    lines = [Text("$ st2 agents --watch", style="dim"), *shown.split("\n")]
    return {PLACE: drawn(lines)}


def present(root: Path) -> Iterable[str]:
    """Return what is there of it."""
    return [PLACE] if (root / PLACE).exists() else []


def drawn(lines: list[Text]) -> str:
    """Return *lines* as a picture of a terminal."""
    longest = max(len(line.plain.rstrip()) for line in lines)
    size = {"width": round(longest * LETTER) + 2 * MARGIN, "height": len(lines) * LINE + 2 * MARGIN}
    told = [
        f'<text x="{MARGIN}" y="{MARGIN + 14 + number * LINE}">{"".join(_spans(line))}</text>\n'
        for number, line in enumerate(lines)
    ]
    return HEAD.format(**size) + "".join(told) + "</svg>\n"


def _spans(line: Text) -> Iterator[str]:
    """Yield the parts of a line, each in its style; the spans of the table do not overlap."""
    at = 0
    spans = [(span.start, span.end, str(span.style)) for span in line.spans]
    if not spans and str(line.style):
        spans = [(0, len(line.plain), str(line.style))]
    for start, end, style in sorted(spans):
        yield escape(line.plain[at:start], quote=False)
        inside = escape(line.plain[start:end], quote=False)
        yield f'<tspan style="{STYLES[style]}">{inside}</tspan>'
        at = end
    yield escape(line.plain[at:].rstrip(), quote=False)
