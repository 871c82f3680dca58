"""What ``--enrich`` adds to a row: how many files wait in the inbox, and the latest stir."""

from __future__ import annotations

from catalog.system.folders import Folder
from catalog.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.layout import Layout
    from catalog.roster import Row
    from catalog.system.files import Files


class Enriched(Value):
    """``inbox``: regular files directly in the inbox. ``last_activity_ms``: see :func:`enrich`."""

    __slots__ = ("inbox", "last_activity_ms")

    def __init__(self, inbox: int, last_activity_ms: int | None) -> None:
        self.inbox = inbox
        self.last_activity_ms = last_activity_ms


def enrich(files: Files, layout: Layout, row: Row) -> Enriched:
    """Stat the inbox of *row*; the latest of its file times and of the status stamp."""
    times = []
    folder = files.folder(layout.inbox(row.host, row.agent))
    if isinstance(folder, Folder):
        with folder:
            found = [folder.mtime_ms(name) for name in folder.names()]
        times = [mtime_ms for mtime_ms in found if mtime_ms is not None]
    inbox = len(times)
    stamp_ms = row.assessed.reading.stamp_ms
    if stamp_ms is not None:
        times.append(stamp_ms)
    return Enriched(inbox, max(times) if times else None)
