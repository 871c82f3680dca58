"""Imports go one way, and the pure middle cannot read a clock, an environment or a file."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EDGE = ("catalog/system/",)
"""The real ports: the only part of `catalog` that may ask the operating system."""
DRIVER_EDGE = {"drivers/launch.py", "drivers/owner.py", "drivers/adopt.py", "drivers/lifecycle.py"}
"""The session owner is a process: it handles descriptors and signals. The clock is still a port."""
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


@pytest.mark.parametrize("path", MIDDLE, ids=named)
def test_time_is_an_argument_outside_the_ports(path: Path) -> None:
    assert uses(path) & CLOCKS == set()


@pytest.mark.parametrize("path", MIDDLE, ids=named)
def test_environment_home_and_argv_are_read_in_st2_alone(path: Path) -> None:
    if named(path) == "drivers/owner.py":
        pytest.skip("the owner is a program of its own: its argv is how launch speaks to it")
    assert uses(path) & SURROUNDINGS == set()


@pytest.mark.parametrize("path", MIDDLE, ids=named)
def test_the_middle_asks_the_operating_system_only_through_ports(path: Path) -> None:
    if named(path) in DRIVER_EDGE:
        pytest.skip("part of the session owner")
    assert set(imported(path)) & EFFECTS == set()
    assert {name for name in uses(path) if name.startswith("os.")} & {
        f"os.{call}" for call in OS_CALLS
    } == set()
    assert not any(
        isinstance(node, ast.Call) and dotted(node.func) == "open"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    )
