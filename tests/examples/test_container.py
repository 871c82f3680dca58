"""The container of the examples: what can be read of it, and its entry under an init."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.wrapped import Wrapped, until

FOLDER = Path(__file__).parents[2] / "examples" / "container"
INIT = """
import os, signal, subprocess, sys
child = subprocess.Popen(sys.argv[1:], process_group=0)
signal.signal(signal.SIGTERM, lambda number, frame: os.killpg(child.pid, number))
while True:
    pid, status = os.wait()
    if pid == child.pid:
        sys.exit(os.waitstatus_to_exitcode(status))
"""
"""As `tini -g`: hands a stop to the whole group, reaps whatever ends, leaves with its child."""


def instructions() -> dict[str, str]:
    """The instructions of the Containerfile; of two of a kind the last."""
    text = (FOLDER / "Containerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return dict(line.split(None, 1) for line in lines)


def test_it_has_an_init_a_host_of_its_own_and_its_catalog_on_a_volume() -> None:
    found = instructions()
    init, *flags, entry = json.loads(found["ENTRYPOINT"])
    assert (init, flags) == ("tini", ["-g", "--"])
    assert found["COPY"].split()[1:] == ["entry.sh", entry]
    variables = dict(pair.split("=") for pair in found["ENV"].split())
    assert variables == {"ST2_HOST": "box", "CATALOG": found["VOLUME"]}
    assert len(json.loads(found["CMD"])) == 1


def can_unshare() -> bool:
    command = ["unshare", "--pid", "--fork", "--mount-proc", "true"]
    return bool(shutil.which("unshare")) and not subprocess.run(command, check=False).returncode


@pytest.fixture
def container(wrapped: Wrapped) -> Any:
    """A function: start the entry as a container would, behind an init in a pid namespace."""
    if not can_unshare():
        pytest.skip("needs the right to make a pid namespace")

    def start(*argv: str) -> subprocess.Popen[bytes]:
        words = " ".join(json.dumps(word) for word in argv)
        text = f'agent "w" {{\n    host "h1"\n    exec {{ argv {words} }}\n}}\n'
        (wrapped.folder() / "agent.kdl").write_text(text)
        apart = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
        init = [sys.executable, "-c", INIT, str(FOLDER / "entry.sh"), "w"]
        process = subprocess.Popen([*apart, *init], env=wrapped.cli.env, cwd=wrapped.cli.home)
        wrapped.started.append(process)
        return process

    return start


def test_the_end_is_written_before_the_container_goes_and_its_code_is_the_agents(
    wrapped: Wrapped, container: Any
) -> None:
    process = container("sh", "-c", "exit 7")
    assert process.wait(timeout=90) == 7
    claim = wrapped.claim()
    assert (claim["end_reason"], claim["exit"]) == ("exited", "exit 7")


def test_a_stop_of_the_container_reaches_the_agent_and_is_written(
    wrapped: Wrapped, container: Any
) -> None:
    process = container("sleep", "600")
    until(lambda: wrapped.word() == "available")
    (init,) = map(int, Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())
    os.kill(init, signal.SIGTERM)
    assert process.wait(timeout=90) == 128 + signal.SIGTERM
    claim = wrapped.claim()
    assert (claim["end_reason"], claim["exit"]) == ("exited", "signal 15")
