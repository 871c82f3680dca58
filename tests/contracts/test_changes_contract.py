"""The port for hints: the same questions to the fake, to the system's events, and to the looks."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fakes import FakeChanges
from support.watched import FORCED, Place, real


def fake(root: Path) -> Place:
    port = FakeChanges()
    (root / "agents/h1/a1").mkdir(parents=True)
    return Place(root, port, port.hint)


@pytest.fixture(params=["fake", "events", "looks"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    made = {
        "fake": lambda: fake(tmp_path),
        "events": lambda: real(tmp_path, {}),
        "looks": lambda: real(tmp_path, FORCED),
    }[request.param]()
    yield made
    made.hints.close()


@pytest.fixture(params=["events", "looks"])
def watched(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    made = real(tmp_path, {} if request.param == "events" else FORCED)
    yield made
    made.hints.close()


def test_where_nothing_changes_the_time_passes(place: Place) -> None:
    place.settle(1_000)
    assert place.hints.wait(200) is False


def test_a_change_is_a_hint_and_many_of_them_are_few(place: Place) -> None:
    place.settle()
    for _ in range(200):
        place.write()
    assert 1 <= place.settle(1_000) <= 20


def test_what_came_between_two_waits_is_not_lost(place: Place) -> None:
    place.settle()
    place.write()
    time.sleep(0.3)
    assert place.heard()


def test_a_wake_ends_the_next_wait_once_without_a_hint(place: Place) -> None:
    place.settle(1_000)
    place.hints.wake()
    place.hints.wake()
    began = time.monotonic()
    assert place.hints.wait(600_000) is False
    assert time.monotonic() - began < 60
    place.write()
    assert place.heard()


def test_closing_twice_is_harmless(place: Place) -> None:
    place.hints.close()
    place.hints.close()


def test_a_wake_from_another_thread_ends_the_wait_that_runs(watched: Place) -> None:
    watched.settle(1_000)
    timer = threading.Timer(0.3, watched.hints.wake)
    timer.start()
    began = time.monotonic()
    assert watched.hints.wait(600_000) is False
    assert time.monotonic() - began < 60
    timer.join()


def test_what_is_written_beside_the_folders_is_no_hint(watched: Place) -> None:
    """Our own writes into .st2, and another host's records, would wake their own writer."""
    watched.settle(1_000)
    for path in (".st2/h1/latest", "agents/h2/a1/status", "hosts/h1/beat", "README"):
        (watched.root / path).parent.mkdir(parents=True, exist_ok=True)
        (watched.root / path).write_bytes(b"x")
    watched.settle(1_000)
    for path in (".st2/h1/latest", "agents/h2/a1/status", "hosts/h1/beat", "README"):
        (watched.root / path).write_bytes(b"xy")
    assert watched.hints.wait(1_000) is False
