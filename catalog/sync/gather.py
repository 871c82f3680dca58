"""This host's own records as entries of a snapshot; lost sessions are ended on the way."""

from __future__ import annotations

from dataclasses import dataclass, field

from catalog.claim import Claim
from catalog.errors import St2Error
from catalog.finding import Finding
from catalog.layout import RECORDS
from catalog.names import is_agent, is_conflict_copy
from catalog.reader import read_claim
from catalog.seen import Content, Missing, Unreadable
from catalog.snapshot import Entry, entry, limit_of
from catalog.sync.site import Site
from catalog.system.folders import Folder

_SESSION = "session.json"


@dataclass(slots=True)
class Gathered:
    """The records of this host, the agents whose lost session was ended, and remarks."""

    entries: list[Entry] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def gather(site: Site) -> Gathered:
    """Read every record of this host's agents. One that cannot be read is left out and said."""
    found = Gathered()
    host = site.files.folder(site.layout.host_folder(site.host))
    if isinstance(host, Folder):
        with host:
            names = host.entries()
            for name, kind in names if isinstance(names, list) else []:
                if kind == "dir" and is_agent(name) and not is_conflict_copy(name):
                    _agent(site, host, name, found)
    return found


def _agent(site: Site, host: Folder, agent: str, found: Gathered) -> None:
    folder = host.enter(agent)
    if isinstance(folder, Unreadable):
        path = site.layout.agent_folder(site.host, agent)
        found.findings.append(Finding("unreadable", f"not published: {folder.reason}", path))
    if not isinstance(folder, Folder):
        return
    with folder:
        _end_lost(site, folder, agent, found)
        names = set(folder.names())
        for record in RECORDS:
            if record in names:
                _record(site, folder, agent, record, found)


def _end_lost(site: Site, folder: Folder, agent: str, found: Gathered) -> None:
    """End a session whose harness is gone and which no owner will end."""
    read = folder.read(_SESSION, limit_of(_SESSION))
    claim = None if isinstance(read, Missing) else read_claim(read, site.host, agent)
    if not isinstance(claim, Claim) or claim.ended or site.verdict_of(claim) != "gone":
        return
    try:
        if site.writer.end_lost(agent, verdict_of=site.verdict_of, now_ms=site.now_ms()):
            found.ended.append(agent)
    except (St2Error, OSError) as error:
        message = f"{site.host}.{agent}: its lost session could not be ended: {error}"
        found.findings.append(Finding("lost-not-ended", message))


def _record(site: Site, folder: Folder, agent: str, record: str, found: Gathered) -> None:
    path, limit = site.layout.record(site.host, agent, record), limit_of(record)
    read = folder.read(record, limit)
    if isinstance(read, Unreadable):
        found.findings.append(Finding("unreadable", f"not published: {read.reason}", path))
    if not isinstance(read, Content):
        return
    if len(read.raw) > limit:
        message = f"published are its first {limit} bytes only"
        found.findings.append(Finding("record-too-long", message, path))
    found.entries.append(entry(agent, record, read.raw, mtime_ms=read.mtime_ms))
