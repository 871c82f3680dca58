"""The snapshot: all runtime records of one host, as the one blob that its ref carries.

:func:`decode` accepts exactly what :func:`encode` writes, within bounds, and never raises:
the bytes come from another host, and a bad one is a finding. spec/snapshot.md has the form.
"""

from __future__ import annotations

from dataclasses import dataclass

from catalog.layout import RECORDS
from catalog.names import is_agent
from catalog.windows import RECORD_BYTES, SESSION_BYTES

VERSION = 1
SNAPSHOT_BYTES = 16 * 1024 * 1024
"""The largest snapshot that is read, unpacked: 10 000 agents with claims need 5 MiB."""

SNAPSHOT_LINES = 200_000
"""The most records that one host may carry."""

_SESSION = "session.json"
_LARGEST = 2**63 - 1
_HEX = frozenset("0123456789abcdef")
_DIGITS = frozenset("0123456789")
_HEADER = ("st2-presence", "host", "node", "seq", "beat")
_FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One record of one agent, byte for byte; the file time only where it is a one-line record."""

    agent: str
    record: str
    raw: bytes
    mtime_ms: int | None = None

    @property
    def path(self) -> str:
        """The entry's place below its host's folder: ``<agent>/<record>``."""
        return f"{self.agent}/{self.record}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What one host says about its agents at one moment; entries sorted by their path.

    ``forgotten`` is the number of the last forgetting: whatever was published of this host
    before it is void. 0 where it was never forgotten.
    """

    host: str
    node: str
    seq: int
    beat_ms: int
    entries: tuple[Entry, ...]
    forgotten: int = 0

    @property
    def is_forgotten(self) -> bool:
        """Whether this is nothing but the word that the host was forgotten."""
        return 0 < self.forgotten == self.seq and not self.entries


@dataclass(frozen=True, slots=True)
class Refused:
    """A snapshot that is not used; *why* in words."""

    why: str


def limit_of(record: str) -> int:
    """Return the most bytes that *record* may have."""
    return SESSION_BYTES if record == _SESSION else RECORD_BYTES


def entry(agent: str, record: str, raw: bytes, *, mtime_ms: int) -> Entry:
    """Make the entry of a file: cut to its limit, with the file time where that is its clock.

    A longer file is malformed whatever follows, and reads the same when it is cut.
    """
    cut = raw[: limit_of(record)]
    return Entry(
        agent=agent,
        record=record,
        raw=cut,
        mtime_ms=mtime_ms if _is_one_line(record, cut) else None,
    )


def encode(snapshot: Snapshot) -> bytes:
    """Return the canonical bytes of *snapshot*; its entries may come in any order."""
    values = (VERSION, snapshot.host, snapshot.node, snapshot.seq, snapshot.beat_ms)
    head = "".join(f"{name} {value}\n" for name, value in zip(_HEADER, values, strict=True))
    head += f"{_FORGOTTEN} {snapshot.forgotten}\n" if snapshot.forgotten else ""
    lines = sorted(_line(each) for each in snapshot.entries)
    return head.encode() + b"\n" + b"".join(lines)


def decode(raw: bytes, *, host: str) -> Snapshot | Refused:
    """Read the snapshot found under *host*'s ref. Never raises."""
    if len(raw) > SNAPSHOT_BYTES:
        return Refused(f"{len(raw)} bytes, wanted at most {SNAPSHOT_BYTES}")
    head, blank, body = raw.partition(b"\n\n")
    if body.count(b"\n") > SNAPSHOT_LINES:
        return Refused(f"more than {SNAPSHOT_LINES} records")
    if not blank:
        return Refused("no blank line after a header")
    try:
        values = _header(head, host)
        entries = _entries(body)
    except _Bad as bad:
        return Refused(str(bad))
    node, seq, beat_ms, forgotten = values
    return Snapshot(
        host=host, node=node, seq=seq, beat_ms=beat_ms, entries=entries, forgotten=forgotten
    )


def apart(snapshot: Snapshot) -> tuple[list[Entry], list[str]]:
    """Split off the agents whose names fold to an earlier one's on some disks: (kept, dropped).

    Of names that differ by case alone the byte-wise first is kept.
    """
    chosen: dict[str, str] = {}
    for name in sorted({each.agent for each in snapshot.entries}):
        chosen.setdefault(name.lower(), name)
    kept = [each for each in snapshot.entries if chosen[each.agent.lower()] == each.agent]
    dropped = {each.agent for each in snapshot.entries} - set(chosen.values())
    return kept, sorted(dropped)


class _Bad(Exception):
    """Why these bytes are refused."""


def _is_one_line(record: str, raw: bytes) -> bool:
    return record != _SESSION and b"\n" not in raw[:-1]


def _line(each: Entry) -> bytes:
    text = each.raw.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\t", b"\\t")
    time = b"" if each.mtime_ms is None else b"\t%d" % each.mtime_ms
    return each.path.encode() + b"\t" + text + time + b"\n"


def _header(head: bytes, host: str) -> tuple[str, int, int, int]:
    lines = head.split(b"\n")
    version = lines[0].removeprefix(b"st2-presence ")
    if version == lines[0]:
        raise _Bad("no st2-presence header")
    if version != b"%d" % VERSION:
        raise _Bad(f"version {_shown(version)}, this reader knows {VERSION}")
    forgotten = lines.pop() if len(lines) == len(_HEADER) + 1 else None
    if len(lines) != len(_HEADER):
        raise _Bad(f"{len(lines)} header lines and a blank one, wanted {len(_HEADER)}")
    found = [_value(line, name) for line, name in zip(lines[1:], _HEADER[1:], strict=True)]
    if found[0] != host:
        raise _Bad(f"speaks for host {_shown(found[0].encode())} under the ref of {host}")
    if len(found[1]) != 16 or not _HEX.issuperset(found[1]):
        raise _Bad(f"node {_shown(found[1].encode())}, wanted 16 hex digits")
    seq, beat_ms = _number(found[2], "seq"), _number(found[3], "beat")
    return found[1], seq, beat_ms, 0 if forgotten is None else _forgotten(forgotten, seq)


def _forgotten(line: bytes, seq: int) -> int:
    """Read the number of the last forgetting: it was a publish, and no later one than this."""
    number = _number(_value(line, _FORGOTTEN), _FORGOTTEN)
    if not 1 <= number <= seq:
        raise _Bad(f"{_FORGOTTEN} {number}, wanted a number from 1 to that of seq")
    return number


def _value(line: bytes, name: str) -> str:
    key, blank, value = line.partition(b" ")
    if not blank or key != name.encode():
        raise _Bad(f"header line {_shown(line)}, wanted {name}")
    return value.decode("latin-1")


def _number(text: str, what: str) -> int:
    """Read the one spelling of a number from 0 to 2**63 - 1."""
    plain = 1 <= len(text) <= 19 and _DIGITS.issuperset(text) and (text[0] != "0" or text == "0")
    if not plain or int(text) > _LARGEST:
        raise _Bad(f"{what} {_shown(text.encode())}, wanted a number of milliseconds")
    return int(text)


def _entries(body: bytes) -> tuple[Entry, ...]:
    if not body:
        return ()
    lines = body.split(b"\n")
    if lines.pop():
        raise _Bad("the last line is not ended")
    entries, before, agent = [], "", ""
    for line in lines:
        each = _entry(line, agent)
        agent, path = each.agent, each.path
        if path <= before:
            raise _Bad(
                f"{path}: {'twice' if path == before else f'after {before}, wanted sorted lines'}"
            )
        entries.append(each)
        before = path
    return tuple(entries)


def _entry(line: bytes, before: str) -> Entry:
    """Read one line; *before* is the agent of the one before, whose name was looked at there."""
    place, *fields = line.split(b"\t")
    agent, slash, record = place.decode("latin-1").partition("/")
    if not slash or (agent != before and not is_agent(agent)):
        raise _Bad(f"path {_shown(place)}, wanted an agent's name and a record")
    if record not in RECORDS:
        raise _Bad(f"record {_shown(record.encode())}, wanted one of {', '.join(RECORDS)}")
    raw = _unescaped(fields[0], place) if fields else b""
    if len(raw) > limit_of(record):
        raise _Bad(f"{agent}/{record}: {len(raw)} bytes, wanted at most {limit_of(record)}")
    if len(fields) != (2 if _is_one_line(record, raw) else 1):
        raise _Bad(
            f"{agent}/{record}: {len(fields)} fields, wanted a file time on a one-line record only"
        )
    mtime_ms = _time(fields[1]) if len(fields) == 2 else None
    return Entry(agent=agent, record=record, raw=raw, mtime_ms=mtime_ms)


def _time(field: bytes) -> int:
    """Read a file time, which may lie before 1970."""
    text = field.decode("latin-1")
    if text.startswith("-") and text != "-0":
        return -_number(text[1:], "file time")
    return _number(text, "file time")


def _unescaped(field: bytes, place: bytes) -> bytes:
    if b"\\\\" in field:
        # A pair of them found from the left is always one escape: no other escape ends in one.
        return b"\\".join([_unescaped(each, place) for each in field.split(b"\\\\")])
    escapes = field.count(b"\\")
    if not escapes:
        return field
    if escapes != field.count(b"\\n") + field.count(b"\\t"):
        raise _Bad(f"{_shown(place)}: an escape that is none of \\\\ \\n \\t")
    return field.replace(b"\\n", b"\n").replace(b"\\t", b"\t")


def _shown(raw: bytes) -> str:
    text = ascii(raw[:40].decode("latin-1"))
    return text if len(raw) <= 40 else f"{text}... ({len(raw)} bytes)"
