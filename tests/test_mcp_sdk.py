"""Other people's clients: the `mcp` SDK, both of its major versions, against the installed server.

The newer one asks for `server/discover` first and has to fall back to `initialize`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from catalogs import agent, declared, now_ms, record
from conftest import Cli
from support import other_sdk

PROGRAM = Path(other_sdk.__file__).with_name("mcp_sdk.py")


@pytest.fixture(scope="session")
def older() -> str:
    """The folder of the older major version. Without one the test is skipped; in CI it fails."""
    try:
        return str(other_sdk.folder())
    except (OSError, subprocess.SubprocessError) as error:
        reason = f"mcp {other_sdk.VERSION} could not be installed: {error}"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)


def visit(cli: Cli, first_on_path: str = "") -> dict[str, Any]:
    """What the SDK's client saw of the server of agent h1.a1."""
    agent(cli.catalog, kdl=declared(), status=record("busy", now_ms()))
    command = [cli.command, "driver", "claude-mcp", "--identity", "h1.a1"]
    done = subprocess.run(
        [sys.executable, PROGRAM, *command],
        env=cli.environment({"PYTHONPATH": first_on_path or None}),
        cwd=cli.home,
        capture_output=True,
        timeout=250,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def check(told: dict[str, Any]) -> None:
    assert told["tools"] == ["agents", "why", "set_status"]
    assert told["errors"] == [False, False, False, True]
    roster, why, done, wrong = told["structured"]
    assert [row["status"] for row in roster["agents"]] == ["busy"]
    assert (why["identity"], why["status"]) == ("h1.a1", "busy")
    assert (done, wrong) == ({"agent": "h1.a1", "status": "away"}, None)
    assert [json.loads(text) for text in told["texts"][:3]] == [roster, why, done]
    words = "offline, available, busy, away, dnd"
    assert told["texts"][3] == f"status: found 'unknown', wanted one of {words}"
    assert (told["resources"], told["prompts"]) == (0, 0)


def test_the_client_of_the_newer_version_falls_back_and_uses_every_tool(cli: Cli) -> None:
    told = visit(cli)
    assert told["version"].startswith("2.")
    check(told)
    assert told["protocol"] == "2025-11-25"


@pytest.mark.slow
def test_the_client_of_the_older_version_uses_every_tool(cli: Cli, older: str) -> None:
    told = visit(cli, older)
    assert told["version"] == other_sdk.VERSION
    check(told)
    assert told["protocol"] == "2025-11-25"
