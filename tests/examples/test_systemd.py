"""The systemd units of the examples: what systemd says of them, and what its stop does to us."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest

from conftest import Cli
from support.wrapped import Wrapped, is_running

UNITS = sorted((Path(__file__).parents[2] / "examples" / "systemd").iterdir())


def read(name: str) -> ConfigParser:
    """A unit, whose keys are written once each."""
    parsed = ConfigParser(interpolation=None)
    parsed.optionxform = str  # type: ignore[assignment, method-assign]
    (path,) = (unit for unit in UNITS if unit.name == name)
    parsed.read_string(path.read_text())
    return parsed


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
def test_systemd_finds_no_fault_in_them(cli: Cli) -> None:
    program = cli.home / ".local/bin/st2"
    program.parent.mkdir(parents=True)
    program.symlink_to(cli.command)
    folder = cli.home / "units"
    folder.mkdir()
    for unit in UNITS:
        shutil.copy(unit, folder / unit.name.replace("@.", "@worker."))
    command = ["systemd-analyze", "--user", "verify", *sorted(folder.iterdir())]
    env = {**cli.env, "XDG_RUNTIME_DIR": str(cli.home)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    faults = [line for line in done.stderr.splitlines() if str(folder) in line or "st2" in line]
    assert (done.returncode, faults) == (0, [])


def test_they_run_commands_that_there_are_and_leave_the_owner_its_moment() -> None:
    agent, sync = read("st2-agent@.service")["Service"], read("st2-sync.service")["Service"]
    assert agent["ExecStart"] == "%h/.local/bin/st2 run %i"
    assert sync["ExecStart"] == "%h/.local/bin/st2 sync"
    assert agent["KillMode"] == "control-group" and int(agent["TimeoutStopSec"]) > 2
    assert int(read("st2-sync.timer")["Timer"]["OnUnitActiveSec"]) * 1.2 < 900 - 300


def test_a_stop_of_the_whole_control_group_is_written_down_as_the_agents_end(
    wrapped: Wrapped,
) -> None:
    """What `control-group` does: SIGTERM to every process of the unit, the owner too."""
    process = wrapped.running("sleep", "600")
    owner = wrapped.owner_pid()
    for pid in (owner, process.pid):
        os.kill(pid, signal.SIGTERM)
    assert process.wait() == -signal.SIGTERM
    assert wrapped.ended()["exit"] == "signal 15"
    wrapped.close()
    assert not is_running(owner)
