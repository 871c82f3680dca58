"""`make demo` shows one agent's life and end on two hosts, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Cli

DEMO = Path(__file__).parent.parent / "examples" / "demo" / "demo.py"
ROW = "h1.worker\t{word}\tRelease worker\tSleeps, and would rather not be woken"


def run(cli: Cli, temporary: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, DEMO],
        env=cli.environment({"TMPDIR": str(temporary), "CATALOG": None, "ST2_HOST": None, **env}),
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    return folder


def processes_in(folder: Path) -> list[str]:
    """Commands of living processes that were started in *folder* or know its path."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
        except OSError:
            continue
        if os.fsencode(folder) in line and entry.name != str(os.getpid()):
            found.append(f"{entry.name} {line[:200]!r}")
    return found


@pytest.mark.slow
def test_both_hosts_see_the_worker_live_and_end(cli: Cli, temporary: Path) -> None:
    done = run(cli, temporary)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("h1.worker\t")]
    assert rows == [ROW.format(word=word) for word in ("available",) * 2 + ("offline",) * 2]
    assert "signal 9" in done.stdout


def test_a_second_demo_shows_the_same_and_nothing_is_left(cli: Cli, temporary: Path) -> None:
    for _ in range(2):
        assert run(cli, temporary).returncode == 0
        assert list(temporary.iterdir()) == []
        assert processes_in(temporary) == []


def test_a_demo_that_fails_half_way_leaves_nothing_either(
    cli: Cli, temporary: Path, tmp_path: Path
) -> None:
    poor = tmp_path / "poor"
    poor.mkdir()
    (poor / "kill").write_text("#!/bin/sh\nexit 9\n")
    (poor / "kill").chmod(0o755)
    done = run(cli, temporary, PATH=f"{poor}{os.pathsep}{cli.env['PATH']}")
    # The demo puts the installed command first, then the PATH it was given.
    assert done.returncode == 1, done.stdout + done.stderr
    assert "demo: exit 9 of: kill -9" in done.stderr
    assert list(temporary.iterdir()) == []
    assert processes_in(temporary) == []
