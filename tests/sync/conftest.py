"""A fleet of hosts for every test about replication."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.fleet import Fleet, private_home


@pytest.fixture(autouse=True)
def _nothing_of_the_developer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(private_home(tmp_path / "own-home")))
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """An empty fleet with its remote."""
    return Fleet(tmp_path)
