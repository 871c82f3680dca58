"""The service files for ``st2 sync --watch``: what they say runs, is ready, reloads and stops."""

from __future__ import annotations

import os
import plistlib
import signal
import socket
import subprocess
from configparser import ConfigParser
from pathlib import Path

from conftest import Cli
from support.fleet import good
from support.wrapped import until

EXAMPLES = Path(__file__).parents[2] / "examples"
PATIENCE_S = 60.0


def unit() -> ConfigParser:
    parsed = ConfigParser(interpolation=None)
    parsed.optionxform = str  # type: ignore[assignment, method-assign]
    parsed.read_string((EXAMPLES / "systemd/st2-sync-watch.service").read_text())
    return parsed


def running(cli: Cli, words: list[str], **env: str) -> subprocess.Popen[bytes]:
    good(cli("init", "--remote", str(cli.home / "presence.git")))
    program, *args = words
    assert program.endswith("/.local/bin/st2")
    return cli.start(*args, env=env, stderr=subprocess.PIPE)


def test_the_unit_runs_a_command_that_says_when_it_is_ready_and_stops_when_told(cli: Cli) -> None:
    service = unit()["Service"]
    assert service["Type"] == "notify" and int(service["WatchdogSec"]) >= 600
    place = str(cli.home / "n")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(place)
        manager.settimeout(PATIENCE_S)
        process = running(cli, service["ExecStart"].split(), NOTIFY_SOCKET=place)
        while manager.recv(1_000) != b"READY=1":
            pass
        assert service["ExecReload"] == "/bin/kill -HUP $MAINPID"
        process.send_signal(signal.SIGHUP)
        while not manager.recv(1_000).startswith(b"STATUS=settings read again"):
            pass
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=min(PATIENCE_S, int(service["TimeoutStopSec"])))
    assert process.returncode == 0, errors


def test_the_launchd_file_runs_it_and_starts_it_again_only_after_a_failure(cli: Cli) -> None:
    found = plistlib.loads((EXAMPLES / "launchd/st2.sync.plist").read_bytes())
    assert found["KeepAlive"] == {"SuccessfulExit": False}
    assert found["RunAtLoad"] is True
    process = running(cli, found["ProgramArguments"])
    until(lambda: os.path.exists(cli.catalog / "hosts/h1/beat"), PATIENCE_S)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
