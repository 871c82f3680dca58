"""This host's own records as entries of a snapshot; lost sessions are ended on the way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from errno import EMFILE, ENFILE, ENOMEM

from catalog.claim import Claim
from catalog.errors import St2Error, words_of
from catalog.evidence import GONE
from catalog.finding import Finding
from catalog.layout import RECORDS
from catalog.names import bus_id, is_agent, is_conflict_copy
from catalog.reader import read_claim
from catalog.seen import Content, Found, Missing, Unreadable
from catalog.snapshot import Entry, entry, limit_of
from catalog.sync.site import Site
from catalog.sync_errors import SyncFailed
from catalog.system.folders import Folder
from catalog.system.locks import is_free

_SESSION = "session.json"
_LIMITS = {record: limit_of(record) for record in RECORDS}
_SHORT = (EMFILE, ENFILE, ENOMEM)
"""The errors of a process, or a system, that has too much open or too little memory."""


@dataclass(slots=True)
class OwnRecords:
    """The records of this host, the agents whose lost session was ended, and remarks."""

    entries: list[Entry] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def gather(site: Site) -> OwnRecords:
    """Read every record of this host's agents. One that cannot be read is left out and said.

    Raises SyncFailed where their folder itself cannot be read, which is not the same as empty,
    and where this process is short of descriptors or memory, which passes.
    """
    found = OwnRecords()
    path = site.layout.host_folder(site.host)
    host = site.files.folder(path)
    if isinstance(host, Unreadable):
        raise SyncFailed(path, f"{host.reason}, wanted this host's records")
    if isinstance(host, Folder):
        with host, _owners(site) as owners, _verdicts(site) as verdict_of:
            names = host.folders()
            if isinstance(names, Unreadable):
                raise SyncFailed(path, f"{names.reason}, wanted this host's records")
            for name in names:
                if is_agent(name) and not is_conflict_copy(name):
                    _agent(site, host, owners, verdict_of, name, found)
    return found


@contextmanager
def _owners(site: Site) -> Iterator[int | None]:
    """The open folder of all owners' locks, None where there is none: one look an agent."""
    try:
        folder, _ = site.files.folder_of(site.layout.owner_lock("any"))
    except (OSError, St2Error):
        yield None
        return
    try:
        yield folder
    finally:
        os.close(folder)


@contextmanager
def _verdicts(site: Site) -> Iterator[Callable[[Claim], str]]:
    """What is asked of each session that no owner serves, in one round of looks if there is one."""
    if site.looks is None:
        yield site.verdict_of
        return
    with site.looks() as looks:
        yield looks.verdict


def _agent(
    site: Site,
    host: Folder,
    owners: int | None,
    verdict_of: Callable[[Claim], str],
    agent: str,
    found: OwnRecords,
) -> None:
    reads = host.read_below(agent, _LIMITS)
    if not isinstance(reads, dict):
        _left_out(site, agent, reads, found)
        return
    if _SESSION in reads and (owners is None or is_free(owners, agent)):
        claim = read_claim(reads[_SESSION], site.host, agent)
        lost = isinstance(claim, Claim) and not claim.ended and verdict_of(claim) == GONE
        if lost and _end_lost(site, agent, found):
            again = host.read_below(agent, _LIMITS)
            reads = again if isinstance(again, dict) else {}
    for record in RECORDS:
        if record in reads:
            _record(site, agent, record, reads[record], found)


def _left_out(site: Site, agent: str, why: Unreadable | Missing, found: OwnRecords) -> None:
    if isinstance(why, Unreadable):
        _unpublished(why, site.layout.agent_folder(site.host, agent), found)


def _unpublished(why: Unreadable, path: str, found: OwnRecords) -> None:
    """Say that something is left out; but what this process is short of is no fault of the file.

    Published without it, every other host would drop it for as long.
    """
    if why.errno in _SHORT:
        raise SyncFailed(path, f"{why.reason}, wanted this host's records")
    found.findings.append(Finding("unreadable", f"not published: {why.reason}", path))


def _end_lost(site: Site, agent: str, found: OwnRecords) -> bool:
    """End a session whose harness is gone and which no owner will end; say whether it was."""
    try:
        if not site.writer.end_lost(agent, verdict_of=site.verdict_of, now_ms=site.now_ms()):
            return False
    except (St2Error, OSError) as error:
        name = bus_id(site.host, agent)
        message = f"{name}: its lost session could not be ended: {words_of(error)}"
        found.findings.append(Finding("lost-not-ended", message))
        return False
    found.ended.append(agent)
    return True


def _record(site: Site, agent: str, record: str, read: Found, found: OwnRecords) -> None:
    if isinstance(read, Unreadable):
        _unpublished(read, site.layout.record(site.host, agent, record), found)
    if not isinstance(read, Content):
        return
    limit = limit_of(record)
    if len(read.raw) > limit:
        message = f"published are its first {limit} bytes only"
        path = site.layout.record(site.host, agent, record)
        found.findings.append(Finding("record-too-long", message, path))
    found.entries.append(entry(agent, record, read.raw, mtime_ms=read.mtime_ms))
