"""Publish: this host's records, as one snapshot, under the one ref that is its own.

The only state is what was published last: the object that the ref must still hold (the lease),
and a sequence number that only grows. A kill at any point needs no clean-up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from catalog import flat
from catalog.finding import Finding
from catalog.record import render
from catalog.seen import Content
from catalog.snapshot import Entry, Refused, Snapshot, decode, encode
from catalog.sync.exchange import Pushed
from catalog.sync.gather import OwnRecords, gather
from catalog.sync.shape import PREFIXES, REFS
from catalog.sync.site import Site
from catalog.sync.trouble import failed
from catalog.sync_errors import DuplicateHost, SyncFailed
from catalog.system.lock_files import left_locks
from catalog.windows import SEQ_AHEAD_MS

_WAY_OUT = "st2 hosts --replace-node"

PAUSES_S = (1.0, 2.0, 4.0)
"""The pauses before another try at a push that lost a race, each ± 50 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A publish that the remote took."""

    oid: str
    seq: int
    beat_ms: int
    size: int
    records: int
    tries: int
    ended: tuple[str, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Last:
    """What this host published last: its lease at one remote, and its sequence number.

    ``forgotten`` is the number of its last forgetting, which every later publish carries on:
    whoever did not see the one sees the other.
    """

    remote: str = ""
    oid: str = ""
    seq: int = 0
    beat_ms: int = 0
    forgotten: int = 0

    def beyond(self, seq: int, forgotten: int) -> Last:
        """Return the same with numbers that are no smaller than these."""
        return replace(self, seq=max(self.seq, seq), forgotten=max(self.forgotten, forgotten))


def publish(
    site: Site, *, replace_node: bool = False, found: OwnRecords | None = None
) -> Published:
    """Publish once, trying again where a race was lost. Raises SyncFailed, DuplicateHost.

    *replace_node* publishes without a lease: whatever other node had the ref loses it. *found*
    is what was gathered a moment ago, if it was.
    """
    found = gather(site) if found is None else found
    entries = tuple(found.entries)
    last = load_last(site)
    lease: str | None = last.oid if last.remote == site.exchange.remote.address else ""
    words, strange, offered = "", 0, last.seq
    moving = site.exchange.shape is not REFS and (lease == "" or replace_node)
    if moving and not replace_node:
        # Another node may still stand in the other place, where our lease says nothing.
        lease, seq, forgotten = _adopted(site)
        last = last.beyond(seq, forgotten)
    for tries, pause in enumerate((0.0, *PAUSES_S), start=1):
        if pause:
            site.sleep(pause * (0.5 + site.jitter()))
        last, raw, pushed = _offer(site, entries, last, None if replace_node else lease)
        if pushed.lease_failed:
            lease, seq, forgotten = _adopted(site)
            known = seq == forgotten
            strange = seq if tries == 1 and seq > offered and not known else strange
            last = last.beyond(seq, forgotten)
            last, raw, pushed = _offer(site, entries, last, lease)
        if pushed.accepted:
            if moving:
                site.exchange.retire()
            _keep(site, last, pushed.oid)
            return Published(
                oid=pushed.oid,
                seq=last.seq,
                beat_ms=last.beat_ms,
                size=len(raw),
                records=len(entries),
                tries=tries,
                ended=tuple(found.ended),
                findings=(*found.findings, *_remarks(site, last, strange)),
            )
        words = pushed.words
        if pushed.broken is not None:
            raise broken_ref(site, pushed.broken, f"git says: {words}")
        if not pushed.race and not (pushed.swept and tries == 1):
            raise failed(_subject(site), words)
    sentence = f"lost {len(PAUSES_S) + 1} races, git says: {words}"
    raise SyncFailed(_subject(site), sentence, _locked(site))


def _offer(
    site: Site, found: tuple[Entry, ...], last: Last, lease: str | None
) -> tuple[Last, bytes, Pushed]:
    """Push a snapshot whose beat is now. Its number is kept before it can be seen by anybody."""
    now_ms = site.now_ms()
    last = replace(last, seq=max(last.seq + 1, now_ms), beat_ms=now_ms)
    value = Snapshot(
        host=site.host,
        node=site.node,
        seq=last.seq,
        beat_ms=now_ms,
        entries=found,
        forgotten=last.forgotten,
    )
    raw = encode(value)
    checked = decode(raw, host=site.host)
    if isinstance(checked, Refused):
        raise SyncFailed(_subject(site), f"no reader would take it: {checked.why}")
    save_last(site, last)
    return last, raw, site.exchange.push(raw, at_ms=now_ms, lease=lease)


def _keep(site: Site, last: Last, oid: str) -> None:
    """Keep what the remote took, and when: it is this host's own beat."""
    save_last(site, replace(last, remote=site.exchange.remote.address, oid=oid))
    site.files.replace(site.layout.host_beat(site.host), render(site.node, last.beat_ms))


def _remarks(site: Site, last: Last, strange: int) -> list[Finding]:
    """Return what a person should know of the number that this node has come to.

    A node keeps each number before it offers it: *strange*, found at the remote, is one that this
    copy never offered (0 for none).
    """
    found = []
    ahead_ms = last.seq - last.beat_ms
    if ahead_ms > SEQ_AHEAD_MS:
        message = f"{site.host}: its number {last.seq} is {ahead_ms} ms ahead of this host's clock"
        message += ": hosts with that time refuse it"
        found.append(Finding("seq-ahead", message, hint=f"set the clock, or {_WAY_OUT}"))
    if strange:
        message = f"{site.host}: number {strange} of this node was published by another copy of it"
        message += ", or before this one was restored"
        hint = f"where both run: {_WAY_OUT} on one, under a host name of its own"
        found.append(Finding("node-twice", message, hint=hint))
    return found


def _adopted(site: Site) -> tuple[str, int, int]:
    """Return lease, number and last forgetting to go on from: our ref is not where we left it.

    Ours all the same (a reply was lost, or we were killed after a push): its object. Gone from
    the remote: none. Another node's: DuplicateHost.
    """
    fetched = site.exchange.fetch()
    if site.host in fetched.refused:
        raise broken_ref(site, site.host, fetched.refused[site.host])
    numbers = [(0, 0)]
    for ref in (prefix + site.host for prefix in PREFIXES):
        if ref in fetched.refs:
            numbers.append(_own_numbers(site, ref, fetched.refs[ref]))
    seqs, forgotten = zip(*numbers, strict=True)
    return fetched.refs.get(site.exchange.ref, ""), max(seqs), max(forgotten)


def _own_numbers(site: Site, ref: str, tip: str) -> tuple[int, int]:
    """Return seq and forgotten of the snapshot under *ref*, where this node published it.

    The name of a host that was forgotten is free, whichever node it was.
    """
    [(_, raw)] = site.exchange.snapshots({site.host: tip})
    value = raw if isinstance(raw, Refused) else decode(raw, host=site.host)
    shown = site.exchange.remote.shown
    way_out = f"if that machine is gone or was set up anew: {_WAY_OUT}"
    if isinstance(value, Refused):
        sentence = f"{ref} at {shown} is no snapshot of ours ({value.why})"
        raise DuplicateHost(f"host {site.host}", sentence, way_out)
    if value.node != site.node and not value.is_forgotten:
        sentence = f"published by node {value.node} at {shown}, this is node {site.node}"
        raise DuplicateHost(
            f"host {site.host}", sentence, f"give one of them a name of its own; {way_out}"
        )
    if value.seq - site.now_ms() > SEQ_AHEAD_MS:
        sentence = f"seq {value.seq} of this node at {shown} is far ahead of this clock, or forged"
        raise DuplicateHost(f"host {site.host}", sentence, f"set the clock, or {_WAY_OUT}")
    return value.seq, value.forgotten


def broken_ref(site: Site, host: str, why: str) -> SyncFailed:
    """Return the failure of a publish to a remote where one host's ref is broken."""
    ref = site.exchange.shape.ref(host)
    way_out = (
        f"st2 remote upkeep, where the repository lies; or git update-ref -d {ref} there,"
        f" or rm {ref} where that is empty"
    )
    return SyncFailed(_subject(site), f"{ref} is broken at the remote: {why}", way_out)


def _locked(site: Site) -> str | None:
    """Return the way out where a lock lies in our way at a remote that is a path."""
    path = site.exchange.remote.path
    if path is None:
        return None
    names = (f"{site.exchange.ref}.lock", "packed-refs.lock")
    found = [lock for lock in left_locks(path) if lock.name in names]
    return "; ".join(lock.told(site.now_ms()) for lock in found) or None


def _subject(site: Site) -> str:
    return f"publish to {site.exchange.remote.shown}"


def load_last(site: Site) -> Last:
    """Return what was published last; a state that cannot be read counts as none."""
    found = site.files.read(site.layout.published(), limit=8192)
    fields = flat.read(found.raw) if isinstance(found, Content) else None
    if fields is None or fields.get("node") != site.node:
        return Last()
    remote, oid, seq, beat_ms = (fields.get(key) for key in ("remote", "oid", "seq", "beat_ms"))
    if not isinstance(remote, str) or not isinstance(oid, str):
        return Last()
    if not isinstance(seq, int) or not isinstance(beat_ms, int):
        return Last()
    forgotten = fields.get("forgotten")
    known = forgotten if isinstance(forgotten, int) and 0 <= forgotten <= seq else 0
    return Last(remote=remote, oid=oid, seq=seq, beat_ms=beat_ms, forgotten=known)


def save_last(site: Site, last: Last) -> None:
    """Keep what was published last, and under which number the next one may not be."""
    fields: dict[str, object] = {
        "node": site.node,
        "remote": last.remote,
        "oid": last.oid,
        "seq": last.seq,
        "beat_ms": last.beat_ms,
        "forgotten": last.forgotten,
    }
    site.files.replace(site.layout.published(), flat.render(fields))
