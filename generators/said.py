"""What a module can say: each text that reaches a person, read from its source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Texts = dict[str, ast.expr]
FINDING = ("code", "message", "path", "hint")
ERROR = ("subject", "sentence", "hint")
SPOKEN = {"warn": "warning", "say": "talk"}


@dataclass(frozen=True, order=True)
class Said:
    """One text; *kind* is an error's class, ``Finding``, ``warning``, ``talk`` or ``part``."""

    kind: str
    code: str
    text: str
    hint: str
    module: str


def read(path: Path, module: str, errors: set[str]) -> Iterator[Said]:
    """Yield all that *path* can say. *errors* are the names of the classes of errors."""
    tree = ast.parse(path.read_text("utf-8"))
    whole = list(_in(tree, _constants(tree.body), module, errors))
    yield from whole
    for text in _parts(tree):
        if not any(text in each.text for each in whole):
            yield Said("part", "", text, "", module)


def _parts(tree: ast.Module) -> Iterator[str]:
    """Yield what says what was wanted: sentences that are put into others."""
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr | ast.Constant) and id(node) not in inside:
            text = shown(node, {}) if not isinstance(getattr(node, "value", ""), bytes) else ""
            if "wanted " in text and "\n" not in text:
                yield text.strip()


def _in(scope: ast.AST, known: Texts, module: str, errors: set[str]) -> Iterator[Said]:
    for node in ast.iter_child_nodes(scope):
        inside = known
        if isinstance(node, ast.ClassDef) and node.name in errors:
            yield from _own(node, module)
        if isinstance(node, ast.FunctionDef):
            inside = {**known, **_assigned(node)}
        if isinstance(node, ast.Call):
            yield from _call(node, inside, module, errors)
        yield from _in(node, inside, module, errors)


def _call(call: ast.Call, known: Texts, module: str, errors: set[str]) -> Iterator[Said]:
    name = _name(call.func)
    if name in errors:
        given = _given(call, ERROR if name != "BadDeclaration" else ("path", "sentence", "hint"))
        subject = given.get("subject", given.get("path"))
        if "sentence" in given and subject is not None:
            sentence = shown(given["sentence"], known)
            text = f"{shown(subject, known)}: {sentence}"
            yield Said(name, "", text, shown(given.get("hint"), known), module)
    elif name == "Finding":
        given = _given(call, FINDING)
        if "message" in given:
            code, text = shown(given.get("code"), known), shown(given["message"], known)
            yield Said(name, code, text, shown(given.get("hint"), known), module)
    elif name == "BadNode":  # the file that holds the node is put in front by whoever knows it
        given = _given(call, ERROR[1:])
        if "sentence" in given:
            text = f"<path>: {shown(given['sentence'], known)}"
            yield Said("BadDeclaration", "", text, shown(given.get("hint"), known), module)
    elif name in SPOKEN and call.args and module.startswith("st2/"):
        yield Said(SPOKEN[name], "", shown(call.args[0], known), "", module)


def _own(made: ast.ClassDef, module: str) -> Iterator[Said]:
    """Yield the sentence that a class of errors writes itself."""
    for node in ast.walk(made):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "super().__init__":
            given = _given(node, ERROR)
            if isinstance(given.get("sentence"), ast.Constant | ast.JoinedStr):
                text = f"{shown(given['subject'], {})}: {shown(given['sentence'], {})}"
                yield Said(made.name, "", text, shown(given.get("hint"), {}), module)


def _given(call: ast.Call, names: tuple[str, ...]) -> Texts:
    by_name = {each.arg: each.value for each in call.keywords if each.arg is not None}
    return {**dict(zip(names, call.args, strict=False)), **by_name}


def shown(node: ast.expr | None, known: Texts, depth: int = 3) -> str:
    """Return a text as people see it, with ``<name>`` for what is put in."""
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return ""
    if isinstance(node, ast.Constant):
        return f"{node.value:g}" if isinstance(node.value, float) else str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(shown(part, known, depth) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return shown(node.value, known, depth) if _is_text(node.value, known) else _hole(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return shown(node.left, known, depth) + shown(node.right, known, depth)
    if isinstance(node, ast.IfExp):
        both = (shown(node.body, known, depth), shown(node.orelse, known, depth))
        return " | ".join(each for each in both if each)
    if isinstance(node, ast.Name) and depth and node.id in known:
        return shown(known[node.id], known, depth - 1)
    return _hole(node)


def _is_text(node: ast.expr, known: Texts) -> bool:
    """Say whether what is put in is a text of ours rather than something found."""
    if isinstance(node, ast.Name):
        node = known.get(node.id, node)
    return isinstance(node, (ast.Constant, ast.JoinedStr))


def _hole(node: ast.expr) -> str:
    """Name what is put in: the last name of the expression."""
    if isinstance(node, ast.Call) and _name(node.func) == "bus_id":
        return "<host.agent>"
    if isinstance(node, ast.Call):
        inside = [each for each in node.args if not isinstance(each, ast.Constant)]
        return _hole(inside[0]) if inside else _hole(node.func)
    if isinstance(node, ast.Subscript | ast.Starred):
        return _hole(node.value)
    if isinstance(node, ast.BinOp):
        return _hole(node.left)
    return f"<{_name(node).strip('_').lower() or 'value'}>"


def _name(node: ast.expr) -> str:
    return (
        node.id
        if isinstance(node, ast.Name)
        else node.attr
        if isinstance(node, ast.Attribute)
        else ""
    )


def _constants(body: list[ast.stmt]) -> Texts:
    return {
        target.id: node.value
        for node in body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value, ast.Constant | ast.JoinedStr)
    }


def _assigned(function: ast.FunctionDef) -> Texts:
    """Return the texts that a function gives names to, each name that has one."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
    texts = (ast.Constant, ast.JoinedStr, ast.IfExp, ast.BinOp)
    return {
        name: values[0]
        for name, values in found.items()
        if len(values) == 1 and isinstance(values[0], texts)
    }
