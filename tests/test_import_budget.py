"""What agents call at every step, and what stays resident, loads only what it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.evidence import render_lines
from catalog.system.own_modules import ROOMS
from catalog.system.processes import host_processes
from catalog.verbs import VERBS
from conftest import Cli

HEAVY = {"click", "pydantic", "git", "watchfiles", "rich"}
"""No fast path and no session owner loads one of these."""
SLOW = {"json", "re", "pathlib", "subprocess", "dataclasses", "typing", "enum"}
"""Nor, for `status`, the verbs and the owner, one of these: each costs a part of the start."""
ROOT = Path(__file__).parent.parent


def roots(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


def imports(stderr: bytes) -> set[str]:
    """The modules that a run with PYTHONPROFILEIMPORTTIME named."""
    lines = stderr.decode("utf-8", "replace").splitlines()
    return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}


@pytest.fixture(scope="module")
def bare() -> set[str]:
    """What the interpreter of this environment loads by itself, `.pth` files included."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "pass"], capture_output=True, check=True
    )
    return imports(done.stderr)


@pytest.fixture
def loaded(cli: Cli, bare: set[str]) -> Callable[..., set[str]]:
    """A function: the modules that a run of the installed command loads by itself."""
    folder = cli.catalog / "agents/h1/a1"
    folder.mkdir(parents=True)
    (folder / "agent.kdl").write_text('agent "a1" {\n    host "h1"\n    argv "true"\n}\n')
    (folder / "status").write_bytes(b"available\nv1 1\n")

    def modules(*args: str) -> set[str]:
        done = cli(*args, env={"PYTHONPROFILEIMPORTTIME": "1"})
        assert done.code == 0, done.errors
        found = imports(done.err) - bare
        assert "st2.__main__" in found, "this run did not show its imports"
        return found

    return modules


@pytest.mark.parametrize(
    "args", [("status", "a1"), ("status", "a1", "--set", "busy")], ids=" ".join
)
def test_status_loads_nothing_heavy_and_nothing_slow(
    loaded: Callable[..., set[str]], args: tuple[str, ...]
) -> None:
    assert roots(loaded(*args)) & (HEAVY | SLOW) == set()


@pytest.mark.parametrize(
    "args",
    [
        ("beat", "a1", "--session", "A"),
        ("beat", "a1", "--session", "B"),
        ("beat", "a1"),
        ("activity", "touch", "a1", "--session", "A"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("seen", [False, True], ids=["no process", "a process"])
def test_a_beat_and_a_touch_load_nothing_heavy_and_nothing_slow(
    cli: Cli, loaded: Callable[..., set[str]], args: tuple[str, ...], seen: bool
) -> None:
    """A harness is looked for only where neither an option nor a variable names the session."""
    assert cli("session", "register", "a1", "--session", "A").code == 0
    evidence = cli.catalog / ".st2/h1/process/a1"
    evidence.unlink(missing_ok=True)
    if seen:
        found = host_processes().observe(os.getpid(), token="A", generation=1)
        assert found is not None
        evidence.parent.mkdir(exist_ok=True)
        evidence.write_bytes(render_lines([found]))
    modules = loaded(*args)
    assert roots(modules) & (HEAVY | SLOW) == set()
    assert ("drivers.detect" in modules) is ("--session" not in args)
    held = args[-1] == "A" and args[0] == "beat"
    assert ("catalog.witness" in modules) is (seen and held)


MOST = {
    "status a1": 36,
    "status h1.a1": 34,
    "status a1 --set busy": 34,
    "beat a1 --session A": 35,
    "activity touch a1 --session A": 35,
    "completion bash --for st2": 28,
    "--version": 11,
}
"""How many modules of ours a command may load: each costs about a hundredth of a bare start."""
ROOM = 2


@pytest.mark.parametrize("line", MOST)
def test_a_command_loads_no_more_modules_of_ours_than_it_did(
    cli: Cli, loaded: Callable[..., set[str]], line: str
) -> None:
    """Fewer is a new number here, so that the next one too many is seen."""
    assert cli("session", "register", "a1", "--session", "A").code == 0
    (cli.catalog / ".st2/h1/process/a1").unlink(missing_ok=True)
    ours = {name for name in loaded(*line.split(" ")) if name.partition(".")[0] in ROOMS}
    assert MOST[line] - ROOM <= len(ours) <= MOST[line], sorted(ours)


@pytest.mark.parametrize("args", [("agents",), ("agents", "--json")], ids=" ".join)
def test_the_roster_loads_nothing_heavy(
    loaded: Callable[..., set[str]], args: tuple[str, ...]
) -> None:
    assert roots(loaded(*args)) & HEAVY == set()


def test_a_hook_loads_nothing_heavy_and_nothing_slow(cli: Cli, bare: set[str]) -> None:
    folder = cli.catalog / "agents/h1/a1"
    folder.mkdir(parents=True)
    (folder / "agent.kdl").write_text('agent "a1" {\n    host "h1"\n}\n')
    call = "driver hook claude SessionStart --identity h1.a1"
    hook = f'{cli.command} {call} <<< \'{{"session_id":"s"}}\''
    under = ["bash", "-c", 'exec -a claude bash -c "$0; :"', hook]
    env = cli.environment({"PYTHONPROFILEIMPORTTIME": "1"})
    done = subprocess.run(under, env=env, capture_output=True, check=True)
    found = imports(done.stderr) - bare
    assert (folder / "session.json").exists() and "drivers.hook" in found
    assert roots(found) & (HEAVY | SLOW) == set()


@pytest.mark.parametrize("verb", VERBS.values())
def test_a_verb_loads_nothing_heavy_and_nothing_slow_before_exec(
    loaded: Callable[..., set[str]], verb: str
) -> None:
    binding = ("--identity", "h1.a1", "--runtime-id", "h1.a1")
    found = loaded("driver", verb, *binding, "--", "/bin/true")
    assert roots(found) & (HEAVY | SLOW) == set()


def test_the_mcp_server_loads_nothing_heavy(loaded: Callable[..., set[str]]) -> None:
    found = loaded("driver", "claude-mcp", "--identity", "h1.a1")
    assert "drivers.mcp" in found
    assert roots(found) & (HEAVY | {"mcp", "ckdl", "subprocess"}) == set()


def test_the_owner_loads_nothing_heavy_and_nothing_slow() -> None:
    program = (
        "import sys; before = set(sys.modules); sys.path.insert(0, sys.argv[1])\n"
        "import drivers.owner; print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, ROOT],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.defpath},
    )
    assert done.returncode == 0, done.stderr
    found = set(done.stdout.split())
    assert "drivers.owner" in found
    assert roots(found) & (HEAVY | SLOW) == set()


@pytest.mark.parametrize("args", [("--version",), ("--help",), ("agents", "-h")], ids=" ".join)
def test_what_st2_says_of_itself_loads_nothing_heavy_and_nothing_slow(
    loaded: Callable[..., set[str]], args: tuple[str, ...]
) -> None:
    assert roots(loaded(*args)) & (HEAVY | SLOW) == set()


def test_why_shows_that_the_same_look_does_see_click(loaded: Callable[..., set[str]]) -> None:
    assert "click" in loaded("why", "a1")


def test_a_roster_of_one_host_loads_nothing_about_others(
    cli: Cli, loaded: Callable[..., set[str]]
) -> None:
    observed = {"catalog.heard", "catalog.offset", "catalog.flat"}
    assert loaded("agents", "--json") & observed == set()
    (cli.catalog / "agents/h2/b1").mkdir(parents=True)
    (cli.catalog / "agents/h2/b1/status").write_bytes(b"available\nv1 1\n")
    assert loaded("agents", "--json") & observed == {"catalog.heard", "catalog.offset"}
