"""Imports go one way, and the pure middle cannot read a clock, an environment or a file."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EDGE = ("catalog/system/",)
"""The real ports: the only part of `catalog` that may ask the operating system."""
EXCEPTIONS = {
    # The session owner and the wrapper are processes: descriptors, fork and exec are their matter.
    "drivers/image.py": {"os.environb", "os.execve"},
    "drivers/owner_process.py": {"os.read"},
    "drivers/spawn.py": {
        *("os.environ", "os.execve", "os.fork", "os.listdir", "os.open", "os.read", "os.write"),
    },
    # Folders that lie in no catalog yet, or in none at all: there is nothing to be rooted in.
    "catalog/setup.py": {"os.makedirs"},
}
"""Exactly what each of these may use, and does."""
MIDDLE = sorted(
    path
    for room in ("catalog", "drivers")
    for path in (ROOT / room).rglob("*.py")
    if not str(path.relative_to(ROOT)).startswith(EDGE)
)
CLOCKS = {"time.time", "time.time_ns", "datetime.now", "datetime.datetime.now", "datetime.utcnow"}
SURROUNDINGS = {
    *("os.environ", "os.environb", "os.getenv", "os.getcwd", "os.getcwdb", "os.path.expanduser"),
    *("os.uname", "sys.argv", "sys.stdin", "sys.stdout", "sys.stderr", "Path.home", "Path.cwd"),
    *("socket.gethostname", "platform.node"),
}
EFFECTS = {"subprocess", "socket", "tempfile", "shutil", "glob", "git", "watchfiles"}
OS_CALLS = {
    *(
        "open",
        "read",
        "write",
        "rename",
        "replace",
        "unlink",
        "remove",
        "mkdir",
        "makedirs",
        "stat",
    ),
    *("lstat", "listdir", "scandir", "walk", "kill", "fork", "execv", "execve", "execvp", "system"),
}


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def dotted(node: ast.AST) -> str:
    """`a.b.c` of an attribute chain, or an empty string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (left := dotted(node.value)):
        return f"{left}.{node.attr}"
    return ""


@cache
def uses(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    seen = {dotted(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            seen |= {f"{node.module}.{alias.name}" for alias in node.names}
    return seen


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def test_imports_go_from_st2_to_drivers_to_catalog_and_up_no_floor() -> None:
    linter = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run([linter], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for room in ("catalog", "drivers", "st2", "generators", "benchmarks")
    for path in (ROOT / room).rglob("*.py")
}


def neighbours(path: Path) -> set[str]:
    """The modules of ours that a file names, be it in a function or for a type checker alone."""
    tree = ast.parse(path.read_text("utf-8"))
    names = {
        alias.name
        for each in ast.walk(tree)
        if isinstance(each, ast.Import)
        for alias in each.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names & MODULES.keys()


def test_no_module_needs_one_that_needs_it() -> None:
    """Two that name each other are one: neither is understood alone."""
    try:
        TopologicalSorter({name: neighbours(path) for name, path in MODULES.items()}).prepare()
    except CycleError as error:
        pytest.fail(" needs ".join(reversed(error.args[1])))


def test_the_map_of_the_architecture_names_every_module_of_catalog() -> None:
    page = (ROOT / "spec" / "architecture.md").read_text("utf-8")
    rows = re.findall(r"^\|.*", page, re.MULTILINE)
    words = {word for row in rows for word in re.findall(r"`(\w+)`", row)}
    modules = {path.stem for path in (ROOT / "catalog").rglob("*.py")} - {"__init__"}
    assert modules - words == set()


def offending(asked: Callable[[Path], set[str]]) -> dict[str, set[str]]:
    """What is asked for in the middle, by the file that does it."""
    return {named(path): found for path in MIDDLE if (found := asked(path))}


def test_time_is_an_argument_outside_the_ports() -> None:
    assert offending(lambda path: uses(path) & CLOCKS) == {}


def excused(path: Path) -> set[str]:
    return EXCEPTIONS.get(named(path), set())


def test_environment_home_and_argv_are_read_in_st2_alone() -> None:
    assert offending(lambda path: (uses(path) & SURROUNDINGS) - excused(path)) == {}


def test_the_middle_asks_the_operating_system_only_through_ports() -> None:
    assert offending(lambda path: set(imported(path)) & EFFECTS) == {}
    calls = {f"os.{call}" for call in OS_CALLS}
    assert offending(lambda path: (uses(path) & calls) - excused(path)) == {}
    assert offending(opened).keys() <= EXCEPTIONS.keys()


def opened(path: Path) -> set[str]:
    return {"open" for node in ast.walk(ast.parse(path.read_text("utf-8"))) if is_open(node)}


def is_open(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func) == "open"


@pytest.mark.parametrize("file", EXCEPTIONS)
def test_an_exception_that_nobody_needs_is_taken_back(file: str) -> None:
    assert EXCEPTIONS[file] <= uses(ROOT / file)


FLOWS = re.findall(
    r"^```text\n(st2\.serve\..*?)^```",
    (ROOT / "spec/architecture.md").read_text("utf-8"),
    re.M | re.S,
)
STARTS = "\N{RIGHTWARDS DOUBLE ARROW}"
"""Stands before a module that another one starts as a program of its own."""


def steps(flow: str) -> Iterator[tuple[str | None, str]]:
    """Each module of a flow, after the one that it is called by; a start has no caller."""
    above: list[tuple[int, str]] = []
    for line in flow.splitlines():
        depth, words = len(line) - len(line.lstrip()), line.split()
        started = words[0] == STARTS
        module = words[1] if started else words[0]
        while above and above[-1][0] >= depth:
            above.pop()
        yield above[-1][1] if above and not started else None, module
        above.append((depth, module))


@pytest.mark.parametrize("flow", FLOWS, ids=["bytes to row", "declaration to process"])
def test_the_two_flows_are_those_of_the_imports(flow: str) -> None:
    for caller, module in steps(flow):
        path = ROOT / (module.replace(".", "/") + ".py")
        assert path.is_file(), f"{module} is gone"
        if caller is not None:
            room, _, name = module.rpartition(".")
            used = uses(ROOT / (caller.replace(".", "/") + ".py"))
            assert any(each == module or each.startswith(module + ".") for each in used), (
                f"{caller} does not import {name} of {room}"
            )
