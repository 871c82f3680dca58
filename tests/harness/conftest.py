"""Fixtures of the tests with real programs: the stub, once, and a seat for each test."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.model import server
from harness.programs import missing
from harness.seat import Seat
from harness.terminal import Terminal
from support.wrapped import until


@pytest.fixture(scope="session")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a running stub: one room a test."""
    folder = tmp_path_factory.mktemp("rooms")
    with subprocess.Popen([sys.executable, server.__file__, folder]) as stub:
        until((folder / "port").exists)
        yield folder
        stub.terminate()


def must_have(word: str) -> None:
    """Skip a test whose program is missing; in CI fail it, so that no skip hides a bad install."""
    if reason := missing(word):
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)


@pytest.fixture
def seat(
    tmp_path: Path, rooms: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[[str], Seat]]:
    """A function: the seat of a program."""
    made: list[Seat] = []

    def take(word: str) -> Seat:
        must_have(word)
        room = re.sub(r"[^a-z0-9]+", "-", f"{request.node.name.lower()}-{len(made)}")
        made.append(Seat(word, tmp_path / f"{word}{len(made)}", rooms, room))
        return made[-1]

    yield take
    for each in made:
        each.close()


@pytest.fixture
def terminal(seat: object) -> Iterator[Callable[..., Terminal]]:
    """A function: the terminal of a seat. It is closed before what runs in it is looked for."""
    made: list[Terminal] = []

    def opened(taken: Seat, *command: str) -> Terminal:
        made.append(Terminal(taken, *command))
        return made[-1]

    yield opened
    for each in made:
        each.end()
