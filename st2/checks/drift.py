"""The workspaces of agents that were started, beside what their declarations ask for."""

from __future__ import annotations

import os

from catalog.errors import St2Error
from catalog.finding import Finding
from drivers.materialize import Workspace
from st2.launch import launch_of
from st2.workspace import shown, workspace_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from catalog.declaration import Declaration
    from st2.context import Context


def drift(context: Context, declared: Iterable[Declaration]) -> list[Finding]:
    """Find files in a workspace that `st2 materialize` would write, or may not."""
    findings = []
    for each in declared:
        if each.running and each.launch_error is None:
            findings += _of(context, each)
    return findings


def _of(context: Context, declared: Declaration) -> list[Finding]:
    """Compare the workspace of an agent that was started with what its declaration asks for."""
    folder = workspace_of(declared, context.layout.root)
    if context.reader.claim(declared.host, declared.agent) is None:
        return []  # run writes it before the first start
    if folder is None or not os.path.isdir(folder):
        return []  # its launch has that finding
    try:
        renders = launch_of(context, declared).render
    except St2Error:
        return []  # and this one
    try:
        made = Workspace(folder).plan(renders)
    except St2Error as error:
        return [Finding(error.code, str(error), folder, error.hint)]
    asked = f"{declared.identity}: found something else than its declaration asks for"
    hint = "st2 materialize AGENT writes it; --dry-run shows how"
    drifted = [
        Finding("render-drift", f"{asked}, wanted it there", f"{folder}/{shown(action)}", hint)
        for action in made.actions
    ]
    hint = "st2 materialize AGENT --dry-run shows what to merge by hand"
    refused = [
        Finding(
            "render-refused", f"{declared.identity}: {each.sentence}", f"{folder}/{each.path}", hint
        )
        for each in made.refusals
    ]
    return drifted + refused
