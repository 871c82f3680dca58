"""When this host's last round ran, and why it failed where it did: host-local, to be told.

A beat says when a round went well. Without this a host whose rounds fail would read as one
that is merely quiet, and what it shows of the others as current.
"""

from __future__ import annotations

from catalog import flat
from catalog.errors import St2Error
from catalog.seen import Content

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.layout import Layout
    from catalog.system.files import Files

_LETTERS = 300


def save(files: Files, layout: Layout, at_ms: int, failed: St2Error | None) -> None:
    """Keep what became of a round; where it cannot be kept the round is no worse."""
    reason = "" if failed is None else str(failed)[:_LETTERS]
    try:
        files.replace(layout.latest(), flat.render({"at_ms": at_ms, "failed": reason}))
    except (OSError, St2Error):
        return


def failure(files: Files, layout: Layout) -> tuple[int, str] | None:
    """Return when the last round ran and why it failed; None where it did not."""
    found = files.read(layout.latest(), limit=4096)
    fields = flat.read(found.raw) if isinstance(found, Content) else None
    at_ms, failed = (fields or {}).get("at_ms"), (fields or {}).get("failed")
    if not isinstance(at_ms, int) or not isinstance(failed, str) or not failed:
        return None
    return at_ms, failed
