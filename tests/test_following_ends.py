"""A harness is gone and its owner still runs: a watcher gives it the time to say how it ended."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from catalog import claim as claims
from catalog.evidence import render_lines
from catalog.seen import Missing, Unreadable
from catalog.system.files import Files
from catalog.system.folders import Folder
from catalog.system.locks import Lock
from catalog.system.processes import host_processes
from catalog.windows import OWNER_WAIT_MS
from catalogs import T, claim
from followed import Followed


@pytest.fixture
def gone(catalog_dir: Path) -> Iterator[Callable[[Followed], None]]:
    """A function: have the harness of h1.a1 be one that has ended, unbeknown to its owner."""
    harness = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)

    def end(followed: Followed) -> None:
        harness.kill()
        harness.wait()

    seen = host_processes().observe(harness.pid, token="s1", generation=1)
    assert seen is not None
    folder = catalog_dir / ".st2/h1/process"
    folder.mkdir(parents=True)
    (catalog_dir / ".st2").chmod(0o700)
    (folder / "a1").write_bytes(render_lines([seen]))
    yield end
    harness.kill()
    harness.communicate()


def watched(catalog: Path) -> tuple[Followed, Lock]:
    """A watcher that saw the session live, and the lock of its owner."""
    followed = Followed(catalog)
    followed.beat()
    put(catalog, claim())
    layout, files = followed.context.layout, followed.context.files
    lock = files.lock(layout.owner_lock("a1"), wait_ms=0)
    followed.start()
    return followed, lock


def put(catalog: Path, told: claims.Claim) -> None:
    (catalog / "agents/h1/a1/session.json").write_bytes(claims.render(told))


def ended(followed: Followed) -> list[str]:
    return [event.sentence for event in followed.following.look().events if event.kind == "ended"]


def test_the_end_is_told_as_the_owner_writes_it(
    catalog_dir: Path, gone: Callable[[Followed], None]
) -> None:
    followed, lock = watched(catalog_dir)
    gone(followed)
    end = claims.end(claim(), "exited", "signal 9", now_ms=T + 1)
    followed.at(OWNER_WAIT_MS - 100, lambda: put(catalog_dir, end))
    assert ended(followed) == ["session s1, generation 1: exited with signal 9"]
    lock.release()


def test_an_owner_that_writes_nothing_is_waited_for_once(
    catalog_dir: Path, gone: Callable[[Followed], None]
) -> None:
    followed, lock = watched(catalog_dir)
    gone(followed)
    began = followed.clocks.awake
    [sentence] = ended(followed)
    assert "nobody wrote" in sentence
    assert OWNER_WAIT_MS <= followed.clocks.awake - began < OWNER_WAIT_MS + 100
    began = followed.clocks.awake
    assert ended(followed) == []
    assert followed.clocks.awake == began
    lock.release()


def test_where_no_owner_runs_it_is_told_at_once(
    catalog_dir: Path, gone: Callable[[Followed], None]
) -> None:
    followed, lock = watched(catalog_dir)
    lock.release()
    gone(followed)
    began = followed.clocks.awake
    [sentence] = ended(followed)
    assert "nobody wrote" in sentence
    assert followed.clocks.awake == began


class Counted(Files):
    """Files that count how often the whole catalog is walked."""

    walks = 0

    def folder(self, path: str) -> Folder | Missing | Unreadable:
        self.walks += path == "agents"
        return super().folder(path)


def test_while_an_owner_is_awaited_its_own_files_alone_are_read(
    catalog_dir: Path, gone: Callable[[Followed], None]
) -> None:
    followed, lock = watched(catalog_dir)
    followed.context.files = Counted(str(catalog_dir))
    followed.following.look()
    of_one_look = followed.context.files.walks
    gone(followed)
    end = claims.end(claim(), "exited", "signal 9", now_ms=T + 1)
    followed.at(OWNER_WAIT_MS - 100, lambda: put(catalog_dir, end))
    followed.context.files.walks = 0
    assert len(ended(followed)) == 1
    assert followed.context.files.walks <= 2 * of_one_look
    lock.release()


def test_an_owner_that_goes_without_a_word_is_not_waited_for_any_longer(
    catalog_dir: Path, gone: Callable[[Followed], None]
) -> None:
    followed, lock = watched(catalog_dir)
    gone(followed)
    followed.at(100, lock.release)
    began = followed.clocks.awake
    [sentence] = ended(followed)
    assert "nobody wrote" in sentence
    assert 100 <= followed.clocks.awake - began < 200


def test_whoever_waits_is_asked_meanwhile_and_may_go(
    catalog_dir: Path, gone: Callable[[Followed], None]
) -> None:
    followed, lock = watched(catalog_dir)
    before = followed.following.last
    gone(followed)
    asked = []

    def idle() -> bool:
        rows = followed.following.rows(now_ms=followed.clocks.wall)
        asked.append([row.state for row in rows])
        return len(asked) == 3

    began = followed.clocks.awake
    look = followed.following.look(idle)
    assert (look.events, asked) == ([], [["available"]] * 3)
    assert before is not None and look.rows is before.rows
    assert followed.clocks.awake - began < OWNER_WAIT_MS
    assert len(ended(followed)) == 1
    lock.release()
