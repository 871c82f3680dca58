"""The workspaces of agents that were started, beside what their declarations ask for."""

from __future__ import annotations

import os

from catalog.declaration import Declaration, declaration_at
from catalog.errors import St2Error
from catalog.finding import Finding
from drivers.materialize import Workspace
from st2.serve.materialize import renders_of, shown
from st2.workspace import workspace_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.survey import Survey
    from st2.context import Context


def drift(context: Context, found: Survey) -> list[Finding]:
    """Find files in a workspace that `st2 materialize` would write, or may not."""
    findings = []
    for place in found.places:
        declared = declaration_at(place, this_host=context.layout.host)
        if isinstance(declared, Declaration) and declared.host == context.layout.host:
            sound = declared.running and declared.launch_error is None
            findings += _of(context, declared) if sound else []
    return findings


def _of(context: Context, declared: Declaration) -> list[Finding]:
    """Compare the workspace of an agent that was started with what its declaration asks for."""
    folder = workspace_of(declared, context.layout.root)
    if context.reader.claim(declared.host, declared.agent) is None:
        return []  # run writes it before the first start
    if folder is None or not os.path.isdir(folder):
        return []  # its launch has that finding
    try:
        renders = renders_of(context, declared)
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
