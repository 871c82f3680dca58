"""Performing what a launch needs in its workspace: look, plan, and then write, each file whole.

Nothing is written before all of it was simulated and nothing refused. No file outside of the
workspace is touched, but for git's own list of what it is to overlook.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from catalog.errors import St2Error
from catalog.seen import Content, Found, Missing, Unreadable
from catalog.system.files import Files
from catalog.system.work_tree import WorkTree
from drivers.driver import COPY, Render
from drivers.render import (
    EXCLUDES,
    LIMIT,
    WORKSPACE,
    Action,
    Plan,
    Refusal,
    Standing,
    Target,
    outside,
    plan,
    target_of,
)


class Changed(St2Error):
    """Somebody changed a file, or where it lies, between the look at it and the write."""

    code = "changed-meanwhile"
    hint = "try again"


class Workspace:
    """A folder that a harness works in, by its absolute path."""

    __slots__ = ("_real", "_tree", "folder")

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._real = os.path.realpath(folder)
        self._tree = WorkTree(folder)

    def plan(self, renders: Sequence[Render], *, undo: bool = False) -> Plan:
        """Look at what is there, and say what would happen. Nothing is written."""
        contents: dict[Target, bytes | None] = {}
        refusals: list[Refusal] = []
        sources: dict[str, bytes] = {}
        usable: list[Render] = []
        for render in renders:
            target = target_of(render)
            if render.op == COPY and isinstance(render.value, str):
                source = self._source(render.value)
                sources.update({} if source is None else {render.value: source})
            if target.root == EXCLUDES and not self._tree.is_there():
                continue
            try:
                found = Missing() if self._is_outside(target) else self._read(target, undo)
            except Changed as leads:
                refusals.append(Refusal(path=render.path, sentence=leads.sentence))
                continue
            if isinstance(found, Unreadable):
                sentence = f"{found.reason}, wanted a file"
                refusals.append(Refusal(path=render.path, sentence=sentence))
                continue
            contents[target] = found.raw if isinstance(found, Content) else None
            usable.append(render)
        tracked = self._tracked([target for target in contents if target.root == WORKSPACE])
        standing = Standing(contents=contents, sources=sources, tracked=tracked)
        made = plan(usable, standing, undo=undo)
        return Plan(made.actions, (*refusals, *made.refusals))

    def perform(self, made: Plan) -> None:
        """Write what was planned, each file whole; raise Changed where one is not as it was."""
        assert not made.refusals, "a plan with a refusal is not performed"
        for action in made.actions:
            self._perform(action)

    def _perform(self, action: Action) -> None:
        files, path = self._place(action.target)
        found = files.read(path, LIMIT)
        if (found.raw if isinstance(found, Content) else None) != action.before:
            sentence = "changed since it was looked at, wanted it as it was"
            raise Changed(action.target.path, sentence)
        if action.data is None:
            files.remove(path)
        else:
            files.replace(path, action.data)

    def _is_outside(self, target: Target) -> bool:
        return target.root == WORKSPACE and outside(target.path) is not None

    def _read(self, target: Target, undo: bool) -> Found:
        files, path = self._place(target)
        found = files.read(path, LIMIT)
        if undo and isinstance(found, Unreadable) and not found.errno:
            return Missing()  # a folder or a pipe: nothing was ever written into it
        if isinstance(found, Content) and len(found.raw) > LIMIT:
            return Unreadable(f"longer than {LIMIT} bytes")
        return found

    def _place(self, target: Target) -> tuple[Files, str]:
        """Return where a target lies when symlinks are followed; Changed where they lead out."""
        if target.root == EXCLUDES:
            folder, name = os.path.split(os.path.realpath(self._tree.own_file(target.path)))
            above, last = os.path.split(folder)
            return Files(above), f"{last}/{name}"
        real = os.path.realpath(os.path.join(self._real, target.path))
        inside = os.path.relpath(real, self._real)
        if outside(inside) is not None:
            sentence = f"leads to {real}, out of the workspace, wanted a file"
            raise Changed(target.path, sentence)
        return Files(self._real), inside

    def _source(self, path: str) -> bytes | None:
        folder, name = os.path.split(os.path.join(self._real, path))
        found = Files(folder).read(name, LIMIT)
        return found.raw if isinstance(found, Content) and len(found.raw) <= LIMIT else None

    def _tracked(self, targets: Sequence[Target]) -> frozenset[Target]:
        if not targets or not self._tree.is_there():
            return frozenset()
        places = {
            target: self._place(target)[1] for target in targets if not self._is_outside(target)
        }
        asked = sorted({*places.values(), *(target.path for target in places)})
        known = self._tree.tracked(asked)
        return frozenset(target for target, path in places.items() if known & {path, target.path})
