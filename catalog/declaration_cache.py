"""Declarations as they were read before, so that a roster loads no parser for what it knows.

An entry counts for exactly the bytes that it was made of, in the file that it was made of: the
cache holds their digest, which no other bytes have. So it cannot be stale, whatever a file time
says. What lies beside that file is not of the entry.

The cache may be deleted at any time, and one that holds anything else than we write is not
believed: its first line is the seal of this machine over the rest, so that a catalog cannot bring
along what a declaration is to mean.
"""

from __future__ import annotations

import os

from catalog import json_text
from catalog.declared import Broken, Declared, from_json, shadows, to_json
from catalog.errors import St2Error
from catalog.seal import digest, seal
from catalog.seen import Content, Missing
from catalog.system.folders import Folder
from catalog.system.machine import machine_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.layout import Layout
    from catalog.survey import Place
    from catalog.system.files import Files

VERSION = 5
"""Raised whenever anything else is remembered of the same bytes, or in another form.

A newer st2 does not believe what an older one kept.
"""

_LARGEST_BYTES = 64 * 1024 * 1024
_LARGEST_ENTRY = 16 * 1024


class DeclarationCache:
    """What was read before on this host; :meth:`save` keeps what was read now."""

    __slots__ = ("_changed", "_entries", "_files", "_kept", "_layout")

    def __init__(self, files: Files, layout: Layout) -> None:
        self._files = files
        self._layout = layout
        self._entries = _load(files, layout)
        self._kept: dict[str, object] = {}
        self._changed = False

    def declared_at(self, place: Place) -> Declared | Broken | None:
        """Return the declaration of a place, if it has one."""
        read = self._declared(place)
        if read is None or not place.shadowed:
            return read
        findings = (*read.findings, *shadows(place))
        if isinstance(read, Broken):
            return Broken(read.path, findings)
        return read.with_findings(findings)

    def _declared(self, place: Place) -> Declared | Broken | None:
        if place.file is None or not isinstance(place.declaration, Content):
            return self._read(place)
        entry = self._entries.get(place.file)
        own = digest(place.declaration.raw)
        if isinstance(entry, list) and len(entry) == 2 and entry[0] == own:
            known = from_json(entry[1], place.file)
            if known is not None:
                self._kept[place.file] = entry
                return known
        read = self._read(place)
        if read is not None and len(place.declaration.raw) <= _LARGEST_ENTRY:
            self._kept[place.file] = [own, to_json(read)]
            self._changed = True
        return read

    def save(self) -> None:
        """Keep what was read, where this host has a folder of its own; failing is no fault."""
        if not self._changed and len(self._kept) == len(self._entries):
            return
        folder = self._files.folder(self._layout.local())
        if not isinstance(folder, Folder):
            return
        folder.close()
        text = json_text.dumps({"v": VERSION, "entries": self._kept}).encode("ascii")
        sealed = _seal(self._layout, text).encode("ascii") + b"\n" + text
        try:
            with self._files.lock(self._layout.local("cache.lock"), wait_ms=0):
                self._files.replace(self._layout.cache(), sealed)
        except (OSError, St2Error):
            return

    def _read(self, place: Place) -> Declared | Broken | None:
        if place.file is None or isinstance(place.declaration, Missing):
            return None
        from catalog.declaration import declaration_in, declared

        read = declaration_in(place, this_host=self._layout.host)
        return None if read is None else declared(read)


def _load(files: Files, layout: Layout) -> dict[str, object]:
    found = files.read(layout.cache(), _LARGEST_BYTES)
    if not isinstance(found, Content) or len(found.raw) > _LARGEST_BYTES:
        return {}
    told, _, text = found.raw.partition(b"\n")
    if told.decode("latin-1") != _seal(layout, text):
        return {}
    value = json_text.loads(text)
    if not isinstance(value, dict) or value.get("v") != VERSION:
        return {}
    entries = value.get("entries")
    return entries if isinstance(entries, dict) else {}


def _seal(layout: Layout, text: bytes) -> str:
    return seal(machine_id(), os.path.realpath(layout.root), "declarations", text)
