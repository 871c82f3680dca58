"""The code keeps the shape that style promises: small files, small functions, named things."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
ROOMS = ("catalog", "drivers", "st2")
SOURCES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
BESIDE = ("tests", "benchmarks", "generators")
PYTHON = sorted([*SOURCES, *(path for room in BESIDE for path in (ROOT / room).rglob("*.py"))])
MAX_FILE, MAX_FUNCTION = 300, 50
VAGUE = {"utils", "util", "helpers", "helper", "core", "manager", "common", "misc"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def public(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Public classes and functions of a module, and the public methods of those classes."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield f"{prefix}{node.name}", node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body, f"{prefix}{node.name}.")


class Shape(NamedTuple):
    """What the rules ask about a file; a whole program kept as trees takes seconds to keep."""

    lines: int
    functions: dict[str, int]
    says_what_it_is: bool
    bare: list[str]


@cache
def shape(path: Path) -> Shape:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    bare = [
        name
        for name, node in public(tree.body)
        if isinstance(node, Function | ast.ClassDef) and not ast.get_docstring(node)
    ]
    sizes = {node.name: (node.end_lineno or 0) - node.lineno + 1 for node in functions(tree)}
    return Shape(len(text.splitlines()), sizes, bool(ast.get_docstring(tree)), bare)


def test_no_file_is_longer_than_300_lines() -> None:
    sizes = {named(path): shape(path).lines for path in PYTHON}
    assert {name: size for name, size in sizes.items() if size > MAX_FILE} == {}


def test_no_function_is_longer_than_50_lines() -> None:
    sizes = {
        f"{named(path)}: {name}": size
        for path in PYTHON
        for name, size in shape(path).functions.items()
    }
    assert {name: size for name, size in sizes.items() if size > MAX_FUNCTION} == {}


def test_every_module_says_what_it_is() -> None:
    assert [named(path) for path in SOURCES if not shape(path).says_what_it_is] == []


def test_every_public_name_has_a_docstring() -> None:
    assert {named(path): shape(path).bare for path in SOURCES if shape(path).bare} == {}


def test_every_file_is_named_by_the_noun_it_defines() -> None:
    assert [named(p) for p in SOURCES if p.stem in VAGUE or p.stem.startswith("base_")] == []


def test_the_guard_looks_at_real_files() -> None:
    assert {named(path).split("/")[0] for path in SOURCES} == set(ROOMS)
