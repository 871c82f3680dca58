"""A workspace of two agents whose launches write one file there, each for itself."""

from __future__ import annotations

from catalog.finding import Finding
from st2.workspace import workspace_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalog.declaration import Declaration
    from drivers.driver import Render

_HINT = "give each a workspace of its own: hooks and server speak for whoever was started last"


class Workspaces:
    """What the agents that are to run write where, as far as they were looked at."""

    __slots__ = ("_catalog", "_known")

    def __init__(self, catalog: str) -> None:
        self._catalog = catalog
        self._known: dict[tuple[str, str, str], tuple[str, Render]] = {}

    def add(self, declaration: Declaration, renders: Sequence[Render]) -> list[Finding]:
        """Add one launch; return what it has of another one's, one finding at most.

        What a person rendered by hand is not judged: two may add to one file on purpose.
        """
        folder = workspace_of(declaration, self._catalog)
        if folder is None or declaration.driver is None or not declaration.running:
            return []
        for render in renders:
            where = (declaration.host, folder, render.path)
            first, known = self._known.setdefault(where, (declaration.identity, render))
            if first != declaration.identity and known != render:
                return [_finding(declaration, folder, render.path, first)]
        return []


def _finding(declaration: Declaration, folder: str, path: str, first: str) -> Finding:
    line, column = declaration.place(declaration.driver_at) or (None, None)
    sentence = f"found {folder}, where {first} writes its own {path}, wanted a workspace of its own"
    return Finding("workspace-shared", sentence, declaration.path, _HINT, line=line, column=column)
