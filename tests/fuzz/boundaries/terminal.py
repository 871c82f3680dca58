"""Any text on its way to a person: escaped for a terminal, for KDL, for a shell, for the log."""

from __future__ import annotations

import shlex

from catalog import kdl
from catalog.system.log import LINE_CHARS, _line
from drivers import formats
from drivers.driver import Expansion
from fuzz.told import check_plain
from st2.out import plain
from st2.table import _cut, _width

REACHED = frozenset(("escaped", "as it is", "cut", "wide", "eval", "quoted"))
GROWING = {
    "controls": lambda size: b"\x1b" * size,
    "wide": lambda size: "日".encode() * size,
    "marks": lambda size: "e\u0301".encode() * size,
    "quotes": lambda size: b"'" * size,
}
WIDTH = 40


def check(data: bytes) -> set[str]:
    """Escape; what is escaped stays, and reads back where its form has a reader."""
    text = data.decode("utf-8", "surrogateescape")
    shown = plain(text)
    assert shown.isprintable() and plain(shown) == shown
    reached = {"as it is" if shown == text else "escaped"}
    cut = _cut(shown, WIDTH)
    assert _width(cut) <= WIDTH
    reached |= {"cut"} if cut != shown else set()
    reached |= {"wide"} if _width(shown) > len(shown) else set()
    line = _line(text, 1_800_000_000_000).decode()
    assert line.count("\n") == 1 and line[:-1].isprintable() and len(line) <= 12 * LINE_CHARS
    return reached | (_forms(text) if _is_text(text) else set())


def _is_text(text: str) -> bool:
    """Say whether a declaration can hold it."""
    return "\0" not in text and not any(0xD800 <= ord(letter) < 0xE000 for letter in text)


def _forms(text: str) -> set[str]:
    quoted = formats.kdl_string(text)
    check_plain(quoted)
    assert "\n" not in quoted and "\t" not in quoted
    if len(text) < kdl.MAX_DIGITS:
        nodes = kdl.parse(f"a {quoted}".encode())
        assert isinstance(nodes, list) and nodes[0].args[0] == text
    line = formats.to_shell(Expansion(argv=(text, "x")))
    check_plain(line)
    assert line.count("\n") == 1
    if line.startswith("eval "):
        return {"eval"}
    assert shlex.split(line) == [text, "x"]
    return {"quoted"}
