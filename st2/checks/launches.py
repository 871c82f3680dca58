"""What this host's agents would run: can it be expanded, is its program there, its workspace."""

from __future__ import annotations

import os
from shutil import which

from catalog.declaration_errors import CannotExpand
from catalog.errors import St2Error
from catalog.finding import Finding
from drivers.advice import provider_of
from drivers.driver import PROGRAM
from drivers.expand import expand, facts_of
from st2.checks.refusal import finding_of
from st2.workspace import existing_workspace, workspace_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from catalog.declaration import Declaration
    from drivers.driver import Expansion
    from st2.context import Context


def launches(context: Context, declared: Iterable[Declaration]) -> list[Finding]:
    """Check the launch of every agent of *declared* that is to run."""
    findings = []
    for each in declared:
        findings += _launch(context, each) if each.running else []
    return findings


def _launch(context: Context, declared: Declaration) -> list[Finding]:
    if declared.launch_error is not None:
        return []  # the roster has it
    root = context.layout.root
    try:
        expansion = expand(declared, facts_of(declared))
        existing_workspace(declared, root)
    except CannotExpand:
        return []  # something else starts this agent
    except St2Error as error:
        return [finding_of(error, declared.path)]
    return _program(context, declared, expansion)


def _program(context: Context, declared: Declaration, expansion: Expansion) -> list[Finding]:
    program = provider_of(expansion.argv)[0]
    if program == PROGRAM:
        return []
    searched = context.variable("PATH") or os.defpath
    looked_for = program
    if "/" in program:
        looked_for = os.path.join(workspace_of(declared, context.layout.root) or "", program)
    if which(looked_for, path=searched):
        return []
    where = "as a program" if "/" in program else "on PATH"
    sentence = f"{declared.identity}: {program} is not found {where}, wanted what it runs"
    hint = "install it, or name it by its whole path; looked for with this shell's PATH"
    return [Finding("program-missing", sentence, declared.path, hint)]
