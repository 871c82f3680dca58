"""Locks that git, or upkeep itself, left behind: named, not removed, and recovered from."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest

from catalog.sync.collect import collect
from catalog.sync.publish import publish
from catalog.sync_errors import SyncFailed
from conftest import Cli
from support.fleet import START_MS, Fleet, git, good
from support.kept import age, kept


class TestCaseX12:
    """Case X12: a lock of git that was left behind is named with its age and not removed."""

    def test_an_old_lock_is_named_with_file_and_age_and_how_to_remove_it(
        self, cli: Cli, fleet: Fleet
    ) -> None:
        publish(fleet.host("h1").site)
        lock = fleet.remote / "packed-refs.lock"
        lock.touch()
        age(fleet.remote)
        done = cli("remote", "upkeep", str(fleet.remote))
        assert done.code == 1
        assert "git pack-refs: fatal: Unable to create" in done.errors
        assert f"if no git runs there any more: rm {lock}" in done.errors
        assert lock.exists()
        lock.unlink()
        good(cli("remote", "upkeep", str(fleet.remote)))

    def test_a_young_lock_is_not_even_named(self, fleet: Fleet) -> None:
        publish(fleet.host("h1").site)
        (fleet.remote / "refs/st2/presence/h1.lock").touch()
        assert kept(fleet).locks == ()

    def test_a_publish_that_a_left_lock_stops_names_it_and_leaves_it(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        publish(h1.site)
        lock = fleet.remote / "refs/st2/presence/h1.lock"
        lock.touch()
        os.utime(lock, (START_MS / 1000 - 7_200, START_MS / 1000 - 7_200))
        with pytest.raises(SyncFailed, match="lost 4 races") as failed:
            publish(h1.site)
        assert failed.value.hint.startswith("refs/st2/presence/h1.lock is 7200 s old")
        assert lock.exists()

    def test_a_sync_needs_no_index_and_touches_no_lock_of_the_catalog(
        self, cli: Cli, fleet: Fleet
    ) -> None:
        git("init", "-q", cli.catalog)
        locks = [cli.catalog / ".git/index.lock", cli.catalog / ".git/HEAD.lock"]
        with locks[0].open("wb") as held:
            locks[1].touch()
            age(cli.catalog / ".git")
            good(cli("sync", "--remote", str(fleet.remote)))
            assert not held.closed
        assert all(lock.exists() for lock in locks)

    def test_a_lock_in_a_repository_of_our_own_is_dropped_with_it(self, fleet: Fleet) -> None:
        h1, h2 = fleet.host("h1"), fleet.host("h2")
        publish(h2.site)
        h1.sync()
        lock = h1.own("read") / "refs/st2/presence/h2.lock"
        lock.touch()
        publish(h2.site)
        assert h1.sync().failed is None
        assert not lock.exists()


class TestCaseX11:
    """Case X11: upkeep killed at any moment; syncs go on, the next upkeep recovers."""

    def test_after_a_kill_of_all_its_processes_pushes_work_and_the_next_one_recovers(
        self, cli: Cli, fleet: Fleet
    ) -> None:
        h1, h2 = fleet.host("h1"), fleet.host("h2")
        for delay in (0.25, 0.35, 0.45, 0.6):
            for _ in range(5):
                publish(h1.site)
            doomed = cli.start("remote", "upkeep", str(fleet.remote), start_new_session=True)
            time.sleep(delay)
            kill_all_below(doomed.pid)
            doomed.wait()
            # Where it held the ref's own lock just then, that is left: whoever is told removes it.
            for left in (fleet.remote / "refs").rglob("*.lock"):
                left.unlink()
            assert publish(h1.site).tries == 1
        age(fleet.remote)
        assert kept(fleet).failed == ()
        assert not list(fleet.remote.rglob("*.lock"))
        assert collect(h2.site).hosts == ("h1",)

    def test_its_own_lock_is_taken_away_after_an_hour_and_nobody_elses(self, fleet: Fleet) -> None:
        publish(fleet.host("h1").site)
        mark = fleet.remote / "st2-upkeep-runs"
        lock = fleet.remote / "packed-refs.lock"
        gc = fleet.remote / "gc.pid"
        mark.touch()
        lock.touch()
        gc.write_text(f"{os.getpid()} {os.uname().nodename}")
        said = kept(fleet).failed
        assert "Unable to create" in said[0] and "gc is already running" in said[1]
        age(fleet.remote)
        assert kept(fleet).failed == ()
        assert not lock.exists() and not mark.exists() and not gc.exists()


def kill_all_below(pid: int) -> None:
    """Kill a process and all of its descendants, each by its pid, stopped before it is asked."""
    doomed: list[int] = []
    found = [pid]
    while found:
        for number in found:
            try:
                os.kill(number, signal.SIGSTOP)
            except ProcessLookupError:
                continue
        doomed += found
        done = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, check=True)
        pairs = [map(int, line.split()) for line in done.stdout.decode().splitlines()[1:]]
        found = [child for child, parent in pairs if parent in doomed and child not in doomed]
    for number in doomed:
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            continue
