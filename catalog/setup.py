"""Making a catalog, or completing one: folders, and the lines that keep runtime records off
the branch. What a person wrote is never replaced; missing lines are added at the end.
"""

from __future__ import annotations

import os

from catalog.errors import CatalogUnusable
from catalog.layout import RECORDS, Layout
from catalog.seen import Content, Missing
from catalog.system.files import Files

_LIMIT = 1_048_576
_RECORDS = tuple(f"/agents/*/*/{name}" for name in RECORDS)
_TEMPORARIES = ".*.tmp-*-*"

LINES = {
    # A record is compared byte by byte: no tool may touch its line ends, wherever it travels.
    ".gitattributes": (*(f"{path} -text" for path in _RECORDS), "/hosts/*/beat -text"),
    ".gitignore": ("/.st2/", "/hosts/", *_RECORDS, f"/agents/*/*/{_TEMPORARIES}"),
    # Syncthing moves whole files well; the records are its to move, this host's state is not.
    ".stignore": ("/.st2", _TEMPORARIES),
}
"""The lines that each file of a catalog has to have, with presence in refs."""


def complete(layout: Layout) -> list[str]:
    """Make what is missing of the catalog; return the paths that were made or changed."""
    done = []
    if not os.path.isdir(f"{layout.root}/{layout.agents()}"):
        try:
            os.makedirs(f"{layout.root}/{layout.agents()}", exist_ok=True)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            found = f"cannot be made ({why}), wanted a folder"
            raise CatalogUnusable(layout.root, found, "name a folder, or a free path") from None
        done.append(f"{layout.agents()}/")
    files = Files(layout.root)
    return done + [name for name, lines in LINES.items() if _add(files, layout, name, lines)]


def _add(files: Files, layout: Layout, name: str, lines: tuple[str, ...]) -> bool:
    """Add those *lines* that the file has not; say whether there were any."""
    found = files.read(name, limit=_LIMIT)
    if not isinstance(found, Content | Missing) or (
        isinstance(found, Content) and len(found.raw) > _LIMIT
    ):
        hint = f"add these lines by hand: {', '.join(lines)}"
        raise CatalogUnusable(layout.absolute(name), "cannot be completed, wanted a file", hint)
    raw = found.raw if isinstance(found, Content) else b""
    present = {line.strip() for line in raw.splitlines()}
    missing = [line for line in lines if line.encode() not in present]
    if missing:
        gap = b"" if raw.endswith(b"\n") or not raw else b"\n"
        files.replace(name, raw + gap + "".join(f"{line}\n" for line in missing).encode())
    return bool(missing)
