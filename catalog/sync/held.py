"""What was last accepted from each other host, and what of theirs was last refused.

Kept beside the records because the records cannot say it: which node wrote them, up to which
number, and which of them that node has published.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass, field, replace

from catalog.layout import RECORDS, Layout
from catalog.names import is_agent, is_host, is_token
from catalog.seen import Content, Found, certain
from catalog.snapshot import SNAPSHOT_BYTES, Snapshot
from catalog.system.files import Files

_NODES = 8

_LIMIT = 3 * SNAPSHOT_BYTES
"""The most bytes that are read of it. Each path may stand here twice, as one that was published
and one that will be removed, in a form that is longer than a snapshot's by a third: what is cut
off counts as none, and then nobody knows which numbers may not come again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The last good snapshot of one host, without its bytes.

    ``seqs`` has the largest number of each node lately heard, ``refused`` why the ref's
    present content is not used, ``dropped`` the agents left out for their case. ``boot`` is the
    boot in which the records were written without waiting for the disk, empty where they did wait.
    ``forgotten`` is the number of the last forgetting that was carried out here.
    """

    node: str = ""
    seq: int = 0
    oid: str = ""
    beat_ms: int = 0
    records: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    seqs: dict[str, int] = field(default_factory=dict)
    refused: str = ""
    boot: str = ""
    forgotten: int = 0

    @property
    def is_forgotten(self) -> bool:
        """Whether what is held is nothing but the word that the host was forgotten."""
        return 0 < self.forgotten == self.seq and not self.records

    def refusal_of(self, value: Snapshot, oid: str) -> str | None:
        """Say why *value* is not newer than what was held before; None where it is."""
        known = self.seqs.get(value.node)
        if known is None or value.seq > known or (oid == self.oid and value.seq == known):
            return None
        return f"seq {value.seq} is not above {known} of the same node {value.node}: a replay"

    def accepting(
        self,
        value: Snapshot,
        oid: str,
        records: tuple[str, ...],
        dropped: tuple[str, ...],
        boot: str,
    ) -> Held:
        """Return what is held once *value* has been written."""
        others = [(node, seq) for node, seq in self.seqs.items() if node != value.node]
        seqs = dict([*others[-(_NODES - 1) :], (value.node, value.seq)])
        return Held(
            node=value.node,
            seq=value.seq,
            oid=oid,
            beat_ms=value.beat_ms,
            records=records,
            dropped=dropped,
            seqs=seqs,
            boot=boot,
            forgotten=max(self.forgotten, value.forgotten),
        )

    def before(self, after: Held) -> Held:
        """Return what is to be kept before the first record of *after* is written.

        Its number counts from here on: a collect that is cut short has shown some of it, and
        nothing older may follow. The records that it will remove stand in it until they are, and
        a forgetting counts once it was carried out.
        """
        gone = set(self.records) - set(after.records) if self.node == after.node else set()
        records = tuple(sorted({*after.records, *gone}))
        return replace(after, records=records, forgotten=self.forgotten)

    def refusing(self, why: str) -> Held:
        """Return the same, with the reason why the present content is not used."""
        return replace(self, refused=why)


def load(files: Files, layout: Layout, host: str) -> Held:
    """Return what is held of *host*; a state that cannot be read counts as none."""
    return _loaded(files.read(layout.collected(host), limit=_LIMIT))


def load_certain(files: Files, layout: Layout, host: str) -> Held:
    """Return the same for whoever goes on from it; raise OSError where the system fails to read it.

    It holds which numbers may not come again: what is not known is not what was never heard.
    """
    path = layout.collected(host)
    return _loaded(certain(files.read(path, limit=_LIMIT), path))


def _loaded(found: Found) -> Held:
    if not isinstance(found, Content):
        return Held()
    try:
        fields = json.loads(found.raw)
        return _checked(fields)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Held()


def _checked(fields: dict[str, object]) -> Held:
    """Make the value of its JSON; records that no snapshot could name are left out."""
    records, dropped, seqs = fields["records"], fields["dropped"], fields["seqs"]
    if not isinstance(records, list) or not isinstance(dropped, list) or not isinstance(seqs, dict):
        raise TypeError
    texts = [fields[key] for key in ("node", "oid", "refused")] + [fields.get("boot", "")]
    numbers = [fields["seq"], fields["beat_ms"], fields.get("forgotten", 0), *seqs.values()]
    if not all(isinstance(each, str) for each in [*texts, *records, *dropped]):
        raise TypeError
    if not all(isinstance(each, int) for each in numbers):
        raise TypeError
    if fields["node"] and not is_token(str(fields["node"])):
        raise ValueError(fields["node"])  # no beat holds it, and half a pair has no bytes
    return Held(
        node=str(fields["node"]),
        oid=str(fields["oid"]),
        refused=str(fields["refused"]),
        boot=str(fields.get("boot", "")),
        seq=int(str(fields["seq"])),
        beat_ms=int(str(fields["beat_ms"])),
        forgotten=int(str(fields.get("forgotten", 0))),
        records=tuple(path for path in records if _is_record(path)),
        dropped=tuple(dropped),
        seqs=dict(seqs),
    )


def _is_record(path: str) -> bool:
    agent, _, record = path.partition("/")
    return is_agent(agent) and record in RECORDS


def save(files: Files, layout: Layout, host: str, held: Held) -> None:
    """Keep what is held of *host*."""
    raw = json.dumps(asdict(held), sort_keys=True, indent=1).encode() + b"\n"
    files.replace(layout.collected(host), raw)


def prune(files: Files, layout: Layout, there: Collection[str]) -> None:
    """Drop what was refused of hosts that are not *there* any more, and were never heard.

    Whoever puts other names at a remote each round would have a file kept of each.
    """
    for host in hosts(files, layout):
        if host in there:
            continue
        try:
            if not load_certain(files, layout, host).node:
                files.remove(layout.collected(host))
        except OSError:
            continue


def hosts(files: Files, layout: Layout) -> list[str]:
    """Return every host of which something is held or was refused, sorted."""
    found = files.scan(layout.collected())
    entries = found if isinstance(found, list) else []
    return [name for name, kind in entries if kind == "file" and is_host(name)]
