"""Two hosts' copies of one catalog, with nothing of st2 between them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from catalogs import declared, now_ms, record
from conftest import Cli
from support import clones
from support.clones import Clone

Two = tuple[Clone, Clone]
STATUS = "agents/h1/a1/status"
DECLARATION = "agents/h1/a1/agent.kdl"


def needs(program: str) -> None:
    """Skip a test whose program is missing; on CI, which installs it, fail it."""
    if shutil.which(program) is None:
        reason = f"needs {program}"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)


@pytest.fixture
def two(cli: Cli, tmp_path: Path) -> Two:
    """Catalogs of h1 and h2, each made by init, each with one agent of its own host."""
    made = []
    for host, agent in (("h1", "a1"), ("h2", "b1")):
        one = clones.as_host(cli, tmp_path / f"catalog-{host}", host)
        assert one.cli("init").code == 0
        one.put(f"agents/{host}/{agent}/agent.kdl", declared(agent, host).encode())
        one.put(f"agents/{host}/{agent}/status", record("busy", now_ms()))
        made.append(one)
    return made[0], made[1]


def rows(clone: Clone, at_ms: int) -> str:
    """The roster as data at one moment, the same whoever reads it."""
    done = clone.cli("agents", "--json", "--now", str(at_ms))
    assert done.code == 0, done.errors
    return done.text


def copies(clone: Clone) -> list[str]:
    """The paths that doctor calls conflict copies."""
    lines = clone.cli("doctor").text.splitlines()
    return [line.split(": conflict-copy: ")[0] for line in lines if ": conflict-copy: " in line]
