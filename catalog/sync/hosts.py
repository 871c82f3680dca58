"""The hosts of a catalog: when each published last, as which node, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.finding import Finding
from catalog.layout import Layout
from catalog.names import is_host
from catalog.record import Record, parse
from catalog.seen import Content
from catalog.sync import held as states
from catalog.sync import latest
from catalog.sync.collect import findings_of
from catalog.system.files import Files


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One host as this one knows it; node and beat are None where it was never heard."""

    name: str
    own: bool
    node: str | None
    beat_ms: int | None
    findings: tuple[Finding, ...]


def known_hosts(files: Files, layout: Layout, *, now_ms: int) -> list[Host]:
    """Return every host that has a folder, a beat, or a ref that was looked at; sorted."""
    names = {layout.host, *states.hosts(files, layout)}
    for folder in (layout.agents(), layout.hosts()):
        entries = files.scan(folder)
        if isinstance(entries, list):
            names |= {name for name, kind in entries if kind == "dir" and is_host(name)}
    return [_host(files, layout, name, now_ms) for name in sorted(names)]


def _host(files: Files, layout: Layout, name: str, now_ms: int) -> Host:
    found = files.read(layout.host_beat(name))
    beat = parse(found.raw, lambda word: True) if isinstance(found, Content) else None
    known = beat if isinstance(beat, Record) else None
    held = states.load(files, layout, name)
    findings = findings_of(files, layout, name, held, now_ms=now_ms)
    if held.refused:
        message = f"{name}: its latest snapshot is not used: {held.refused}"
        findings.append(Finding("snapshot-refused", message))
    failed = latest.failure(files, layout) if name == layout.host else None
    if failed is not None:
        message = f"{name}: its last sync, {now_ms - failed[0]} ms ago, failed: {failed[1]}"
        findings.append(Finding("sync-failed", message))
    return Host(
        name=name,
        own=name == layout.host,
        node=known.word if known else None,
        beat_ms=known.stamp_ms if known else None,
        findings=tuple(findings),
    )
