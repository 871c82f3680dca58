"""``st2 [COMMAND] --help``: the page that click would print on 80 columns, as it was kept.

On a narrower terminal, or where the words before it are no command, click answers.
"""

from __future__ import annotations

import os

import st2
from st2.out import emit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ASKS = ("-h", "--help")
COLUMNS = 80
"""Click makes no use of more."""


def parse(args: Sequence[str], environ: Mapping[str, str]) -> str | None:
    """Return the page that *args*, whose last is one of ASKS, ask for; None leaves it to click."""
    words = args[:-1]
    if any(word.startswith("-") or " " in word for word in words) or _columns(environ) < COLUMNS:
        return None
    return _pages().get(" ".join(("st2", *words)))


def run(page: str) -> int:
    """Serve the command."""
    emit(page)
    return 0


def _columns(environ: Mapping[str, str]) -> int:
    """Return the width that click would see."""
    try:
        columns = int(environ.get("COLUMNS", ""))
    except ValueError:
        columns = 0
    if columns > 0:
        return columns
    try:
        return os.get_terminal_size(1).columns
    except OSError:
        return COLUMNS


def _pages() -> dict[str, str]:
    """Return the pages by command; none where they cannot be read."""
    try:
        with open(f"{st2.__path__[0]}/help.txt", encoding="utf-8", newline="") as file:
            pages = file.read().split("\f")[1:]
    except (OSError, ValueError):
        return {}
    return {path: page for path, _, page in (page.partition("\n") for page in pages)}
