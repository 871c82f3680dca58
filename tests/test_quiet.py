"""Every command where nobody reads, where nothing can be written, and on the plainest terminal."""

from __future__ import annotations

import os
import pty
import subprocess

import click
import pytest

from catalog.verbs import VERBS as catalog_verbs
from conftest import Cli, is_started_anew, surroundings
from generators.tree import commands
from support import forked

VERBS = {f"st2 driver {verb}" for harness, verb in catalog_verbs.items() if harness != "exec"}
"""Verbs like the one that is looked at: they differ in a word that is recorded."""
LEAVES = [
    path
    for path, command in commands()
    if not isinstance(command, click.Group) and path not in VERBS
]
VERB = ["--identity", "h1.a1", "--runtime-id", "h1.a1", "--", "true"]
ARGUMENTS = {
    "st2 activity done": ["success", "a1", "--session", "s"],
    "st2 activity touch": ["a1", "--session", "s"],
    "st2 beat": ["a1", "--session", "s"],
    "st2 completion": ["bash"],
    "st2 driver claude-mcp": ["--identity", "h1.a1"],
    "st2 driver expand": ["a1"],
    "st2 forget": ["a1"],
    "st2 merge-record": ["x", "x", "x", "agents/h1/a1/status"],
    "st2 run": ["a1"],
    "st2 session adopt": ["a1"],
    "st2 session register": ["a1", "--session", "s"],
    "st2 session end": ["a1"],
    "st2 session show": ["a1"],
    "st2 status": ["a1"],
    "st2 watch": ["a1", "--until", "dnd", "--timeout", "0"],
    "st2 why": ["a1"],
}
"""What a command is given that does nothing of note without; a verb gets :data:`VERB`."""
SAME_TWICE = {
    *("st2 agents", "st2 completion", "st2 driver expand", "st2 driver list", "st2 session show"),
    *("st2 status", "st2 tasks", "st2 why"),
}
"""Commands that print the same to whoever reads, as often as they are asked."""
FULL = "st2: stdout: no space left on device, wanted a place to write to\n"


@pytest.fixture
def fleet(cli: Cli) -> Cli:
    folder = cli.catalog / "agents/h1/a1"
    folder.mkdir(parents=True)
    (folder / "agent.kdl").write_text('agent "a1" {\n    host "h1"\n    exec { argv "true"; }\n}\n')
    (folder / "status").write_bytes(b"busy\nv1 1\n")
    assert cli("session", "register", "a1", "--session", "s").code == 0
    return cli


def line(cli: Cli, path: str) -> list[str]:
    verb = path.startswith("st2 driver ") and path not in ARGUMENTS and path != "st2 driver list"
    return [str(cli.command), *path.split(" ")[1:], *(VERB if verb else ARGUMENTS.get(path, []))]


def run(cli: Cli, path: str, stdout: int | None, **change: str) -> tuple[int, str]:
    """Run with *stdout*, or with none at all; return the exit code and what was said.

    A terminal, and no output at all, are what an interpreter finds as it starts.
    """
    if stdout is not None and not os.isatty(stdout) and not is_started_anew(line(cli, path)):
        env = cli.environment(change)
        ready = forked.forker(surroundings(), env)
        assert ready is not None
        code, _, said = ready.run(
            line(cli, path), env=env, cwd=cli.home, stdin=b"", timeout=100, stdout=stdout
        )
        return code, said.decode()
    command = (
        line(cli, path) if stdout is not None else ["sh", "-c", '"$@" >&-', "sh", *line(cli, path)]
    )
    done = subprocess.run(
        command,
        env=cli.environment(change),
        cwd=cli.home,
        stdin=subprocess.DEVNULL,
        stdout=stdout if stdout is not None else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=100,
        check=False,
    )
    return done.returncode, done.stderr


def is_sound(code: int, said: str) -> bool:
    """Say whether this is an end that a person may be shown: no fault of ours, no report."""
    return code in (0, 1, 2) and not any(
        word in said for word in ("Traceback", "unexpected:", "Exception ignored", "Errno")
    )


@pytest.mark.parametrize("path", LEAVES)
def test_a_pipe_that_nobody_reads_and_no_output_at_all_end_a_command_quietly(
    fleet: Cli, path: str
) -> None:
    """Case F21: a reader that is gone before the first byte, as for a roster longer than a pipe."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        found = run(fleet, path, writer)
    finally:
        os.close(writer)
    assert is_sound(*found), found
    assert "broken pipe" not in found[1].lower()
    assert is_sound(*run(fleet, path, None))


@pytest.mark.parametrize("path", LEAVES)
def test_a_full_device_is_told_and_is_no_fault(fleet: Cli, path: str) -> None:
    """Case F21."""
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        code, said = run(fleet, path, full)
    finally:
        os.close(full)
    assert is_sound(code, said), (code, said)
    if path in SAME_TWICE:
        assert code == 1 and said.endswith(FULL)


def test_help_where_there_is_no_output_at_all_is_quiet(cli: Cli) -> None:
    for words in ("--help", "session --help", "session", "--version", "nonsense"):
        code, said = run(cli, f"st2 {words}", None)
        assert is_sound(code, said), (code, said)


@pytest.mark.parametrize("path", [path for path in LEAVES if path != "st2 driver claude-mcp"])
def test_a_terminal_that_can_do_nothing_gets_plain_lines_and_nothing_is_paged(
    fleet: Cli, path: str
) -> None:
    far, near = pty.openpty()
    shown = b""
    try:
        plain = {"TERM": "dumb", "NO_COLOR": "1", "PAGER": "false", "GIT_PAGER": "false"}
        code, said = run(fleet, path, near, **plain)
        os.close(near)
        while part := _read(far):
            shown += part
    finally:
        os.close(far)
    assert is_sound(code, said), (code, said)
    assert b"\x1b" not in shown and "\x1b" not in said


def _read(far: int) -> bytes:
    try:
        return os.read(far, 65_536)
    except OSError:  # all has been read, and the other side is closed
        return b""
