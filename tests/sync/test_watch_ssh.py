"""``st2 sync --watch`` over ssh, against a real sshd: one connection kept, and made anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Cli
from support.fleet import git, good, put
from support.sshd import Sshd
from support.watcher import PATIENCE_S, Watcher
from support.wrapped import until


@pytest.fixture
def over(cli: Cli, sshd: Sshd, tmp_path: Path) -> Callable[[str], Cli]:
    """A function: the command on one host's catalog, as somebody whom the server knows."""
    bare = tmp_path / "presence.git"
    git("init", "-q", "--bare", bare)

    def host(name: str) -> Cli:
        catalog = tmp_path / name
        env = {**sshd.env(cli.env), "CATALOG": str(catalog), "ST2_HOST": name}
        one = replace(cli, catalog=catalog, env=env)
        good(one("init"))
        good(one("sync", "--remote", sshd.address(bare), timeout=PATIENCE_S))
        return one

    return host


@pytest.mark.slow
def test_rounds_share_a_connection_and_one_that_is_lost_is_made_anew(
    over: Callable[[str], Cli], sshd: Sshd, watching: Callable[..., Watcher]
) -> None:
    h1, h2 = over("h1"), over("h2")
    path = h2.catalog / "agents/h1/w/status"

    def seen(raw: bytes) -> None:
        put(h1, "w", "status", raw)
        until(lambda: path.exists() and path.read_bytes() == raw, PATIENCE_S)

    # A connection is kept for two publish intervals: long enough for a machine that is busy.
    first, second = (watching(one, "--publish-every", "3") for one in (h1, h2))
    second.says("collected h1")
    before = sshd.connections
    for number in range(3):
        seen(b"busy\nv1 %d\n" % number)
    # Collects of two hosts each second for six seconds: a connection each would be a dozen.
    assert sshd.connections - before <= 6
    before = sshd.connections
    sshd.cut()
    seen(b"away\nv1 9\n")
    assert sshd.connections > before
    assert (first.end(), second.end()) == (0, 0)
