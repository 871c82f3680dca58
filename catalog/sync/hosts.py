"""The hosts of a catalog: when each published last, as which node, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from catalog import heard
from catalog.finding import Finding
from catalog.layout import Layout
from catalog.names import is_host
from catalog.offset import Interval
from catalog.record import Record, parse
from catalog.seen import Content
from catalog.sync import held as states
from catalog.sync import latest
from catalog.sync.collect import findings_of
from catalog.sync.settings import settings_of
from catalog.sync.trust import signer_faults, signers_of
from catalog.system.files import Files
from catalog.windows import FORGOTTEN_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One host as this one knows it; node and beat are None where it was never heard.

    ``heard_ms`` is when its last publish was taken here, by this host's clock; ``clock`` is the
    offset of its clock, ``signer`` the key that signed it, each None where that is not known.
    """

    name: str
    own: bool
    node: str | None
    beat_ms: int | None
    findings: tuple[Finding, ...]
    heard_ms: int | None = None
    clock: Interval | None = None
    signer: str | None = None
    forgotten: bool = False


def known_hosts(files: Files, layout: Layout, *, now_ms: int) -> list[Host]:
    """Return every host that has a folder, a beat, or a ref that was looked at; sorted."""
    names = {layout.host, *states.hosts(files, layout)}
    for folder in (layout.agents(), layout.hosts()):
        entries = files.scan(folder)
        if isinstance(entries, list):
            names |= {name for name, kind in entries if kind == "dir" and is_host(name)}
    found = [_host(files, layout, name, now_ms) for name in sorted(names)]
    return [host for host in found if not _is_past(host, now_ms)]


def _is_past(host: Host, now_ms: int) -> bool:
    """Say whether a host was forgotten so long ago that nobody asks about it any more."""
    return host.forgotten and now_ms - (host.heard_ms or 0) >= FORGOTTEN_MS


def _host(files: Files, layout: Layout, name: str, now_ms: int) -> Host:
    found = files.read(layout.host_beat(name))
    beat = parse(found.raw, lambda word: True) if isinstance(found, Content) else None
    known = beat if isinstance(beat, Record) else None
    held, observed = states.load(files, layout, name), heard.load(files, layout, name)
    findings = findings_of(files, layout, name, held, now_ms=now_ms)
    if name == layout.host:
        findings += settings_of(files, layout).findings
        findings += signer_faults(signers_of(files, layout)[0], layout.allowed_signers())
    if held.refused:
        message = f"{name}: its latest snapshot is not used: {held.refused}"
        findings.append(Finding("snapshot-refused", message))
    failed = latest.failure(files, layout) if name == layout.host else None
    if failed is not None:
        ago_s = max(now_ms - failed[0], 0) // 1_000
        message = f"{name}: its last sync, {ago_s} s ago, failed: {failed[1]}"
        findings.append(Finding("sync-failed", message))
    return Host(
        name=name,
        own=name == layout.host,
        node=known.word if known else None,
        beat_ms=known.stamp_ms if known else None,
        findings=tuple(findings),
        heard_ms=observed.heard_ms or None,
        clock=observed.clock,
        signer=observed.signer or None if observed.checked and not observed.doubt else None,
        forgotten=held.is_forgotten and known is None,
    )
