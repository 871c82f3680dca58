"""A workspace cannot replace our code (case A12)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Cli

POISON = "import os; os.write(2, b'HOSTILE CODE RAN'); os._exit(66)\n"
ENTRIES = {
    "version": ("--version",),
    "help": ("--help",),
    "roster": ("agents", "--json"),
    "status": ("status", "a1"),
    "set": ("status", "a1", "--set", "busy"),
    "why": ("why", "a1"),
    "expand": ("driver", "expand", "a1"),
    "show": ("session", "show", "--help"),
    "hosts": ("hosts",),
    "run": ("run", "a1"),
    "validate": ("validate",),
    "tasks": ("tasks", "--json"),
    "doctor": ("doctor",),
    "mcp": ("driver", "claude-mcp", "--identity", "h1.a1"),
    "verb": (
        "driver",
        "exec-session",
        "--identity",
        "h1.a1",
        "--runtime-id",
        "h1.a1",
        "--",
        "true",
    ),
}
PATHS = {
    "none": None,
    "dot": ".",
    "empty entry": "/nowhere:",
    "absolute": "{workspace}",
    "dot and more": ".:{workspace}:/nowhere",
}


@pytest.fixture
def workspace(cli: Cli, tmp_path: Path) -> Path:
    """A folder with packages and modules that carry the names of ours and of what we import."""
    folder = tmp_path / "workspace"
    for name in ("catalog", "drivers", "st2", "click", "ckdl", "pydantic", "git"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(POISON)
    for name in ("json", "select", "fcntl", "subprocess", "typing", "site_packages"):
        (folder / f"{name}.py").write_text(POISON)
    agent = cli.catalog / "agents/h1/a1"
    agent.mkdir(parents=True)
    text = (
        f'agent "a1" {{\n    host "h1"\n    workspace "{folder}"\n    exec {{ argv "true" }}\n}}\n'
    )
    (agent / "agent.kdl").write_text(text)
    (agent / "status").write_bytes(b"available\nv1 1\n")
    return folder


@pytest.mark.parametrize("args", ENTRIES.values(), ids=ENTRIES)
@pytest.mark.parametrize("searched", PATHS.values(), ids=PATHS)
def test_ours_runs_in_a_hostile_workspace(
    cli: Cli, workspace: Path, args: tuple[str, ...], searched: str | None
) -> None:
    path = searched and searched.format(workspace=workspace)
    done = cli(*args, env={"PYTHONPATH": path}, cwd=workspace)
    assert b"HOSTILE" not in done.out + done.err
    assert done.code == 0, done.errors


def test_the_owner_of_a_session_in_a_hostile_workspace_is_ours(
    cli: Cli, workspace: Path, eventually: Callable[..., object]
) -> None:
    done = cli("run", "a1", env={"PYTHONPATH": "."}, cwd=workspace)
    assert done.code == 0, done.errors
    record = cli.catalog / "agents/h1/a1/session.json"
    assert eventually(lambda: b'"exited"' in record.read_bytes())


def test_the_workspace_is_hostile_to_a_command_without_our_care(
    cli: Cli, workspace: Path, tmp_path: Path
) -> None:
    naive = tmp_path / "naive"
    first = cli.command.read_text().splitlines()[0]
    naive.write_text(f"{first}\nfrom st2.__main__ import main\n")
    naive.chmod(0o755)
    careless = Cli(cli.catalog, cli.home, cli.env, naive)
    done = careless("agents", env={"PYTHONPATH": "."}, cwd=workspace)
    assert (done.code, done.err) == (66, b"HOSTILE CODE RAN")


SEARCHED = """
import runpy, sys, types
main = types.ModuleType("st2.__main__")
main.start = lambda: print("\\n".join(sys.path))
sys.modules.update({"st2": types.ModuleType("st2"), main.__name__: main})
runpy.run_path(sys.argv[1])
"""
"""Runs the installed script up to our own code, and says where that is searched then."""


@pytest.mark.parametrize("end", ["x", "/x", "/site-packages/x"])
def test_no_folder_that_is_called_like_the_standard_library_is_searched(cli: Cli, end: str) -> None:
    def searched(path: str | None) -> list[str]:
        command = [sys.executable, "-c", SEARCHED, str(cli.command)]
        env = cli.environment({"PYTHONPATH": path})
        return subprocess.check_output(command, env=env, text=True).split()

    library = os.path.dirname(os.__file__)
    found = searched(f"{library}{end}:{library}")
    assert library in found and set(found) <= set(searched(None))


def test_a_pythonpath_that_names_our_own_folder_does_no_harm(cli: Cli, workspace: Path) -> None:
    ours = str(Path(__file__).parent.parent)
    assert cli("agents", env={"PYTHONPATH": ours}, cwd=workspace).code == 0
