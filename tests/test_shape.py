"""The code keeps the shape that style promises: small files, small functions, named things."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("path", PYTHON, ids=named)
def test_no_file_is_longer_than_300_lines(path: Path) -> None:
    lines = len(path.read_text("utf-8").splitlines())
    assert lines <= MAX_FILE, f"{named(path)}: {lines} lines, want at most {MAX_FILE}"


@pytest.mark.parametrize("path", PYTHON, ids=named)
def test_no_function_is_longer_than_50_lines(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    sizes = {node.name: (node.end_lineno or 0) - node.lineno + 1 for node in functions(tree)}
    assert {name: size for name, size in sizes.items() if size > MAX_FUNCTION} == {}


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_every_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text("utf-8"))), f"{named(path)}: no docstring"


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_every_public_name_has_a_docstring(path: Path) -> None:
    body = ast.parse(path.read_text("utf-8")).body
    bare = [
        name
        for name, node in public(body)
        if isinstance(node, Function | ast.ClassDef) and not ast.get_docstring(node)
    ]
    assert bare == []


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_every_file_is_named_by_the_noun_it_defines(path: Path) -> None:
    assert path.stem not in VAGUE and not path.stem.startswith("base_")


def test_the_guard_looks_at_real_files() -> None:
    assert {named(path).split("/")[0] for path in SOURCES} == set(ROOMS)
