"""Over ssh, against a real sshd: a round, what is asked of it, and what it never does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Cli
from support.fleet import git, good, put
from support.sshd import Sshd


@pytest.fixture
def over(cli: Cli, sshd: Sshd) -> Cli:
    """The command, as somebody whom the server knows."""
    return replace(cli, env=sshd.env(cli.env))


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A bare repository on the server."""
    path = tmp_path / "presence.git"
    git("init", "-q", "--bare", path)
    return path


def test_what_one_host_published_over_ssh_the_other_collects(
    over: Cli, sshd: Sshd, bare: Path, tmp_path: Path
) -> None:
    put(over, "a1", "status", b"busy\nv1 5\n")
    good(over("sync", "--remote", sshd.address(bare)))
    second = replace(
        over,
        catalog=tmp_path / "second",
        env={**over.env, "CATALOG": str(tmp_path / "second"), "ST2_HOST": "h2"},
    )
    good(second("init"))
    assert good(second("sync", "--remote", sshd.address(bare))).text.endswith("collected h1\n")
    assert (second.catalog / "agents/h1/a1/status").read_bytes() == b"busy\nv1 5\n"
