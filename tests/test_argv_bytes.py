"""Whatever a declaration says reaches the program as its argument vector, byte for byte.

Each form that `driver expand` prints is used as its readers use it, and a real program tells what
it was started with.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings

from catalog.verbs import VERBS
from conftest import Cli
from declared import LAUNCHES
from drivers import formats
from drivers.formats import kdl_string
from launches import declared, launch

WORDS = (
    *("", "a b", "  ", "it's", '"', '"quoted"', "$HOME", "${x}", "$(id)", "`id`", "$CATALOG", "~"),
    *("-x", "--", "--force", "-", "@file", "*", "!!", "#true", "%s%n", "\\", "\\n", "a\\", ";|&"),
    *("a\nb", "\n", "a\n\n", "\t", "\r", "\x1b[31m", "\x7f", "é", "日本語", "🦊", "e\u0301"),
    *("\u202e", "\u2028", "\ufeff", "st2", "a=b", "{", "/- x", '"""'),
)
"""Blanks, quotes, $, newlines, non-ASCII, leading dashes, and what other syntaxes care about."""
PROMPT = '- "Begin", it\'s $HOME:\n\tünï\\ --done'
POSITIONAL = f"begin {PROMPT}"
HEARD = {
    "claude": ["--model", "-m $x", "--effort", "é", *WORDS, "--", PROMPT],
    "codex": ["--model", "-m $x", "-c", "model_reasoning_effort=é", *WORDS, "--", PROMPT],
    "exec": list(WORDS),
    "gemini": ["--model", "-m $x", *WORDS, f"--prompt-interactive={PROMPT}"],
    "omp": ["--model", "-m $x", "--thinking", "é", *WORDS, POSITIONAL],
    "opencode": ["--model", "-m $x", *WORDS, f"--prompt={PROMPT}"],
    "pi": ["--model", "-m $x", "--thinking", "é", *WORDS, POSITIONAL],
}
"""What each harness has to be given, after its own name."""
FAKE = '#!/bin/sh\nprintf "%s\\0" "$@" >"$OUT"\n'


def block(name: str) -> str:
    """A block of *name* with every field that takes text, hard words in each."""
    words = " ".join(map(kdl_string, WORDS))
    if name == "exec":
        return f'exec {{\n argv "exec" {words}\n}}'
    prompt = POSITIONAL if name in ("omp", "pi") else PROMPT
    effort = "" if name in ("gemini", "opencode") else 'effort "é"'
    fields = f'args {words}\n prompt {kdl_string(prompt)}\n model "-m $x"\n {effort}'
    return f"{name} {{\n {fields}\n}}"


class Seat:
    """An agent h1.worker, its workspace, and programs that tell what they were given."""

    def __init__(self, cli: Cli, folder: Path) -> None:
        self.cli = cli
        self.out = folder / "out"
        self.workspace = folder / "work"
        programs = folder / "programs"
        self.file = cli.catalog / "agents/h1/worker/agent.kdl"
        for made in (self.workspace, programs, self.file.parent):
            made.mkdir(parents=True)
        for name in VERBS:
            (programs / name).write_text(FAKE)
            (programs / name).chmod(0o755)
        path = f"{programs}{os.pathsep}{cli.env['PATH']}"
        self.env = {**cli.environment(), "PATH": path, "OUT": str(self.out)}

    def declare(self, body: str) -> None:
        where = f'host "h1"\n workspace {kdl_string(str(self.workspace))}'
        self.file.write_text(f'agent "worker" {{\n {where}\n {body}\n}}\n', "utf-8")

    def printed(self, form: str) -> bytes:
        done = self.cli("driver", "expand", "worker", "--format", form)
        assert done.code == 0, done.errors
        return done.out

    def heard(self, *argv: str) -> list[str]:
        """Run *argv*, with the catalog in its place where the words name it."""
        prefixed = argv[1:3] == ("--catalog", "$CATALOG")
        bound = [argv[0], argv[1], self.env["CATALOG"], *argv[3:]] if prefixed else [*argv]
        done = subprocess.run(bound, env=self.env, cwd=self.workspace, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        return self.out.read_bytes().decode().split("\0")[:-1]


@pytest.fixture
def seat(cli: Cli, tmp_path: Path) -> Seat:
    return Seat(cli, tmp_path)


@pytest.mark.parametrize("name", VERBS)
class TestEachForm:
    """Every form that is printed starts the same program with the same bytes."""

    def test_the_nul_terminated_words(self, seat: Seat, name: str) -> None:
        seat.declare(block(name))
        words = seat.printed("argv").decode().split("\0")[:-1]
        assert seat.heard(*words) == HEARD[name]

    def test_the_json(self, seat: Seat, name: str) -> None:
        seat.declare(block(name))
        assert seat.heard(*json.loads(seat.printed("json"))["argv"]) == HEARD[name]

    def test_the_shell_line(self, seat: Seat, name: str) -> None:
        seat.declare(block(name))
        line = seat.printed("shell").decode()
        assert line.count("\n") == 1
        assert seat.heard("sh", "-c", line) == HEARD[name]

    def test_the_kdl_in_place_of_the_block(self, seat: Seat, name: str) -> None:
        seat.declare(block(name))
        before = seat.printed("json")
        seat.declare(seat.printed("kdl").decode())
        assert seat.printed("json") == before
        assert seat.heard("st2", "run", "worker") == HEARD[name]

    def test_run_itself(self, seat: Seat, name: str) -> None:
        seat.declare(block(name))
        assert seat.heard("st2", "run", "worker") == HEARD[name]


@settings(max_examples=200, deadline=None)
@given(LAUNCHES)
def test_every_form_reads_back_as_the_argument_vector(body: str) -> None:
    first = launch(body)
    assert tuple(formats.to_argv(first).decode().split("\0")[:-1]) == first.argv
    assert tuple(json.loads(formats.to_json(first))["argv"]) == first.argv
    assert launch(formats.to_kdl(first)).argv == first.argv
    assert declared(f"agent {{\n{formats.to_kdl(first)}}}").argv == first.argv
