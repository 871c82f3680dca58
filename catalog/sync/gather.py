"""This host's own records as entries of a snapshot, after lost sessions have been ended."""

from __future__ import annotations

from catalog.claim import Claim
from catalog.errors import St2Error
from catalog.finding import Finding
from catalog.layout import RECORDS
from catalog.names import is_agent, is_conflict_copy
from catalog.seen import Content, Unreadable
from catalog.snapshot import Entry, entry, limit_of
from catalog.sync.site import Site
from catalog.system.folders import Folder


def own_agents(site: Site) -> list[str]:
    """Return the names of this host's agents: its folders, conflict copies left out."""
    found = site.files.scan(site.layout.host_folder(site.host))
    entries = found if isinstance(found, list) else []
    return [
        name
        for name, kind in entries
        if kind == "dir" and is_agent(name) and not is_conflict_copy(name)
    ]


def end_lost(site: Site, agents: list[str]) -> tuple[list[str], list[Finding]]:
    """End every session whose harness is gone and which no owner will end; name them."""
    ended, findings = [], []
    reader = site.writer.reader
    for agent in agents:
        claim = reader.claim(site.host, agent)
        if not isinstance(claim, Claim) or claim.ended or site.verdict_of(claim) != "gone":
            continue
        try:
            if site.writer.end_lost(agent, verdict_of=site.verdict_of, now_ms=site.now_ms()):
                ended.append(agent)
        except (St2Error, OSError) as error:
            message = f"{site.host}.{agent}: its lost session could not be ended: {error}"
            findings.append(Finding("lost-not-ended", message))
    return ended, findings


def entries(site: Site, agents: list[str]) -> tuple[tuple[Entry, ...], list[Finding]]:
    """Read the records of *agents*. One that cannot be read is left out and said."""
    found: list[Entry] = []
    findings: list[Finding] = []
    host = site.files.folder(site.layout.host_folder(site.host))
    if not isinstance(host, Folder):
        return (), findings
    with host:
        for agent in agents:
            folder = host.enter(agent)
            if isinstance(folder, Folder):
                with folder:
                    _records(site, agent, folder, found, findings)
            elif isinstance(folder, Unreadable):
                path = f"{site.layout.host_folder(site.host)}/{agent}"
                findings.append(Finding("unreadable", f"not published: {folder.reason}", path))
    return tuple(found), findings


def _records(
    site: Site, agent: str, folder: Folder, found: list[Entry], findings: list[Finding]
) -> None:
    for record in RECORDS:
        path = site.layout.record(site.host, agent, record)
        read = folder.read(record, limit_of(record))
        if isinstance(read, Unreadable):
            findings.append(Finding("unreadable", f"not published: {read.reason}", path))
        if not isinstance(read, Content):
            continue
        if len(read.raw) > limit_of(record):
            message = f"published are its first {limit_of(record)} bytes only"
            findings.append(Finding("record-too-long", message, path))
        found.append(entry(agent, record, read.raw, mtime_ms=read.mtime_ms))
