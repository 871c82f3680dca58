"""A fleet of hosts for every test about replication."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Cli
from support.fleet import Fleet, private_home
from support.sshd import Sshd
from support.watcher import Watcher


@pytest.fixture(autouse=True)
def _nothing_of_the_developer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(private_home(tmp_path / "own-home")))
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """An empty fleet with its remote."""
    return Fleet(tmp_path)


@pytest.fixture
def fleet_of(cli: Cli, tmp_path: Path) -> Callable[[str], Cli]:
    """A function: the command on one host's own catalog, its remote already chosen."""

    def host(name: str, place: str = "") -> Cli:
        catalog = tmp_path / (place or name)
        one = replace(
            cli, catalog=catalog, env={**cli.env, "CATALOG": str(catalog), "ST2_HOST": name}
        )
        made = one("init", "--remote", str(tmp_path / "remote.git"))
        assert made.code == 0, made.errors
        return one

    return host


@pytest.fixture
def watching() -> Iterator[Callable[..., Watcher]]:
    """A function: start ``st2 sync --watch``; what still runs at the end is killed."""
    made: list[Watcher] = []

    def start(one: Cli, *args: str, env: dict[str, str] | None = None) -> Watcher:
        made.append(Watcher(one, *args, env=env))
        return made[-1]

    yield start
    for each in made:
        each.close()


@pytest.fixture
def over(cli: Cli, sshd: Sshd) -> Cli:
    """The command, as somebody whom the test's ssh server knows."""
    return replace(cli, env=sshd.env(cli.env))
