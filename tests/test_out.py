"""Standard output in every state that a caller may leave it in: no word of an answer is lost."""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Callable

import pytest

from catalogs import agent, now_ms, record
from conftest import Cli
from support.wrapped import until

LINES = ("agents", "agents --json", "status a1", "doctor", "run a1 --dry-run", "--help", "hosts")


@pytest.fixture
def told(cli: Cli) -> Cli:
    """A catalog with something to tell."""
    text = 'agent "a1" { host "h1"; argv "true"; }\n'
    agent(cli.catalog, kdl=text, status=record("busy", now_ms()))
    return cli


def ran(cli: Cli, line: str, out: int | None, **more: Callable[[], None]) -> tuple[int, str]:
    """Run with *out* as standard output; return the exit code and what was said beside it."""
    command = [str(cli.command), *line.split(" ")]
    done = subprocess.run(
        command, env=cli.environment(), stdout=out, stderr=subprocess.PIPE, timeout=90, **more
    )
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize("line", LINES)
def test_one_that_may_only_be_read_is_told_and_one_that_is_closed_is_not(
    told: Cli, line: str
) -> None:
    with open(os.devnull, "rb") as readable:
        assert ran(told, line, readable.fileno()) == (
            *(1, "st2: stdout: is open for reading alone, wanted a place to write to\n"),
        )
    assert ran(told, line, None, preexec_fn=lambda: os.close(1)) == (0, "")


def test_whoever_made_a_pipe_non_blocking_gets_all_of_it(cli: Cli) -> None:
    """Case F21: more than the pipe holds, while nobody reads."""
    for number in range(300):
        agent(cli.catalog, f"a{number}", status=record("busy", 5))
    line = ("agents", "--json", "--now", "5")
    whole = cli(*line).out
    there, here = os.pipe()
    os.set_blocking(here, False)
    assert len(whole) > 65_536
    process = cli.start(*line, stdout=here, stderr=subprocess.PIPE)
    until(lambda: select.select([], [here], [], 0)[1] == [])
    os.close(here)
    with os.fdopen(there, "rb") as pipe:
        found = pipe.read()
    assert process.communicate()[1] == b""
    assert (process.returncode, found) == (0, whole)
