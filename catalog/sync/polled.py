"""When this host last looked at all refs of its remote: what was not there then came later."""

from __future__ import annotations

from catalog import flat
from catalog.layout import Layout
from catalog.seen import Content
from catalog.system.files import Files


def load(files: Files, layout: Layout, *, remote: str) -> int | None:
    """Return when the last whole look at *remote* began (ms); None where there was none."""
    found = files.read(layout.polled(), limit=8_192)
    fields = flat.read(found.raw) if isinstance(found, Content) else None
    if fields is None or fields.get("remote") != remote:
        return None
    at_ms = fields.get("at_ms")
    return at_ms if isinstance(at_ms, int) and not isinstance(at_ms, bool) else None


def save(files: Files, layout: Layout, at_ms: int, *, remote: str) -> None:
    """Keep when a look began. It waits for no disk: an older number only tells less."""
    fields: dict[str, object] = {"at_ms": at_ms, "remote": remote}
    files.replace(layout.polled(), flat.render(fields), durable=False)
