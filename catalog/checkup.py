"""A walk over the whole catalog for what would break somewhere: names, and files that were damaged.

It goes where no other reader looks: at names that are skipped and at records that no row shows.
Nothing is written, nothing is judged by a clock.
"""

from __future__ import annotations

from catalog.damage import about_file
from catalog.finding import Finding
from catalog.layout import DECLARATIONS, RECORDS
from catalog.names import is_conflict_copy
from catalog.portable import about_names
from catalog.seen import Unreadable
from catalog.system.folders import Folder
from catalog.windows import DECLARATION_BYTES, RECORD_BYTES, SESSION_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.layout import Layout
    from catalog.system.files import Files

_LINK = "found a symlink, which is not entered: what lies behind it has no row; wanted a folder"
_LIMITS = dict.fromkeys(DECLARATIONS, DECLARATION_BYTES) | {"session.json": SESSION_BYTES}


def checkup(files: Files, layout: Layout) -> list[Finding]:
    """Return what is wrong with the names and the files of a catalog, in order of the paths."""
    found: list[Finding] = []
    root = files.scan(".")
    if isinstance(root, list):
        found += about_names("", [name for name, _ in root])
    for host in _folders(files, layout.agents(), found):
        here = host == layout.host
        for agent in _folders(files, layout.host_folder(host), found):
            _files_of(files, layout.agent_folder(host, agent), found, here=here)
    for host in _folders(files, layout.hosts(), found):
        _files_of(files, f"{layout.hosts()}/{host}", found, here=host == layout.host)
    return found


def _folders(files: Files, path: str, found: list[Finding]) -> list[str]:
    """Judge the names in a folder; return those of them that are folders to go into."""
    entries = files.scan(path)
    if isinstance(entries, Unreadable):
        found.append(_closed(path, entries))
    if not isinstance(entries, list):
        return []
    shown = [(name, kind) for name, kind in entries if not name.startswith(".")]
    found += about_names(path, [name for name, _ in entries])
    found += [
        Finding("symlink", _LINK, f"{path}/{name}", "put the folder itself in its place")
        for name, kind in shown
        if kind == "link"
    ]
    return [name for name, kind in shown if kind == "dir" and not is_conflict_copy(name)]


def _files_of(files: Files, path: str, found: list[Finding], *, here: bool) -> None:
    folder = files.folder(path)
    if isinstance(folder, Unreadable):
        found.append(_closed(path, folder))
    if not isinstance(folder, Folder):
        return
    with folder:
        names = folder.listed()
        if isinstance(names, Unreadable):
            found.append(_closed(path, names))
            return
        found += about_names(path, names)
        known = (*DECLARATIONS, *RECORDS, "beat")
        for name in sorted(set(names).intersection(known)):
            read = folder.read(name, _LIMITS.get(name, RECORD_BYTES))
            found += about_file(f"{path}/{name}", read, here=here)


def _closed(path: str, folder: Unreadable) -> Finding:
    hint = "give this user the right to read it, or move it away"
    return Finding("unreadable", folder.reason, path, hint)
