"""examples/two-hosts: the same catalog on two hosts, each starting its own agent."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from conftest import Cli

EXAMPLE = Path(__file__).parents[2] / "examples" / "two-hosts"


def test_each_host_starts_its_own_agent_and_sees_the_others(
    cli: Cli, tmp_path: Path, eventually: Callable[..., object]
) -> None:
    remote = tmp_path / "presence.git"
    hosts = {"h1": "worker", "h2": "watcher"}
    running = []
    for host in hosts:
        shutil.copytree(EXAMPLE, tmp_path / host)
    try:
        for host, agent in hosts.items():
            env = {"CATALOG": str(tmp_path / host), "ST2_HOST": host}
            assert cli("init", "--remote", str(remote), env=env).code == 0
            assert cli("validate", env=env).code == 0
            running.append(cli.start("run", agent, env=env))
            eventually(
                lambda env=env, agent=agent: cli("status", agent, env=env).out == b"available\n", 20
            )
        for _ in range(2):
            for host in hosts:
                env = {"CATALOG": str(tmp_path / host), "ST2_HOST": host}
                assert cli("sync", env=env).code == 0
        for host in hosts:
            env = {"CATALOG": str(tmp_path / host), "ST2_HOST": host}
            rows = json.loads(cli("agents", "--json", env=env).out)
            told = {row["identity"]: (row["status"], row["name"]) for row in rows}
            assert told == {
                "h1.worker": ("available", "Worker"),
                "h2.watcher": ("available", "Watcher"),
            }
        other = {"CATALOG": str(tmp_path / "h2"), "ST2_HOST": "h2"}
        assert cli("run", "worker", env=other).code == 1
    finally:
        for process in running:
            process.kill()
            process.wait(10)
