"""The roster for people: a table, a line of counts, a line about the hosts."""

from __future__ import annotations

from catalog.heard import here_ms
from catalog.offset import words as offset_words
from catalog.windows import STALE_MS
from st2.ages import ago, words
from st2.out import plain
from st2.tsv import not_running

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalog.activity import Activity
    from catalog.offset import Interval
    from catalog.roster import Row

_HEADER = ("AGENT", "STATUS", "WHY", "AGE", "ACTIVITY", "NAME", "DESCRIPTION")
_ORDER = ("available", "busy", "away", "dnd", "unknown", "offline")
_GAP = "  "


class Footing:
    """What the lines under the table are about."""

    __slots__ = ("clock_only", "failed", "host", "host_beats", "now_ms", "skews")

    def __init__(
        self,
        host: str,
        host_beats: Mapping[str, int | None],
        now_ms: int,
        *,
        clock_only: bool,
        failed: tuple[int, str] | None = None,
        skews: Mapping[str, Interval | None] | None = None,
    ) -> None:
        self.host = host
        self.host_beats = host_beats
        self.now_ms = now_ms
        self.clock_only = clock_only
        self.failed = failed
        self.skews = {} if skews is None or clock_only else skews


def table(rows: list[Row], footing: Footing, *, width: int) -> str:
    """Return the table, who is there first, cut to *width* columns, and what stands below it."""
    return "\n".join([*body(ordered(rows), width=width), *foot(rows, footing)]) + "\n"


def ordered(rows: list[Row]) -> list[Row]:
    """Return the rows in the order of the table: who is there first."""
    return sorted(rows, key=lambda row: (_ORDER.index(row.state), row.identity))


def body(shown: list[Row], *, width: int) -> list[str]:
    """Return the header and a line a row, each cut to *width* columns; nothing without rows."""
    cells = [_HEADER, *(_cells(row) for row in shown)]
    sizes = [max(_width(line[column]) for line in cells) for column in range(len(_HEADER))]
    return [_line(line, sizes, width) for line in cells] if shown else []


def foot(rows: list[Row], footing: Footing) -> list[str]:
    """Return the lines below the rows: their counts, a mark that they have, the hosts."""
    return [_summary(rows), *_unrecorded(rows), *_hosts(footing)]


def _cells(row: Row) -> tuple[str, ...]:
    presence, declaration = row.assessed.presence, row.declaration
    age = "-" if presence.age_ms is None else words(presence.age_ms)
    if presence.age_ms is not None and presence.age_ms < 0:
        age = f"{age} ahead"
    name = plain(declaration.name or "") if declaration else ""
    description = plain(declaration.description or "") if declaration else ""
    mark = not_running(row)
    told = f"{mark} {description}".strip()
    work = _work(row.assessed.activity)
    return (row.identity, presence.state, presence.why, age, work, name, told)


def _work(activity: Activity | None) -> str:
    """Say how the work stands; marked where it is told by the session's start alone."""
    if activity is None:
        return "-"
    mark = "?" if activity.source == "session" else ""
    aged = activity.state in ("stalled", "idle") and activity.age_ms is not None
    return (
        f"{activity.state}{mark} {words(activity.age_ms or 0)}" if aged else activity.state + mark
    )


def _unrecorded(rows: list[Row]) -> list[str]:
    """Explain the mark of :func:`_work` where a row has it."""
    works = [row.assessed.activity for row in rows]
    if not any(work is not None and work.source == "session" for work in works):
        return []
    return ["?: no activity was recorded, measured from the session's start"]


def _line(cells: tuple[str, ...], sizes: list[int], width: int) -> str:
    padded = [cell + " " * (size - _width(cell)) for cell, size in zip(cells, sizes, strict=True)]
    return _cut(_GAP.join(padded).rstrip(), width)


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text
    )


def _cut(text: str, width: int) -> str:
    if width <= 0 or _width(text) <= width:
        return text
    while text and _width(text) >= width:
        text = text[: min(len(text) - 1, width)]
    return text + "…"


def _summary(rows: list[Row]) -> str:
    """Return the counts in the rows' own words."""
    counts = {state: sum(row.state == state for row in rows) for state in _ORDER}
    told = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    noun = "agent" if len(rows) == 1 else "agents"
    return f"{len(rows)} {noun}: {told}" if rows else "no agents"


def _hosts(footing: Footing) -> list[str]:
    """Say of each other host when it was heard, and of this one when it last synced."""
    beats = sorted(footing.host_beats.items())
    synced = footing.failed is not None or any(beat_ms is not None for _, beat_ms in beats)
    told = [_heard(host, beat_ms, footing) for host, beat_ms in beats if synced]
    if footing.clock_only:
        told.append("process evidence off: --now")
    line = "; ".join(each for each in told if each)
    return [line] if line else []


def _heard(host: str, beat_ms: int | None, footing: Footing) -> str:
    if host == footing.host and footing.failed is not None:
        at_ms, reason = footing.failed
        return f"sync last ran {ago(footing.now_ms - at_ms)}, and failed: {plain(reason)}"
    if host == footing.host:
        return f"sync last ran {ago(footing.now_ms - beat_ms)}" if beat_ms is not None else ""
    if beat_ms is None:
        return f"{host} never published here"
    skew = footing.skews.get(host)
    age_ms = footing.now_ms - here_ms(beat_ms, skew)
    clock = f" (clock {offset_words(skew)})" if skew is not None else ""
    if age_ms >= STALE_MS:
        return f"{host} not heard for {words(age_ms)}{clock}"
    return f"{host} as of {ago(age_ms)}{clock}"
