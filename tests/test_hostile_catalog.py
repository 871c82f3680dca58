"""A catalog given by an enemy, under every command there is.

None of its programs runs, nothing outside of it and of the declared workspace is written, no
command hangs, none fails by a fault of ours, and none prints a byte that a terminal would obey.
Two kinds of commands start a program because that is what they are for, and are told apart
below: `run` starts what the declaration says, a verb what stands on its own command line.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from catalogs import now_ms
from conftest import Cli, Result, is_started_anew, surroundings
from st2.cli.main import main
from support.enemy import AGENTS, BLOCKED, ESCAPES, LINKED, OPEN, SECRET, Enemy
from support.fleet import raw_git
from support.forked import Forker

LIMIT_S = 90
MEMORY = 2 << 30
USER = {"TERM": "xterm", "EDITOR": "vi", "PAGER": "less"}
KEY = f"ssh-ed25519 {b64encode(bytes((0, 0, 0, 11)) + b'ssh-ed25519' + bytes(40)).decode()}"
EVENT = json.dumps({"session_id": ESCAPES, "hook_event_name": "Stop", "cwd": "/dev/zero"}).encode()
CALLS = [
    {"name": "agents", "arguments": {}},
    {"name": "why", "arguments": {"agent": "h1.text"}},
    {"name": "why", "arguments": {"agent": ESCAPES}},
    {"name": "set_status", "arguments": {"status": "busy"}},
    {"name": "set_status", "arguments": {"status": ESCAPES, "agent": "../../outside"}},
]
FRAMES = b"".join(
    json.dumps({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": call}).encode() + b"\n"
    for n, call in enumerate(CALLS)
)

Line = tuple[str, ...]
PER_AGENT = (*(f"h1.{name}" for name in AGENTS), "h1.../x", ESCAPES)


def each(*words: str) -> list[Line]:
    """The words with every agent of the enemy's, and with names that are none."""
    return [(*words, name.replace("\x00", "")) for name in dict.fromkeys(PER_AGENT)]


LINES: dict[str, list[Line]] = {
    "activity done": [("activity", "done", "success", "h1.sound", "--session", "A")],
    "activity touch": each("activity", "touch", "--session", "A"),
    "agents": [
        ("agents",),
        ("agents", "--json", "--enrich"),
        ("agents", "--routable", "--now", "5"),
    ],
    "beat": each("beat", "--session", "A"),
    "completion": [
        ("completion", "bash"),
        ("completion", "bash", "--for", "st2 why "),
        ("completion", "zsh", "--for", "st2 --catalog $(canary) why `canary`"),
    ],
    "doctor": [("doctor",), ("doctor", "--json")],
    "driver claude": [("driver", "claude", "--identity", "h1.sound")],
    "driver claude-mcp": [("driver", "claude-mcp", "--identity", "h1.sound")],
    "driver expand": [
        *each("driver", "expand"),
        ("driver", "expand", "agents/h1/text/agent.json", "--format", "shell"),
        ("driver", "expand", "agents/h1/fifo/agent.kdl"),
        ("driver", "expand", "h1.sound", "--format", "json"),
    ],
    "driver hook": [
        ("driver", "hook", "claude", "Stop", "--identity", "h1.sound"),
        ("driver", "hook", "claude", "SessionStart", "--identity", "h1.text"),
        ("driver", "hook", "codex", "notify", "--identity", "h1.fifo", EVENT.decode()),
    ],
    "driver list": [("driver", "list", "--json")],
    "forget": each("forget"),
    "hosts": [
        ("hosts",),
        ("hosts", "--json"),
        ("hosts", "--forget", "h2", "--force"),
        ("hosts", "--replace-node"),
    ],
    "init": [("init",), ("init", "--presence", "branch"), ("init", "--remote", "ext::canary")],
    "materialize": [
        ("materialize",),
        ("materialize", "--dry-run"),
        ("materialize", "--undo"),
        ("materialize", "h1.sound"),
    ],
    "merge-record": [
        ("merge-record", "base", "agents/h1/fifo/status", "evil.sh", "agents/h1/fifo/status"),
        ("merge-record", "base", "agents/h1/zero/status", "evil.sh", "agents/h1/zero/status"),
        ("merge-record", "b", "../outside/file", "evil.sh", "../outside/file"),
        ("merge-record", "b", "agents/h1/sound/status", "evil.sh", "agents/h1/sound/status"),
    ],
    "remote authorize": [
        ("remote", "authorize", "h2", KEY, "/srv/$(canary)"),
        ("remote", "authorize", "h2", "agents/h1/fifo/status", "/srv/x"),
        ("remote", "authorize", "h2", "/dev/zero", "/srv/x"),
    ],
    "remote upkeep": [("remote", "upkeep"), ("remote", "upkeep", ".git")],
    "run": [(*line, "--dry-run") for line in each("run")],
    "session adopt": each("session", "adopt"),
    "session end": each("session", "end"),
    "session register": each("session", "register", "--session", "C"),
    "session show": each("session", "show"),
    "status": [*each("status"), *each("status", "--set", "busy")],
    "sync": [
        ("sync",),
        ("sync", "--json", "--watch"),
        ("sync", "--remote", "ext::canary"),
        ("sync", "--sign", "agents/h1/fifo/status"),
    ],
    "tasks": [("tasks",), ("tasks", "--json")],
    "validate": [("validate", "--strict"), ("validate", "--json")],
    "watch": [
        ("watch", "--json", "h2.b", "--until", "offline", "--timeout", "1"),
        ("watch", "h1.text", "--until", "busy", "--timeout", "1"),
    ],
    "why": [*each("why"), ("why", "h1.text", "--json")],
}
"""Every command that is not for starting a program, as an enemy would like it to be typed."""

DAY: tuple[Line, ...] = (
    ("init", "--remote", "../remote.git"),
    ("validate",),
    ("agents",),
    ("materialize", "h1.sound"),
    ("run", "h1.sound", "--dry-run"),
    ("status", "h1.sound", "--set", "away"),
    ("session", "register", "h1.text", "--session", "C", "--force"),
    ("activity", "touch", "h1.text", "--session", "C"),
    ("beat", "h1.text", "--session", "C"),
    ("driver", "hook", "claude", "Stop", "--identity", "h1.sound"),
    ("driver", "claude-mcp", "--identity", "h1.sound"),
    ("session", "end", "h1.text"),
    ("forget", "h1.text"),
    ("sync",),
    ("hosts", "--replace-node"),
    ("hosts",),
    ("doctor",),
)
"""What a user of it would do, with a remote of his own."""

LOCAL = {"init", "materialize", "status", "session", "activity", "beat", "forget", "sync", "hosts"}
LOCAL |= {"doctor", "validate"}
"""What needs this host's own state, and refuses one that is a link, beside the two checks."""

EVERYTHING = ("cat-file", "--batch-all-objects", "--batch")

STARTS = tuple(
    f"driver {name}"
    for name in (
        *("exec-session", "claude-session", "codex", "gemini-session"),
        *("omp-session", "opencode-session", "pi-session"),
    )
)
"""The verbs: each becomes the program on its own command line, and no other."""

INPUT = {"driver hook": EVENT, "driver claude-mcp": FRAMES, "driver claude": FRAMES}


def leaves(command: click.Command, path: Line = ()) -> Iterator[str]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from leaves(below, (*path, name))
    else:
        yield " ".join(path)


@pytest.fixture
def under(cli: Cli, tmp_path: Path) -> Callable[[str], Enemy]:
    """A function: the enemy's catalog, with its canaries before everything on PATH."""

    def lay(way: str) -> Enemy:
        made = Enemy(tmp_path, cli.catalog, cli.home, way)
        cli.env["PATH"] = f"{made.canaries}{os.pathsep}{cli.env['PATH']}"
        return made

    return lay


def bounded() -> None:
    """Let a child that reads without end run out of memory, and not its machine."""
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (OSError, ValueError):
        pass  # a system without that limit: there the limit of time has to do


@pytest.fixture(scope="module")
def forker() -> Iterator[Forker]:
    made = Forker({**surroundings(), **USER}, bounded)
    yield made
    made.close()


def run(cli: Cli, line: Line, stdin: bytes = b"", *, forker: Forker | None = None) -> Result:
    """Run in the catalog; by *forker* where it is a command that click answers.

    A forker has found the packages of others before there is a canary on its PATH.
    """
    env, words = cli.environment(USER), [str(cli.command), *line]
    if forker is not None and not is_started_anew(words):
        done = forker.run(words, env=env, cwd=cli.catalog, stdin=stdin, timeout=LIMIT_S)
        return Result(*done)
    ended = subprocess.run(
        words,
        env=env,
        cwd=cli.catalog,
        input=stdin,
        capture_output=True,
        timeout=LIMIT_S,
        preexec_fn=bounded,
    )
    return Result(ended.returncode, ended.stdout, ended.stderr)


def check(enemy: Enemy, line: Line, done: Result) -> None:
    said = done.out + done.err
    assert not enemy.sprung.exists(), (line, enemy.sprung.read_text())
    assert enemy.around() == enemy.before, line
    assert done.code in (0, 1, 2), (line, done.code, done.err[-2_000:])
    assert b"Traceback" not in done.err, (line, done.err)
    assert SECRET.encode() not in said, (line, said)
    obeyed = {each for each in said.decode("utf-8") if not each.isprintable()} - {"\n", "\t"}
    assert not obeyed, (line, obeyed, said[:2_000])


def test_every_command_is_tried_or_is_for_starting_a_program() -> None:
    assert sorted([*LINES, *STARTS]) == sorted(leaves(main))


@pytest.mark.parametrize("command", sorted(LINES))
def test_no_command_runs_a_program_writes_elsewhere_hangs_or_obeys(
    cli: Cli, forker: Forker, under: Callable[[str], Enemy], command: str
) -> None:
    """The first line of each starts as it does for a user."""
    enemy = under(BLOCKED)
    for number, line in enumerate(LINES[command]):
        check(
            enemy, line, run(cli, line, INPUT.get(command, b""), forker=forker if number else None)
        )


@pytest.mark.parametrize("way", [OPEN, LINKED])
def test_a_day_in_it_runs_nothing_and_writes_nowhere_else(
    cli: Cli, under: Callable[[str], Enemy], tmp_path: Path, way: str
) -> None:
    """What writes, one after the other: with nothing in its way, and through a link outside."""
    enemy, codes = under(way), {}
    for line in DAY:
        done = run(cli, line, INPUT.get(" ".join(line[:2]), b""))
        check(enemy, line, done)
        codes[line] = done.code
    refused = {line[0] for line in DAY if codes[line]}
    assert refused == ({"doctor", "validate"} if way == OPEN else LOCAL)
    assert (enemy.workspace / ".mcp.json").exists() is (way == OPEN)
    assert (tmp_path / "remote.git").exists() is (way == OPEN)
    if way == OPEN:
        published = raw_git(f"--git-dir={tmp_path}/remote.git", *EVERYTHING)
        assert b"sound/status" in published and SECRET.encode() not in published


def test_the_traps_do_catch_a_plain_git(cli: Cli, under: Callable[[str], Enemy]) -> None:
    enemy = under(OPEN)
    subprocess.run(["git", "status"], cwd=cli.catalog, env=cli.environment(), capture_output=True)
    assert str(enemy.trap) in enemy.sprung.read_text()
    enemy.sprung.unlink()
    subprocess.run(["canary"], env=cli.environment(), check=True)
    assert "canary" in enemy.sprung.read_text()
    (cli.home / "notes").write_text("theirs\n")
    assert enemy.around() != enemy.before


def test_state_that_came_with_a_catalog_makes_no_row_say_more_than_its_records(
    cli: Cli, under: Callable[[str], Enemy]
) -> None:
    """The forged cache, what was heard, the last round, the settings and the node."""
    enemy = under(OPEN)
    (enemy.catalog / ".st2/h1/process/sound").unlink()
    asked = ("agents", "--json", "--now", str(now_ms()))
    forged = json.loads(run(cli, asked).out)
    shutil.rmtree(enemy.catalog / ".st2")
    assert json.loads(run(cli, asked).out) == forged
    assert len(forged) == 10
