"""What a launch needs in its workspace, planned: simulated over file contents, nothing touched.

A plan has what would be written or removed, or why nothing may be. It is pure: the same contents
give the same plan, and a plan of its own result is empty.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from catalog.json_nodes import Json
from drivers.by_hand import standing
from drivers.driver import COPY, FILE, GIT_EXCLUDE, JSON_UPSERT, Render
from drivers.json_edit import NotEditable
from drivers.merge import take_out, upsert

WORKSPACE = "workspace"
EXCLUDES = "git"
EXCLUDE_FILE = "info/exclude"
_NO_UTF8 = "found bytes that are not UTF-8, wanted JSON"
LIMIT = 1_048_576
"""The longest file that is read, merged, written or copied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A file: in the ``workspace``, or in the folder that ``git`` keeps for its repository."""

    root: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What stands at the targets (None: nothing), which of them git tracks, what copies copy.

    A source that cannot be read is not in ``sources``.
    """

    contents: Mapping[Target, bytes | None]
    sources: Mapping[str, bytes]
    tracked: frozenset[Target] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One file to write, or to remove where ``data`` is None; ``before`` is what it replaces."""

    target: Target
    data: bytes | None
    before: bytes | None

    @property
    def word(self) -> str:
        """What happens, for people."""
        if self.data is None:
            return "remove"
        return "create" if self.before is None else "change"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a file may not be touched; ``fragment`` is what a person would have to put into it."""

    path: str
    sentence: str
    fragment: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that would happen; with a refusal nothing does."""

    actions: tuple[Action, ...]
    refusals: tuple[Refusal, ...]


class _Refused(Exception):
    def __init__(self, sentence: str, fragment: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.fragment = fragment


def target_of(render: Render) -> Target:
    """Return the file that a line of ``render`` is about."""
    if render.op == GIT_EXCLUDE:
        return Target(root=EXCLUDES, path=EXCLUDE_FILE)
    return Target(root=WORKSPACE, path=render.path)


def outside(path: str) -> str | None:
    """Say why *path* is no place in a workspace, or None where it is one."""
    parts = path.split("/")
    if not path or path.startswith("/") or "\0" in path:
        return "found an absolute path" if path.startswith("/") else "found no path"
    if ".." in parts:
        return "found .. in it"
    if ".git" in [part.lower() for part in parts]:
        return "found a place inside .git"
    if any(part in ("", ".") for part in parts):
        return "found an empty part"
    return None


def plan(renders: Sequence[Render], found: Standing, *, undo: bool = False) -> Plan:
    """Return what *renders* come to over what was *found*, or what is left when they are undone."""
    now: dict[Target, bytes | None] = dict(found.contents)
    refusals: list[Refusal] = []
    for render in renders:
        target = target_of(render)
        if target.root == EXCLUDES and target not in now:
            continue  # no repository, nothing to keep out of it
        try:
            if target.root == WORKSPACE and (why := outside(render.path)) is not None:
                raise _Refused(f"{why}, wanted a path inside the workspace")
            apply = _undone if undo else _done
            now[target] = apply(render, now[target], found.sources)
        except _Refused as refused:
            refusals.append(
                Refusal(path=render.path, sentence=refused.sentence, fragment=refused.fragment)
            )
    actions = [
        Action(target=target, data=data, before=found.contents[target])
        for target, data in now.items()
        if data != found.contents[target]
    ]
    tracked = [action.target for action in actions if action.target in found.tracked]
    fragments = {target_of(each): _fragment(each) for each in renders if each.op == JSON_UPSERT}
    refusals += [_tracked(each, None if undo else fragments.get(each)) for each in tracked]
    return Plan(tuple(actions), tuple(refusals))


def _tracked(target: Target, fragment: str | None) -> Refusal:
    sentence = "tracked by git, and would be changed; wanted a file of this workspace alone"
    return Refusal(path=target.path, sentence=sentence, fragment=fragment)


def _done(render: Render, before: bytes | None, sources: Mapping[str, bytes]) -> bytes | None:
    if render.op == JSON_UPSERT:
        text = _decoded(before, render)
        try:
            merged = upsert(text, _members(render), render.arrays).encode()
        except NotEditable as error:
            raise _Refused(str(error), _fragment(render)) from None
        if len(merged) > LIMIT:
            raise _Refused(f"longer than {LIMIT} bytes with it", _fragment(render))
        return merged
    if render.op in (FILE, COPY):
        return _whole(render, sources)
    return _with_line(before or b"", _line(render))


def _undone(render: Render, before: bytes | None, sources: Mapping[str, bytes]) -> bytes | None:
    if before is None:
        return None
    if render.op == JSON_UPSERT:
        return _taken_out(render, before)
    if render.op == COPY and _text(render) not in sources:
        return before  # nobody can tell any more whether it is ours
    if render.op in (FILE, COPY):
        return None if before == _whole(render, sources) else before
    return _without_line(before, _line(render))


def _taken_out(render: Render, before: bytes) -> bytes | None:
    """Take our entries out of JSON; a file that is not edited may still have none of them."""
    try:
        rest = take_out(before.decode("utf-8"), _members(render), render.arrays)
    except (NotEditable, UnicodeDecodeError) as error:
        left = standing(before, _members(render))
        if not left:
            return before
        sentence = str(error) if isinstance(error, NotEditable) else _NO_UTF8
        raise _Refused(sentence, json.dumps(left, indent=2)) from None
    return None if rest is None else rest.encode()


def _decoded(before: bytes | None, render: Render) -> str | None:
    try:
        return None if before is None else before.decode("utf-8")
    except UnicodeDecodeError:
        raise _Refused(_NO_UTF8, _fragment(render)) from None


def _whole(render: Render, sources: Mapping[str, bytes]) -> bytes:
    if render.op == FILE:
        return _text(render).encode()
    if _text(render) not in sources:
        raise _Refused(f"cannot read {_text(render)!a}, wanted a file to copy")
    return sources[_text(render)]


def _with_line(before: bytes, line: bytes) -> bytes:
    """Add a line that is missing, after an end of line, in the file's own way of ending lines."""
    if line in (each.rstrip(b"\r") for each in before.split(b"\n")):
        return before
    end = b"\r\n" if b"\r\n" in before else b"\n"
    gap = b"" if not before or before.endswith(b"\n") else end
    return before + gap + line + end


def _without_line(before: bytes, line: bytes) -> bytes | None:
    """Take the last line that is *line* out; None where nothing else was in the file."""
    lines = before.splitlines(keepends=True)
    for at in reversed(range(len(lines))):
        if lines[at].rstrip(b"\r\n") == line:
            del lines[at]
            return b"".join(lines) or None
    return before


def _members(render: Render) -> Mapping[str, Json]:
    assert not isinstance(render.value, str)
    return render.value


def _text(render: Render) -> str:
    assert isinstance(render.value, str)
    return render.value


def _line(render: Render) -> bytes:
    return (render.path if render.op == GIT_EXCLUDE else _text(render)).encode()


def _fragment(render: Render) -> str:
    return json.dumps(render.value, indent=2)
