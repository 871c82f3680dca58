"""The workspace of a declaration as a folder of this machine."""

from __future__ import annotations

import os

from catalog.errors import St2Error
from drivers.render import WORKSPACE
from st2.out import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.declaration import Declaration
    from drivers.render import Action


class NoWorkspace(St2Error):
    """The declared workspace is not there to run in."""

    code = "no-workspace"
    hint = "make the folder, or correct the declaration"


def workspace_of(declaration: Declaration, catalog: str) -> str | None:
    """Return the absolute path of the workspace, there or not; None where none is declared."""
    written = declaration.workspace
    if written is None:
        return None
    if written == "$CATALOG" or written.startswith("$CATALOG/"):
        written = catalog + written.removeprefix("$CATALOG")
    return os.path.normpath(os.path.join(catalog, os.path.expanduser(written)))


def existing_workspace(declaration: Declaration, catalog: str) -> str | None:
    """Return the workspace, or raise NoWorkspace where its folder is not there."""
    folder = workspace_of(declaration, catalog)
    if folder is not None and not os.path.isdir(folder):
        raise NoWorkspace(declaration.identity, f"no folder {folder}, wanted its workspace")
    if folder is not None and ".git" in os.path.realpath(folder).lower().split("/"):
        raise NoWorkspace(declaration.identity, f"{folder} lies in a .git, wanted a work tree")
    return folder


def shown(action: Action) -> str:
    """Return where in a workspace an action happens, for people."""
    folder = "" if action.target.root == WORKSPACE else ".git/"
    return plain(f"{folder}{action.target.path}")
