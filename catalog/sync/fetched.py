"""Bringing every host's tip here, when any ref of the remote may be broken or too large.

One fetch for all is the rule. Where it fails though the remote answers, the refs are fetched in
halves until those are found that nobody can fetch: they are named, the others are current. Hosts
that were heard before come first in each of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from catalog.names import is_host
from catalog.snapshot import SNAPSHOT_BYTES, Refused, Snapshot, decode
from catalog.sync import shape, tips
from catalog.sync.crowd import MOST, admitted
from catalog.sync.halves import BUDGET_S, in_halves
from catalog.sync.left_out import LeftOut
from catalog.sync.own import Own
from catalog.sync.remote import Remote
from catalog.sync.sending import far
from catalog.sync.trouble import failed, is_unreachable, unended
from catalog.sync_errors import SyncFailed
from catalog.system.git import Ran

PEER = "st2-presence"
"""What the remote is called for one fetch. It stands in no file: without a name in its
configuration git could not be told, for one command, that objects may be left at the remote."""

_GROUP_LIMIT_S = 10.0
_PAIRS = 64
"""How many hosts may have a ref in both places: each is read whole to see which is later."""
_FILTER = f"blob:limit={SNAPSHOT_BYTES + 1}"
_BOUNDED = {"GIT_ALLOC_LIMIT": str(4 * SNAPSHOT_BYTES)}
"""The most memory that a git of a fetch may ask for at once. No filter leaves a commit or a tree
at the remote: of 9 MB on the wire one can unpack to gigabytes."""

_QUIET = ("--no-tags", "--no-auto-gc", "--no-write-fetch-head", "--no-recurse-submodules")


@dataclass(frozen=True, slots=True)
class Fetched:
    """The tips by what follows the prefix of their refs, and why others could not be had.

    ``refs`` has every presence ref that was brought here, by its whole name: a host that has
    moved from one place to the other has two. ``crowd`` counts the refs that are too many, ``late``
    those that were left for the next round.
    """

    tips: dict[str, str]
    refused: dict[str, str] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    crowd: int = 0
    late: int = 0


def fetch(
    own: Own,
    remote: Remote,
    *,
    replaces: bool = True,
    left_out: LeftOut | None = None,
    first: Callable[[], Collection[str]] = tuple,
) -> Fetched:
    """Bring every tip into *own*, which is a cache: where it has grown it is made anew.

    *replaces* is false where the remote's refs only grow: then what was before a tip stays there.
    *left_out* is what the same reader could not have before. *first* returns the hosts that are
    taken before any other, this one and those that were heard.
    Raises SyncFailed where the remote does not answer, having changed nothing that matters.
    """
    if own.git.is_grown():
        own.git.drop()
    left = left_out or LeftOut()
    # Whoever runs one round at a time remembers nothing but what lies in the cache.
    left.is_crowded |= 2 * sum(map(own.git.count_refs, shape.PREFIXES)) >= MOST
    left.begin()
    if not replaces:
        return _fetch_moved(own, remote, left, first, ("--depth=1",))
    if not left.is_full or left.is_crowded:
        return _fetch_moved(own, remote, left, first)
    every = [f"+{prefix}*:{prefix}*" for prefix in shape.PREFIXES]
    try:
        ran = _fetch(own, remote, ("--prune",), every)
        if ran.code and ("lock" in ran.err or not _is_whole(own)):
            own.git.drop()
            ran = _fetch(own, remote, ("--prune",), every)
        if ran.code == 0:
            left.clear()
            found = _tips(own)
            taken = _admitted(found, first, left)
            if len(found) > 2 * MOST:
                return _fetch_moved(own, remote, left, first)
            return replace(_by_host(own, taken, {}), crowd=len(found) - len(taken))
        trouble = failed(f"collect from {remote.shown}", ran.words)
    except SyncFailed as error:
        trouble = unended(remote.shown, error)
    listed = {} if is_unreachable(trouble.sentence) else _listed(own, remote)
    if not listed:
        raise trouble
    taken = _admitted(listed, first, left)
    if len(taken) < len(listed):
        # A git that was ended amid them leaves a lock beside each that it had begun.
        own.git.drop()
    return replace(_piecemeal(own, remote, taken, left, first), crowd=len(listed) - len(taken))


def _admitted(
    refs: dict[str, str], first: Callable[[], Collection[str]], left: LeftOut
) -> dict[str, str]:
    """Return those of *refs* that are taken; where they are too many, *left* remembers it."""
    taken = admitted(refs, first())
    left.is_crowded = len(taken) < len(refs)
    return taken


def _fetch_moved(
    own: Own,
    remote: Remote,
    left: LeftOut,
    first: Callable[[], Collection[str]],
    options: tuple[str, ...] = (),
) -> Fetched:
    """List the refs, and bring the tips of those that moved.

    For refs that are left out, or too many, and for those that only grow: there a fetch of all at
    once would bring every host's snapshot again each time, since git does not know that nothing
    has changed where a history is to be cut off.
    """
    found = listed(own, remote, *(f"{prefix}*" for prefix in shape.PREFIXES))
    if isinstance(found, Ran):
        raise failed(f"collect from {remote.shown}", found.words)
    found, known = _presence(found), _tips(own)
    is_torn = left.is_crowded and left.is_full and not _is_whole(own)
    taken = _admitted(found, first, left)
    if len(known) > 2 * MOST or is_torn:
        own.git.drop()
        known = {}
    gone = "".join(f"delete {ref}\n" for ref in known.keys() - taken.keys())
    if gone:
        own.git.run("update-ref", "--stdin", stdin=gone.encode("utf-8", "surrogateescape"))
    brought = _piecemeal(own, remote, taken, left, first, known=known, options=options)
    return replace(brought, crowd=len(found) - len(taken))


def _is_whole(own: Own) -> bool:
    """Say whether the tips that were brought here before can still be read.

    They are not synced to the disk. What a power cut tore would be blamed on the remote's refs.
    """
    tips = "".join(f"{oid}^{{tree}}\n" for oid in _tips(own).values()).encode()
    ran = own.git.run("cat-file", "--batch-check", "--buffer", stdin=tips, env=_BOUNDED)
    return ran.code == 0 and not any(line.endswith(" missing") for line in ran.lines("replace"))


def _fetch(own: Own, remote: Remote, options: tuple[str, ...], refspecs: list[str]) -> Ran:
    """Fetch once. Blobs that are too large stay where they are, where the remote can do that.

    That they may stay is said for this command alone: what reads them later has no place to
    get them from, and they are missing there.
    """
    settings = (
        *peer(remote),
        f"remote.{PEER}.promisor=true",
        f"remote.{PEER}.partialCloneFilter={_FILTER}",
    )
    own.make()
    # What came of a pack stays where its fetch was ended: at each round some more of it.
    own.git.drop_torn()
    try:
        return own.git.run(
            *("fetch", "-q", f"--filter={_FILTER}", *options, *_QUIET, *far(remote, "upload-pack")),
            *("--end-of-options", PEER, *refspecs),
            env=_BOUNDED,
            settings=settings,
        )
    except SyncFailed:
        own.git.drop_torn()
        raise


def _by_host(own: Own, refs: dict[str, str], broken: dict[str, str]) -> Fetched:
    """Return what speaks for each host; beside a sound ref a broken one of that host is none."""
    pairs: set[str] = set()

    def read(ref: str) -> Snapshot | Refused:
        host = shape.host_of(ref) or ""
        pairs.add(host)
        if len(pairs) > _PAIRS:
            return Refused("one of too many hosts in two places")
        [(_, raw)] = tips.snapshots(own.git, {host: refs[ref]})
        return raw if isinstance(raw, Refused) else decode(raw, host=host)

    speaking = shape.chosen(refs, read)
    refused = {shape.host_of(ref) or "": why for ref, why in broken.items()}
    return Fetched(
        tips={host: refs[ref] for host, ref in speaking.items()},
        refused={host: why for host, why in refused.items() if host not in speaking},
        refs=refs,
    )


def listed(own: Own, remote: Remote, *patterns: str) -> dict[str, str] | Ran:
    """Return what the remote says that its refs hold, by their names; else what it said.

    Raises SyncFailed where it does not end.
    """
    own.make()
    asked = ("--end-of-options", PEER, *patterns)
    ran = own.git.run("ls-remote", *far(remote, "upload-pack"), *asked, settings=peer(remote))
    if ran.code:
        return ran
    parts = (line.partition("\t") for line in ran.lines("replace"))
    return {name: oid for oid, _, name in parts if not name.endswith("^{}")}


def _presence(found: dict[str, str]) -> dict[str, str]:
    """Leave out what ls-remote matched by the end of its name alone."""
    return {ref: oid for ref, oid in found.items() if shape.host_of(ref) is not None}


def _listed(own: Own, remote: Remote) -> dict[str, str]:
    """Return every presence ref of the remote; nothing where it does not answer."""
    try:
        found = listed(own, remote, *(f"{prefix}*" for prefix in shape.PREFIXES))
    except SyncFailed:
        return {}
    return {} if isinstance(found, Ran) else _presence(found)


def _piecemeal(
    own: Own,
    remote: Remote,
    listed: dict[str, str],
    left: LeftOut,
    first: Callable[[], Collection[str]],
    *,
    known: dict[str, str] | None = None,
    options: tuple[str, ...] = (),
) -> Fetched:
    """Fetch what can be fetched and is neither *known* nor *left* out, in halves of what failed."""
    empty = [ref for ref, oid in listed.items() if not oid.strip("0")]
    broken = dict.fromkeys(empty, "its ref at the remote is empty")
    # Whoever may push to one ref alone may push to others below it: no time is spent on those.
    below = [ref for ref in listed if not is_host(shape.host_of(ref) or "")]
    broken |= dict.fromkeys(below, "is no host name")
    spared = left.among(listed)
    refs = [ref for ref in listed if ref not in broken and ref not in spared]
    moved = {ref: listed[ref] for ref in refs if (known or {}).get(ref) != listed[ref]}
    hosts = first()
    groups = left.groups(moved, {ref for ref in moved if shape.host_of(ref) in hosts})
    limit_s, own.git.limit_s = own.git.limit_s, min(own.git.limit_s, _GROUP_LIMIT_S)
    end_s = own.git.spent_s + BUDGET_S
    try:
        halves = in_halves(
            groups,
            lambda group: _why_not(own, remote, group, options),
            is_over=lambda: own.git.spent_s >= end_s,
        )
    finally:
        own.git.limit_s = limit_s
    left.remember(listed, halves)
    broken |= left.known(listed) | halves.broken
    found = _tips(own)
    sound = {r: found[r] for r in refs if r in found and r not in broken}
    return replace(_by_host(own, sound, broken), late=halves.late)


def _why_not(
    own: Own, remote: Remote, group: Sequence[str], options: tuple[str, ...]
) -> str | None:
    """Fetch a group; return why it could not be had, None where it could."""
    try:
        ran = _fetch(own, remote, options, [f"+{ref}:{ref}" for ref in group])
    except SyncFailed as error:
        return error.sentence
    return ran.words if ran.code else None


def _tips(own: Own) -> dict[str, str]:
    ran = own.git.run("for-each-ref", "--format=%(objectname) %(refname)", *shape.PREFIXES)
    parts = (line.partition(" ") for line in ran.lines("replace"))
    return {name: oid for oid, _, name in parts}


def peer(remote: Remote) -> tuple[str, ...]:
    """Return the setting that names the remote for one command."""
    return (f"remote.{PEER}.url={remote.address}",)
