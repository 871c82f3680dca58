"""When this host last looked at all refs of its remote: what was not there then came later."""

from __future__ import annotations

from dataclasses import dataclass

from catalog import flat
from catalog.layout import Layout
from catalog.seen import Content
from catalog.system.files import Files


@dataclass(frozen=True, slots=True)
class Reading:
    """One moment by this host's clock, and by the time since a boot, empty where unknown."""

    at_ms: int
    boot: str = ""
    boot_ms: int = 0


def load(files: Files, layout: Layout, *, remote: str) -> int | None:
    """Return when the last whole look at *remote* began (ms); None where there was none."""
    found = last(files, layout)
    return found[0].at_ms if found is not None and found[1] == remote else None


def last(files: Files, layout: Layout) -> tuple[Reading, str] | None:
    """Return when the last whole look at any remote began, and which that was."""
    found = files.read(layout.polled(), limit=8_192)
    fields = flat.read(found.raw) if isinstance(found, Content) else None
    if fields is None:
        return None
    at_ms, remote = _number(fields, "at_ms"), fields.get("remote")
    if at_ms is None or not isinstance(remote, str):
        return None
    boot, boot_ms = fields.get("boot"), _number(fields, "boot_ms")
    if not isinstance(boot, str) or boot_ms is None:
        return Reading(at_ms), remote
    return Reading(at_ms, boot, boot_ms), remote


def save(files: Files, layout: Layout, began: Reading, *, remote: str) -> None:
    """Keep when a look began. It waits for no disk: an older number only tells less."""
    fields: dict[str, object] = {"at_ms": began.at_ms, "remote": remote}
    if began.boot:
        fields |= {"boot": began.boot, "boot_ms": began.boot_ms}
    files.replace(layout.polled(), flat.render(fields), durable=False)


def _number(fields: dict[str, object], name: str) -> int | None:
    value = fields.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
