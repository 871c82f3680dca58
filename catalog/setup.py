"""Making a catalog, or completing one: folders, and the lines that git and Syncthing go by.

What a person wrote is never replaced; missing lines are added at the end. The catalog itself
says how its records travel, ``refs`` or ``branch``, by lines that every clone of it has.
"""

from __future__ import annotations

import os

from catalog.errors import reason_of
from catalog.layout import RECORDS, Layout
from catalog.refusals import CatalogUnusable
from catalog.seen import Content, Missing
from catalog.system.files import Files

REFS, BRANCH = "refs", "branch"
DRIVER = "st2-record"
"""The name under which `.gitattributes` asks for our merge driver."""

STIGNORE = ".stignore"
"""What Syncthing goes by; it does not carry this file."""

_LIMIT = 1_048_576
_RECORDS = tuple(f"/agents/*/*/{name}" for name in RECORDS)
_BEATS = "/hosts/*/beat"
_TEMPORARIES = ".*.tmp-*-*"
_ATTRIBUTES, _IGNORED = ".gitattributes", ".gitignore"

# A record is compared byte by byte: no tool may touch its line ends, wherever it travels.
_UNTOUCHED = tuple(f"{path} -text" for path in (*_RECORDS, _BEATS))
_MERGED = tuple(f"{path} merge={DRIVER}" for path in (*_RECORDS, _BEATS))
_HALF_RECORDS = f"/agents/*/*/{_TEMPORARIES}"
_OFF_THE_BRANCH = ("/hosts/", *_RECORDS)
_HALF_BEATS = f"/hosts/*/{_TEMPORARIES}"

# Syncthing moves whole files well; the records are its to move. This host's state is not, nor
# is a repository: its files are one thing only together.
_UNSYNCED = ("/.st2", "/.git", _TEMPORARIES)

LINES = {
    REFS: {
        _ATTRIBUTES: _UNTOUCHED,
        _IGNORED: ("/.st2/", *_OFF_THE_BRANCH, _HALF_RECORDS),
        STIGNORE: _UNSYNCED,
    },
    BRANCH: {
        _ATTRIBUTES: (*_UNTOUCHED, *_MERGED),
        _IGNORED: ("/.st2/", _HALF_RECORDS, _HALF_BEATS),
        STIGNORE: _UNSYNCED,
    },
}
"""The lines that each file of a catalog has to have, by how its records travel."""

_ONLY = {
    REFS: {_ATTRIBUTES: (), _IGNORED: _OFF_THE_BRANCH},
    BRANCH: {_ATTRIBUTES: _MERGED, _IGNORED: (_HALF_BEATS,)},
}
"""The lines that are ours and wrong where records travel the other way."""


def presence_of(files: Files) -> str | None:
    """Return how the records of a catalog travel; None where nothing says it yet."""
    found = files.read(_ATTRIBUTES, limit=_LIMIT)
    if not isinstance(found, Content):
        return None
    present = _lines(found.raw)
    if any(line.encode() in present for line in _MERGED):
        return BRANCH
    return REFS if any(line.encode() in present for line in _UNTOUCHED) else None


def missing_for_syncthing(files: Files) -> list[str]:
    """Return the lines that keep Syncthing off what is not its to move, and are not there."""
    found = files.read(STIGNORE, limit=_LIMIT)
    present = _lines(found.raw) if isinstance(found, Content) else set()
    return [line for line in _UNSYNCED if line.encode() not in present]


def complete(layout: Layout, presence: str = REFS) -> list[str]:
    """Make what is missing of the catalog; return the paths that were made or changed.

    Lines of ours that belong to the other *presence* go; no other line is touched.
    """
    done = []
    if not os.path.isdir(f"{layout.root}/{layout.agents()}"):
        try:
            os.makedirs(f"{layout.root}/{layout.agents()}", exist_ok=True)
        except OSError as error:
            found = f"cannot be made ({reason_of(error)}), wanted a folder"
            raise CatalogUnusable(layout.root, found, "name a folder, or a free path") from None
        done.append(f"{layout.agents()}/")
    files = Files(layout.root)
    gone = _ONLY[BRANCH if presence == REFS else REFS]
    for name, lines in LINES[presence].items():
        if _settle(files, layout, name, lines, gone.get(name, ())):
            done.append(name)
    return done


def _settle(
    files: Files, layout: Layout, name: str, lines: tuple[str, ...], gone: tuple[str, ...]
) -> bool:
    """Add those *lines* that the file has not, take out those *gone*; say whether it changed."""
    found = files.read(name, limit=_LIMIT)
    if not isinstance(found, Content | Missing) or (
        isinstance(found, Content) and len(found.raw) > _LIMIT
    ):
        hint = f"add these lines by hand: {', '.join(lines)}"
        raise CatalogUnusable(layout.absolute(name), "cannot be completed, wanted a file", hint)
    raw = found.raw if isinstance(found, Content) else b""
    unwanted = {line.encode() for line in gone}
    kept = b"".join(line for line in raw.splitlines(True) if line.strip() not in unwanted)
    present = _lines(kept)
    missing = [line for line in lines if line.encode() not in present]
    if missing or kept != raw:
        gap = b"" if kept.endswith(b"\n") or not kept or not missing else b"\n"
        files.replace(name, kept + gap + "".join(f"{line}\n" for line in missing).encode())
    return bool(missing) or kept != raw


def _lines(raw: bytes) -> set[bytes]:
    return {line.strip() for line in raw.splitlines()}
