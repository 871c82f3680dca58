"""Collect: every other host's newest snapshot, written out as the records it carries.

One host's fault never touches another's files: it keeps its own last good ones, and is named.
This host's own folder and every declaration are never written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog import heard
from catalog.errors import words_of
from catalog.finding import Finding
from catalog.layout import RECORDS, Layout
from catalog.names import bus_id, is_agent, is_conflict_copy, is_host
from catalog.offset import observe
from catalog.record import render
from catalog.seen import Content, certain
from catalog.snapshot import (
    Entry,
    Refused,
    Snapshot,
    apart,
    decode,
    limit_of,
)
from catalog.sync import held as states
from catalog.sync import polled, stepped
from catalog.sync.crowd import MOST
from catalog.sync.fetched import Fetched
from catalog.sync.held import Held
from catalog.sync.site import Site
from catalog.sync.trust import Judged, Trust, judge_all, own_doubt, trust_of
from catalog.sync.turns import ROUND_BYTES, in_turn
from catalog.system.files import Files
from catalog.system.folders import Entries
from catalog.windows import SEQ_AHEAD_MS, SIGNER_MS

_FILE = 256
"""What a file counts for, in bytes that are read."""


@dataclass(frozen=True, slots=True)
class _Look:
    """One look at all refs: when the one before began, when this one ended, what it was told.

    ``before_ms`` is None where there was none at this remote.
    """

    before_ms: int | None
    after_ms: int
    trust: Trust
    judged: dict[str, Judged]


@dataclass(frozen=True, slots=True)
class Collected:
    """What a collect did: the hosts whose records changed here, those refused and why, remarks.

    ``kept`` are those of the refused whose last good records stay.
    """

    hosts: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]
    findings: tuple[Finding, ...]
    kept: tuple[str, ...] = ()


def collect(site: Site) -> Collected:
    """Fetch every host's ref and write what is new.

    Raises SyncFailed, the catalog unchanged, and OSError for this host's own state.
    """
    remote, began = site.exchange.remote.address, stepped.reading(site)
    stepped.follow(site, began)
    before_ms = polled.load(site.files, site.layout, remote=remote)
    fetched = site.exchange.fetch()
    after_ms, trust = site.now_ms(), trust_of(site)
    tips = {name: oid for name, oid in fetched.tips.items() if name != site.host}
    there = [name for name in (*tips, *fetched.refused) if name != site.host]
    refused = [(name, "is no host name") for name in there if not is_host(name)]
    hosts = [name for name in there if is_host(name)]
    known = {name: states.load_certain(site.files, site.layout, name) for name in hosts}
    for name in known.keys() & fetched.refused.keys():
        known[name] = _refused(site, name, fetched.refused[name], known[name])
    asked = {
        name: tips[name]
        for name in known
        if name in tips and not _is_current(site, trust, name, known[name], tips)
    }
    look = _Look(before_ms, after_ms, trust, judge_all(site, trust, asked))

    def take(name: str, raw: bytes | Refused) -> int:
        known[name] = _take(site, look, name, raw, asked[name], known[name])
        return (0 if isinstance(raw, Refused) else len(raw)) + _FILE * len(known[name].records)

    read = in_turn(
        asked,
        read=site.exchange.snapshots,
        take=take,
        heard_ms=lambda name: heard.load(site.files, site.layout, name).heard_ms,
        most=ROUND_BYTES,
    )
    refused += [(name, held.refused) for name, held in known.items() if held.refused]
    taken = [name for name in read if not known[name].refused]
    findings = [*trust.findings, *own_doubt(site, trust, fetched.tips.get(site.host))]
    findings += _too_much(fetched, len(asked) - len(read))
    for name in known:
        findings += findings_of(site.files, site.layout, name, known[name], now_ms=site.now_ms())
    states.prune(site.files, site.layout, there)
    polled.save(site.files, site.layout, began, remote=remote)
    kept = tuple(sorted(name for name, held in known.items() if held.refused and held.node))
    return Collected(tuple(sorted(taken)), tuple(sorted(refused)), tuple(findings), kept)


def _too_much(fetched: Fetched, unread: int) -> list[Finding]:
    """Return what was left where a remote holds more than one round takes."""
    found = []
    if fetched.crowd:
        message = (
            f"presence refs: {fetched.crowd} left at the remote, wanted {MOST} hosts at most,"
            " with those that were heard here"
        )
        hint = (
            "hosts that were heard here come first, and st2 hosts --forget makes room;"
            " look who may push there, and delete the others:"
            " git for-each-ref refs/st2 refs/heads/st2 lists them"
        )
        found.append(Finding("refs-crowded", message, hint=hint))
    if late := fetched.late + unread:
        message = (
            f"presence refs: {late} left for the next round, wanted fewer that are slow or large"
        )
        found.append(Finding("collect-late", message))
    return found


def findings_of(
    files: Files, layout: Layout, host: str, held: Held, *, now_ms: int
) -> list[Finding]:
    """Return what a person should know of a host's last good snapshot."""
    observed = heard.load(files, layout, host)
    found = heard.findings_of(host, observed, beat_ms=held.beat_ms, now_ms=now_ms)
    if observed.signer_before and now_ms - observed.signer_ms < SIGNER_MS:
        message = f"{host}: signed by {observed.signer}, and by {observed.signer_before} before"
        hint = "right where its key was replaced; the list of keys is as good as who may edit it"
        found.append(Finding("signer-changed", message, hint=hint))
    for agent in held.dropped:
        name = bus_id(host, agent)
        message = f"{name}: another agent's name differs by case alone, that one is kept"
        found.append(Finding("case-collision", message))
    return found


def _is_current(site: Site, trust: Trust, host: str, held: Held, tips: dict[str, str]) -> bool:
    """Say whether the tip is the one that was written, and still stands here.

    What another boot wrote without waiting for the disk is looked at again, power may have gone;
    so is a signature when the policy or the list changed.
    """
    if held.refused or held.oid != tips[host] or held.boot not in ("", site.boot):
        return False
    if heard.load(site.files, site.layout, host).checked != trust.mark_of(host):
        return False
    return held.is_forgotten or _is_there(site, host, render(held.node, held.beat_ms))


def _is_there(site: Site, host: str, beat: bytes) -> bool:
    found = site.files.read(site.layout.host_beat(host))
    return isinstance(found, Content) and found.raw == beat


def _refused(site: Site, host: str, why: str, held: Held) -> Held:
    """Remember why a host's ref could not be had; its last good snapshot stays."""
    after = held.refusing(why)
    if after != held:
        states.save(site.files, site.layout, host, after)
    return after


def _take(site: Site, look: _Look, host: str, raw: bytes | Refused, oid: str, held: Held) -> Held:
    """Judge one host's snapshot and write it; return what is held of that host now."""
    value = raw if isinstance(raw, Refused) else decode(raw, host=host)
    if isinstance(value, Refused):
        return _refused(site, host, value.why, held)
    judged = look.judged[host]
    if judged.doubt and look.trust.is_required:
        return _refused(site, host, judged.doubt, held)
    why = _unfit(value, now_ms=site.now_ms()) or held.refusal_of(value, oid)
    if why is not None:
        return _refused(site, host, why, held)
    kept, dropped = apart(value)
    records = tuple(sorted(each.path for each in kept))
    after = held.accepting(value, oid, records, tuple(dropped), site.boot)
    before = held.before(after)
    try:
        if _is_there(site, host, render(value.node, value.beat_ms)):
            # A beat of the same bytes would hide that what follows was cut short.
            site.files.remove(site.layout.host_beat(host))
        if before != held:
            states.save(site.files, site.layout, host, before)
        _write(site, value, kept, held)
    except OSError as error:
        return _refused(site, host, f"cannot be written here: {words_of(error)}", before)
    _observe(site, look, value, oid, held)
    if after != before:
        states.save(site.files, site.layout, host, after)
    try:
        _write_beat(site, value)
    except OSError as error:
        return _refused(site, host, f"cannot be written here: {words_of(error)}", before)
    return after


def _observe(site: Site, look: _Look, value: Snapshot, oid: str, held: Held) -> None:
    """Keep when a host was heard, by which key, and what its publish tells of its clock.

    The word that it was forgotten may be another host's, and tells nothing of its clock. Where
    nothing sound was held, nobody knows whether the publish was there at the look before.
    """
    host = value.host
    before = heard.load_certain(site.files, site.layout, host)
    judged = look.judged[host]
    mark = look.trust.mark_of(host)
    after = before.signed(judged.signer, judged.doubt, mark, now_ms=look.after_ms)
    if oid != held.oid:
        before_ms = look.before_ms if held.node and not held.refused else None
        seen = observe(before_ms, look.after_ms, beat_ms=value.beat_ms)
        after = after.at(look.after_ms, None if value.is_forgotten else seen)
    heard.save(site.files, site.layout, host, after)


def _unfit(value: Snapshot, *, now_ms: int) -> str | None:
    """Say why a snapshot that is well formed is not taken, before its number is remembered."""
    ahead_ms = value.seq - now_ms
    if ahead_ms > SEQ_AHEAD_MS:
        return f"seq {value.seq} is {ahead_ms} ms ahead of this host's clock: seq ahead"
    for each in value.entries:
        if is_conflict_copy(each.agent):
            return f"path {each.path!a}: the name of a conflict copy, wanted an agent's name"
    return None


def _write(site: Site, value: Snapshot, kept: list[Entry], held: Held) -> None:
    """Write what changed, remove what this node has published before and no longer does.

    Another node's records are left alone: nothing says that they vanished, until the host is
    forgotten: then whatever came before is void, whoever brought it. Removing comes
    first: where case does not count, the record of a dropped name is the file of the kept one.
    No record waits for the disk where one boot can be told from the next: an fsync for each made
    a first collect of 1 000 agents take seconds.
    """
    durable = not site.boot
    before = set(held.records) if held.node == value.node else set[str]()
    if value.forgotten > held.forgotten:
        before = set(_all_records(site, value.host))
    for gone in sorted(before - {each.path for each in kept}):
        site.files.remove(f"{site.layout.host_folder(value.host)}/{gone}")
    for each in kept:
        path = site.layout.record(value.host, each.agent, each.record)
        found = site.files.read(path, limit_of(each.record))
        if not _is_same(found, each):
            site.files.replace(path, each.raw, mtime_ms=each.mtime_ms, durable=durable)


def _write_beat(site: Site, value: Snapshot) -> None:
    """Write the host's beat, after all else: so a collect that was cut short is seen as one."""
    path = site.layout.host_beat(value.host)
    if value.is_forgotten:
        site.files.remove(path)
    else:
        beat = render(value.node, value.beat_ms)
        site.files.replace(path, beat, durable=not site.boot)


def _all_records(site: Site, host: str) -> Iterator[str]:
    """Yield every record of *host* that lies here, whoever brought it, below its folder.

    Raises OSError where the system fails to list one: a forgetting is carried out once.
    """
    for agent, kind in _listed(site, site.layout.host_folder(host)):
        if kind != "dir" or not is_agent(agent):
            continue
        for name, inner in _listed(site, site.layout.agent_folder(host, agent)):
            if name in RECORDS and inner != "dir":
                yield f"{agent}/{name}"


def _listed(site: Site, path: str) -> Entries:
    found = certain(site.files.scan(path), path)
    return found if isinstance(found, list) else []


def _is_same(found: object, each: Entry) -> bool:
    if not isinstance(found, Content) or found.raw != each.raw:
        return False
    return each.mtime_ms is None or found.mtime_ms == each.mtime_ms
