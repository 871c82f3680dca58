"""A walk over the catalog: every folder that may be an agent, and what lies in it, as found.

Nothing is interpreted here and nothing is written. Symlinks, dot-folders and whatever lies
deeper are not entered; conflict copies are neither agents nor records.
"""

from __future__ import annotations

from catalog.layout import DECLARATIONS
from catalog.names import is_agent, is_conflict_copy, is_host
from catalog.seen import Missing, Unreadable
from catalog.system.folders import Folder
from catalog.value import Value
from catalog.windows import DECLARATION_BYTES, RECORD_BYTES, SESSION_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from catalog.finding import Finding
    from catalog.layout import Layout
    from catalog.seen import Found
    from catalog.system.files import Files

_LIMITS = {
    **dict.fromkeys(DECLARATIONS, DECLARATION_BYTES),
    **dict.fromkeys(("status", "activity"), RECORD_BYTES),
    "session.json": SESSION_BYTES,
    **dict.fromkeys(("held", "seen"), 0),
}
"""The names that make an agent of a folder, and how much is read of each."""

_NAMES = {name: limit if name in DECLARATIONS else 0 for name, limit in _LIMITS.items()}
"""The same where records are only asked to be there."""

_MISSING = Missing()


class Place(Value):
    """One folder: the names that it gives, its declaration if any, and its records.

    ``host`` and ``agent`` are None where the folder's name breaks the rule or is not there
    (a declaration right below ``agents/`` has no host folder). ``recorded`` says whether any
    record lies here, ``shadowed`` names the declarations that do not count beside ``file``.
    """

    __slots__ = (
        *("activity", "agent", "declaration", "file", "host"),
        *("path", "recorded", "session", "shadowed", "status"),
    )

    def __init__(
        self,
        path: str,
        host: str | None,
        agent: str | None,
        *,
        file: str | None = None,
        declaration: Found = _MISSING,
        status: Found = _MISSING,
        session: Found = _MISSING,
        activity: Found = _MISSING,
        recorded: bool = False,
        shadowed: tuple[str, ...] = (),
    ) -> None:
        self.path = path
        self.host = host
        self.agent = agent
        self.file = file
        self.declaration = declaration
        self.status = status
        self.session = session
        self.activity = activity
        self.recorded = recorded
        self.shadowed = shadowed


class Survey:
    """What a walk found: places in order of their paths, and findings about the walk itself."""

    __slots__ = ("findings", "places")

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.findings: list[Finding] = []


def survey(files: Files, layout: Layout, *, records: bool = True) -> Survey:
    """Walk the whole catalog once. Without *records* they are found empty, not read."""
    found = Survey()
    agents = files.folder(layout.agents())
    if not isinstance(agents, Folder):
        _unreadable(agents, layout.agents(), found)
        return found
    with agents:
        for name in _listed(agents, layout.agents(), found)[0]:
            _host(agents, name, layout, found, _LIMITS if records else _NAMES)
    return found


def place_of(files: Files, layout: Layout, host: str, agent: str) -> Place | None:
    """Return the folder of one agent and what lies in it; unreadable is not the same as empty."""
    path, folder = layout.agent_folder(host, agent), files.folder(layout.host_folder(host))
    if not isinstance(folder, Folder):
        return _agent(folder, agent, path, host, Survey())
    with folder:
        return _agent(folder.read_below(agent, _LIMITS), agent, path, host, Survey())


def _listed(folder: Folder, path: str, found: Survey) -> tuple[list[str], list[str] | None]:
    """Return the folders in one that may be entered, and the declarations; None: cannot be told."""
    listed = folder.folders_beside(DECLARATIONS)
    if isinstance(listed, Unreadable):
        _unreadable(listed, path, found)
        return [], None
    folders, declarations = listed
    # A name of letters and digits alone is no copy: nearly all of them are told by that.
    names = [
        each
        for each in folders
        if each.isalnum() or (each[0] != "." and not is_conflict_copy(each))
    ]
    return names, declarations


def _host(
    agents: Folder, name: str, layout: Layout, found: Survey, limits: Mapping[str, int]
) -> None:
    path = layout.host_folder(name)
    with_host = is_host(name)
    folder = agents.enter(name)
    if not isinstance(folder, Folder):
        _unreadable(folder, path, found)
        return
    with folder:
        names, declarations = _listed(folder, path, found)
        near = _declared_here(folder, path, name, declarations)
        if near is not None:
            found.places.append(near)
        for agent in names:
            here = folder.read_below(agent, limits)
            place = _agent(here, agent, f"{path}/{agent}", name if with_host else None, found)
            if place is not None:
                found.places.append(place)


def _declared_here(
    folder: Folder, path: str, name: str, listed: Sequence[str] | None
) -> Place | None:
    """Return a declaration right below ``agents/``: such a folder names an agent, no host."""
    file, declaration = _declaration(folder, DECLARATIONS if listed is None else listed)
    if file is None:
        return None
    if isinstance(declaration, Unreadable) and declaration.errno and listed is None:
        return None  # the system failed before it could say that there is none
    return Place(
        path,
        None,
        name if is_agent(name) else None,
        file=f"{path}/{file}",
        declaration=declaration,
        shadowed=_beside(file, listed or (file,)),
    )


def _declaration(folder: Folder, names: Sequence[str]) -> tuple[str | None, Found]:
    for name in names:
        found = folder.read(name, DECLARATION_BYTES)
        if not isinstance(found, Missing):
            return name, found
    return None, _MISSING


def _beside(file: str | None, present: Sequence[str]) -> tuple[str, ...]:
    """Return the declarations after the one that counts."""
    return () if file is None else tuple(present[present.index(file) + 1 :])


def _agent(
    here: dict[str, Found] | Missing | Unreadable,
    name: str,
    path: str,
    host: str | None,
    found: Survey,
) -> Place | None:
    if not isinstance(here, dict):
        return _closed(here, path, host, name, found)
    if not here:
        return None
    agent = name if is_agent(name) else None
    if agent is None or host is None:
        found.findings.append(_bad_name(path, host))
    names = [each for each in DECLARATIONS if each in here]
    file = names[0] if names else None
    if file is not None and isinstance(here[file], Missing):  # it went while it was looked at
        file = next((each for each in names if not isinstance(here[each], Missing)), None)
    place = Place(path, host, agent)  # an argument by name costs more than all of this
    if file is not None:
        place.file, place.declaration = f"{path}/{file}", here[file]
        place.shadowed = _beside(file, names) if len(names) > 1 else ()
    place.status = here.get("status", _MISSING)
    place.session = here.get("session.json", _MISSING)
    place.activity = here.get("activity", _MISSING)
    place.recorded = len(here) > len(names)
    return place


def _closed(
    folder: Missing | Unreadable, path: str, host: str | None, name: str, found: Survey
) -> Place | None:
    """Return the place of an agent whose folder cannot be looked into: it keeps its row."""
    if host is not None and is_agent(name) and isinstance(folder, Unreadable):
        return Place(
            path, host, name, status=folder, session=folder, activity=folder, recorded=True
        )
    _unreadable(folder, path, found)
    return None


def _bad_name(path: str, host: str | None) -> Finding:
    what = "host" if host is None else "agent"
    return _finding(
        "bad-name", f"the folder's name is no {what} name, so its records have no row", path
    )


def _unreadable(folder: Missing | Unreadable, path: str, found: Survey) -> None:
    if isinstance(folder, Unreadable):
        found.findings.append(_finding("unreadable", folder.reason, path))


def _finding(kind: str, message: str, path: str) -> Finding:
    from catalog.finding import Finding

    return Finding(kind, message, path)
