"""A record of two lines and process evidence: exactly what is written is read, nothing raises."""

from __future__ import annotations

from catalog.activity import is_word
from catalog.damage import TWO_LINES, about_file
from catalog.evidence import parse_lines, render_lines
from catalog.merging import Place, merge
from catalog.names import is_token
from catalog.reading import read_status
from catalog.record import Newer, Record, is_settable, parse, render
from catalog.seen import Content
from fuzz.told import check_escaped

NOW_MS = 1_800_000_000_000
WORDS = {"status": is_settable, "activity": is_word, "held": is_token, "beat": is_token}
OTHER = b"busy\nv1 1799999999999\n"

REACHED = frozenset(
    (
        *("status Record", "status Legacy", "status Newer", "status Malformed", "status Invalid"),
        *("status Literal", "activity Record", "held Record", "evidence 1", "evidence 2"),
        *("reads fresh", "reads stale", "reads future", "damage crlf", "damage nul-filled"),
        "damage conflict-markers",
    )
)
GROWING = {
    "line ends": lambda size: b"busy" + b"\n" * size,
    "one long line": lambda size: b"a" * size,
    "evidence": lambda size: b"v1 s1 1 4711 100 b - - -\n" * size,
    "digits": lambda size: b"busy\nv1 " + b"9" * size + b"\n",
}


def check(data: bytes) -> set[str]:
    """Every record that a file may be, and the evidence that it may be."""
    reached = set()
    for name, judge in WORDS.items():
        parsed = parse(data, judge)
        if isinstance(parsed, Record):
            assert render(parsed.word, parsed.stamp_ms) == data
        if isinstance(parsed, Newer):
            assert 2 <= parsed.version <= 9_999
        reached.add(f"{name} {type(parsed).__name__}")
    reading = read_status(Content(data, 5), now_ms=NOW_MS)
    reached.add(f"reads {reading.why}")
    for name in TWO_LINES:
        for finding in about_file(f"agents/h1/a/{name}", Content(data, 5), here=True):
            check_escaped(finding.message)
            reached.add(f"damage {finding.code}")
        place = Place("h1", "a", name)
        kept = merge(place, data, OTHER)
        assert kept == merge(place, OTHER, data) and merge(place, kept, data) == kept
        assert kept in (OTHER, data[: place.limit + 1])
    found = parse_lines(data)
    assert parse_lines(render_lines(found)) == found
    return reached | {f"evidence {len(found)}"}
