"""This host's own folder: is it safe, is a lock held for long, what can or could not be written."""

from __future__ import annotations

from datetime import datetime

from catalog.claim import Claim
from catalog.finding import Finding
from catalog.names import split_bus_id
from catalog.record import Record, parse
from catalog.refusals import LocalStateUnsafe
from catalog.seen import Content, Unreadable
from catalog.system.log import LINE_CHARS, LOG_BYTES
from catalog.system.mounts import lacking
from catalog.windows import LOCK_WAIT_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalog.layout import Layout
    from catalog.reader import Reader
    from catalog.system.files import Files

_LOCKS = ("cache.lock", "materialize", "node.lock", "publisher", "settings.lock")
_LOCK = "a lock"
_SUBJECT = "owner of "
_FAILED = " not written: "


def local_state(files: Files, layout: Layout) -> list[Finding]:
    """Find a ``.st2`` that is not used because it is not safe, or not a folder."""
    found = files.scan(layout.local())
    if not isinstance(found, Unreadable):
        return []
    return [Finding(LocalStateUnsafe.code, found.reason, ".st2", LocalStateUnsafe.hint)]


def room(layout: Layout) -> list[Finding]:
    """Find a disk that is full: what fails to be written there is not logged there either."""
    what = lacking(layout.root)
    if what is None:
        return []
    sentence = f"found no {what} left on its disk, wanted room for records"
    return [Finding("disk-full", sentence, layout.agents(), "make room on the disk")]


def locks(files: Files, layout: Layout) -> list[Finding]:
    """Find locks that somebody holds for longer than anybody waits, and what is no file of ours.

    An owner holds its lock for life.
    """
    found = []
    for path, kind, what in _lock_files(files, layout):
        if kind != "file":
            sentence = f"found a {kind} in the place of {what}, wanted a file"
            found.append(Finding("lock-odd", sentence, path, "move it away; it is made anew"))
            continue
        if what != _LOCK:
            continue
        if path == layout.publisher_lock() and files.lock_free(layout.watching_lock()) is False:
            continue
        holder = files.lock_holder(path)
        if holder is not None and holder.age_s * 1_000 >= LOCK_WAIT_MS:
            who = "somebody" if holder.pid is None else f"pid {holder.pid}"
            sentence = f"held by {who} for {holder.age_s} s, wanted {LOCK_WAIT_MS // 1_000} at most"
            hint = "look at that process: if it is stopped, let it go on, or end it"
            found.append(Finding("lock-held", sentence, path, hint))
    return found


def _lock_files(files: Files, layout: Layout) -> Iterator[tuple[str, str, str]]:
    """Yield path, kind and purpose of whatever lies where a lock, or what it speaks for, may."""
    for folder, chosen, what in (
        (layout.local(), _LOCKS, _LOCK),
        (layout.local("lock"), None, _LOCK),
        (layout.local("owner"), None, "an owner's lock"),
        (layout.process_folder(), None, "process evidence"),
    ):
        entries = files.scan(folder)
        for name, kind in entries if isinstance(entries, list) else []:
            if chosen is None or name in chosen:
                kind = {"dir": "folder", "other": "device"}.get(kind, kind)
                yield f"{folder}/{name}", kind, what


def writes(files: Files, layout: Layout, reader: Reader) -> list[Finding]:
    """Find what an owner could not write and has not written since, from this host's log."""
    counts: dict[tuple[str, str], list[str]] = {}
    for line in _log_lines(files, layout):
        moment, _, event = line.partition(" ")
        subject, _, failure = event.partition(": ")
        if subject.startswith(_SUBJECT) and _FAILED in failure:
            counts.setdefault((subject, failure), []).append(moment)
    hint = "make room on the disk, or give this user the right to write there"
    return [
        Finding("write-failed", f"{subject}: {failure}, {_times(moments)}", layout.log(), hint)
        for (subject, failure), moments in counts.items()
        if not _written_since(reader, subject.removeprefix(_SUBJECT), _ms(moments[-1]))
    ]


def _log_lines(files: Files, layout: Layout) -> Iterator[str]:
    for name in (f"{layout.log()}.1", layout.log()):
        content = files.read(name, LOG_BYTES + 2 * LINE_CHARS)
        if isinstance(content, Content):
            yield from content.raw.decode("utf-8", "replace").split("\n")


def _times(moments: list[str]) -> str:
    return f"{len(moments)} times, last {moments[-1]}" if len(moments) > 1 else moments[-1]


def _ms(moment: str) -> int:
    try:
        return int(datetime.fromisoformat(moment).timestamp() * 1_000)
    except ValueError:
        return 0


def _written_since(reader: Reader, identity: str, failed_ms: int) -> bool:
    """Say whether a record of the agent is younger than a failure to write one."""
    key = split_bus_id(identity)
    if key is None:
        return False
    status, claim = reader.record(*key, "status"), reader.claim(*key)
    parsed = parse(status.raw) if isinstance(status, Content) else None
    stamps = [parsed.stamp_ms] if isinstance(parsed, Record) else []
    if isinstance(claim, Claim):
        stamps += [claim.started_ms, claim.ended_ms or 0]
    return max(stamps, default=0) > failed_ms
