"""``st2 merge-record``: what git calls to merge two versions of a record.

git names three files in its working directory and the path that they are versions of; the
result goes into the first, and any other exit than 0 leaves a conflict. No catalog is asked
for: git runs it at the top of whatever work tree the catalog lies in.
"""

from __future__ import annotations

import os

from catalog.layout import RECORDS
from catalog.merging import merge, place_of
from catalog.seen import Content, Unreadable
from catalog.sync_errors import CannotMerge
from catalog.system.files import Files

_RECORDS = ", ".join(RECORDS)
_HINT = "settle it by hand; the driver is for the records that .gitattributes names"


def merge_record(ours: str, theirs: str, path: str, *, folder: str) -> int:
    """Leave in *ours* the version of *path* that stays; names are meant from *folder*.

    Raises CannotMerge, with no file changed, for a path that is no record and for a side that
    cannot be read: nobody decides about what he did not see.
    """
    place = place_of(path)
    if place is None:
        wanted = f"agents/<host>/<agent>/ with one of {_RECORDS}, or hosts/<host>/beat"
        raise CannotMerge(path, f"is no runtime record, wanted {wanted}", _HINT)
    one = _side(folder, ours, place.limit)
    other = _side(folder, theirs, place.limit)
    if one is None or other is None:
        if one is other:
            raise CannotMerge(path, "found neither of its versions, wanted two files", _HINT)
        one = other = one if one is not None else other
    assert one is not None and other is not None
    merged = merge(place, one, other)
    files, name = _at(folder, ours)
    files.replace(name, merged)
    return 0


def _side(folder: str, name: str, limit: int) -> bytes | None:
    """Return one version, up to one byte over its limit; None where there is no file."""
    files, file = _at(folder, name)
    found = files.read(file, limit)
    if isinstance(found, Unreadable):
        raise CannotMerge(name, f"{found.reason}, wanted a version of a record", _HINT)
    return found.raw if isinstance(found, Content) else None


def _at(folder: str, name: str) -> tuple[Files, str]:
    where, _, file = os.path.join(folder, name).rpartition("/")
    return Files(where or "/"), file
