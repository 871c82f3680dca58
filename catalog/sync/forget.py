"""Forgetting a host: its word is taken back at the remote, and every reader drops its records.

A ref that is gone says nothing: a remote may lose all of them, and would wipe the fleet. So the
word is said instead, by a last snapshot that has no record and the number of the forgetting, in
place of the old one. It stays there until it is removed by the same command, said again; and a
host that comes back carries the number on, so that whoever missed the one sees the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from catalog import heard, node
from catalog.claim import Claim
from catalog.names import is_agent
from catalog.refusals import ForeignHost
from catalog.seen import Missing, Unreadable
from catalog.snapshot import Refused, Snapshot, decode, encode
from catalog.sync import held as states
from catalog.sync.collect import Collected, collect
from catalog.sync.fetched import Fetched
from catalog.sync.publish import broken_ref, load_last, save_last
from catalog.sync.shape import host_of
from catalog.sync.site import Site
from catalog.sync.trust import own_doubt, trust_of
from catalog.sync_errors import SyncFailed
from catalog.windows import SEQ_AHEAD_MS, STALE_MS


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was done: ``deleted`` where the word was there already, and its ref is gone now."""

    host: str
    deleted: bool
    collected: Collected | None


def forget(site: Site, host: str, *, force: bool, aside: bool = False) -> Forgotten:
    """Forget *host* at the remote and here; its user holds the publisher's lock.

    *aside*, beside a publisher that runs, another host is forgotten at the remote alone: that
    publisher's next collect carries it out here.
    Raises ForeignHost for another host without *force*, SyncFailed where this very host still
    runs agents without *force*, where nobody knows the host, and where it published meanwhile.
    """
    _check(site, host, force=force)
    fetched = site.exchange.fetch()
    present = _present(site, host, fetched)
    if present is None and host not in fetched.refused and not _is_known(site, host):
        sentence = "known neither here nor at the remote, wanted a host of st2 hosts"
        raise SyncFailed(f"host {host}", sentence)
    if isinstance(present, Snapshot) and present.is_forgotten:
        _check_age(host, site.now_ms() - present.seq)
        site.exchange.delete(host, force=True)
        return Forgotten(host, True, None if aside else collect(site))
    _check_key(site, host, fetched.tips.get(site.host))
    _say(site, host, present, fetched)
    return Forgotten(host, False, None if aside else collect(site))


def running(site: Site) -> list[str]:
    """Return this host's agents whose session is not ended and whose harness is not gone.

    Raises SyncFailed where their folder cannot be read, which is not the same as empty.
    """
    path = site.layout.host_folder(site.host)
    entries = site.files.scan(path)
    if isinstance(entries, Unreadable):
        raise SyncFailed(path, f"{entries.reason}, wanted this host's records")
    names = (
        [name for name, kind in entries if kind == "dir" and is_agent(name)]
        if isinstance(entries, list)
        else []
    )
    claims = {name: site.writer.reader.claim(site.host, name) for name in names}
    return [
        name
        for name, claim in claims.items()
        if isinstance(claim, Claim) and not claim.ended and site.verdict_of(claim) != "gone"
    ]


def _check(site: Site, host: str, *, force: bool) -> None:
    if force:
        return
    if host != site.host:
        hint = "--force forgets it all the same; if it lives, its next publish brings it back"
        raise ForeignHost(f"host {host}", f"another host, wanted this one, {site.host}", hint)
    alive = running(site)
    if alive:
        sentence = f"still runs {', '.join(alive)}, wanted no open session"
        hint = "st2 session end AGENT, or --force; its next publish brings it back"
        raise SyncFailed(f"host {host}", sentence, hint)


def _check_age(host: str, age_ms: int) -> None:
    """Refuse to remove a word that other hosts may not have heard yet."""
    if age_ms < STALE_MS:
        sentence = f"forgotten {max(age_ms, 0) // 1_000} s ago, wanted {STALE_MS // 1_000} s"
        hint = "until then other hosts may not have heard it, and its ref says so"
        raise SyncFailed(f"host {host}", sentence, hint)


def _is_known(site: Site, host: str) -> bool:
    folder = site.files.scan(site.layout.host_folder(host))
    known = states.load(site.files, site.layout, host).node
    return host == site.host or bool(known) or not isinstance(folder, Missing)


def _check_key(site: Site, host: str, own_tip: str | None) -> None:
    """Refuse what no reader would believe: where signatures are required, so is one for this."""
    trust = trust_of(site)
    if not trust.is_required:
        return
    own_doubt(site, trust, own_tip)
    own = heard.load(site.files, site.layout, site.host).signer if site.exchange.sign else ""
    if host not in trust.signers.hosts_of(own):
        sentence = f"signatures are required, and this host's key ({own or 'none'}) is not its key"
        hint = (
            f"run it on {host}, or list this host's key for it in {site.layout.allowed_signers()}"
        )
        raise SyncFailed(f"host {host}", sentence, hint)


def _present(site: Site, host: str, fetched: Fetched) -> Snapshot | Refused | None:
    """Return what the remote has of *host*; None where it has nothing that can be had."""
    tip = fetched.tips.get(host)
    if tip is None:
        return None
    [(_, raw)] = site.exchange.snapshots({host: tip})
    return raw if isinstance(raw, Refused) else decode(raw, host=host)


def _say(site: Site, host: str, present: Snapshot | Refused | None, fetched: Fetched) -> None:
    """Put the word in place of what is there, unless that has changed meanwhile."""
    value = _word(site, host, present)
    last = load_last(site) if host == site.host and value.node == site.node else None
    if last is not None:
        save_last(site, replace(last, seq=value.seq, forgotten=value.seq))
    tip = fetched.tips.get(host)
    refs = [ref for ref, oid in fetched.refs.items() if oid == tip and host_of(ref) == host]
    ref = refs[0] if refs else site.exchange.shape.ref(host)
    lease = None if host in fetched.refused else tip or ""
    pushed = site.exchange.push(encode(value), at_ms=value.beat_ms, lease=lease, ref=ref)
    if pushed.lease_failed:
        sentence = "it published a moment ago, so it lives, wanted a host that is gone"
        raise SyncFailed(f"host {host}", sentence, f"stop st2 sync on {host} first")
    if pushed.broken is not None:
        raise broken_ref(site, pushed.broken, f"git says: {pushed.words}")
    if not pushed.accepted:
        remote = site.exchange.remote.shown
        raise SyncFailed(f"forget {host} at {remote}", f"git says: {pushed.words}")
    if last is not None:
        address = site.exchange.remote.address
        after = replace(last, seq=value.seq, forgotten=value.seq, remote=address, oid=pushed.oid)
        save_last(site, after)
    if host == site.host:
        site.files.remove(site.layout.host_beat(host))


def _word(site: Site, host: str, present: Snapshot | Refused | None) -> Snapshot:
    """Return the last snapshot: of the same node, so that this node can go on from it."""
    now_ms = site.now_ms()
    sound = present if isinstance(present, Snapshot) else None
    if sound is not None and sound.seq - now_ms > SEQ_AHEAD_MS:
        sound = None
    own = site.node if host == site.host else node.new()
    last = load_last(site).seq if host == site.host else 0
    seq = max(now_ms, last + 1, sound.seq + 1 if sound is not None else 0)
    by = sound.node if sound is not None else own
    return Snapshot(host=host, node=by, seq=seq, beat_ms=now_ms, entries=(), forgotten=seq)
