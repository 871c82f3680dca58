"""Whole rounds through the command, between catalogs that share nothing but a bare repository."""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.refusals import LockBusy
from catalog.sync.round import run
from conftest import Cli
from support.fleet import START_MS, Fleet, good, put
from support.wrapped import until


class TestCaseX1:
    """Three hosts, each fifty beats and activities: all three read the same, nothing is lost."""

    def test_each_host_reads_every_hosts_newest_records(self, fleet: Fleet) -> None:
        members = [fleet.host(name) for name in ("h1", "h2", "h3")]
        chance = random.Random(1)
        for beat in range(50):
            for member in members:
                stamp = fleet.now_ms
                member.put("a1", "status", b"busy\nv1 %d\n" % stamp)
                member.put("a1", "activity", b"success\nv1 %d\n" % (stamp - beat))
            if beat % 10 == 0:
                for member in chance.sample(members, 3):
                    report = member.sync()
                    assert report.failed is None
                    assert report.collected.refused == ()
        for member in [*members, *members]:
            member.sync()
        for member in members:
            own = member.site.host
            for other in members:
                for record in ("status", "activity"):
                    path = f"agents/{own}/a1/{record}"
                    assert other.read(path) == member.read(path)

    def test_the_rosters_of_all_hosts_are_equal_word_for_word(
        self, fleet_of: Callable[..., Cli]
    ) -> None:
        hosts = [fleet_of(name) for name in ("h1", "h2", "h3")]
        for number, one in enumerate(hosts):
            put(one, "a1", "status", b"busy\nv1 %d\n" % (START_MS + number))
        for one in [*hosts, *hosts]:
            good(one("sync"))
        now = ("agents", "--json", "--now", str(START_MS + 10))
        rosters = {good(one(*now)).out for one in hosts}
        assert len(rosters) == 1
        assert [row["status"] for row in json.loads(rosters.pop())] == ["busy"] * 3


def test_case_x2_in_small_every_publish_of_hosts_that_push_at_once_is_taken(
    fleet_of: Callable[..., Cli],
) -> None:
    hosts = [fleet_of(f"h{number}") for number in range(1, 5)]
    for number in range(2):
        for one in hosts:
            put(one, "a1", "status", b"busy\nv1 %d\n" % (START_MS + number))
        running = [one.start("sync", "--json", stdout=subprocess.PIPE) for one in hosts]
        for process in running:
            out, _ = process.communicate(timeout=60)
            assert process.returncode == 0
            assert json.loads(out)["published"]["tries"] == 1
    good(hosts[0]("sync"))
    for one in hosts:
        name = one.env["ST2_HOST"]
        assert (hosts[0].catalog / f"agents/{name}/a1/status").read_bytes().endswith(b"01\n")


class TestCaseX3:
    """Two clones claim one host name."""

    def test_the_second_exits_1_naming_both_nodes_and_replace_node_is_the_way_out(
        self, fleet_of: Callable[..., Cli]
    ) -> None:
        one, two, other = fleet_of("h1"), fleet_of("h1", "clone"), fleet_of("h2")
        good(one("sync"))
        good(other("sync"))
        nodes = [json.loads((c.catalog / ".st2/h1/node").read_bytes())["id"] for c in (one, two)]
        refused = two("sync")
        assert refused.code == 1
        assert all(node in refused.errors for node in nodes)
        assert "st2 hosts --replace-node" in refused.errors
        assert (two.catalog / "hosts/h2/beat").exists(), "others are still heard"
        good(two("hosts", "--replace-node"))
        good(two("sync"))
        assert one("sync").code == 1


class TestLock:
    """One publisher a host."""

    def test_a_round_waits_for_the_other_and_names_it_when_it_does_not_end(
        self, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        h1 = fleet.host("h1")
        monkeypatch.setattr("catalog.sync.round.LOCK_WAIT_MS", 50)
        lock = h1.site.layout.publisher_lock()
        with h1.site.files.lock(lock, wait_ms=0), pytest.raises(LockBusy) as busy:
            run(h1.site)
        assert "held by pid" in str(busy.value)
        assert run(h1.site).failed is None


class TestReport:
    """A publish that failed does not hide what was collected."""

    def test_when_both_fail_both_are_told_and_the_publish_is_the_failure(
        self, fleet: Fleet
    ) -> None:
        h1 = fleet.host("h1", remote="/nowhere.git")
        report = h1.sync()
        assert str(report.failed).startswith("publish to /nowhere.git: ")
        [second] = report.findings
        assert second.message.startswith("collect from /nowhere.git: ")

    def test_state_that_cannot_be_written_is_a_failed_publish(self, fleet: Fleet) -> None:
        h1, h2 = fleet.host("h1"), fleet.host("h2")
        h2.sync()
        (h1.root / h1.site.layout.published()).mkdir(parents=True)
        report = h1.sync()
        assert report.failed is not None
        assert str(report.failed).startswith("publish: this host's own state cannot be written: ")
        assert report.collected.hosts == ("h2",)


@pytest.mark.slow
def test_a_publisher_killed_at_any_moment_leaves_the_ref_old_or_new_and_the_next_sync_works(
    fleet_of: Callable[..., Cli], tmp_path: Path, fleet: Fleet
) -> None:
    """However fast the machine is, each fifth is killed at once and each fifth with its ref new."""
    one, other = fleet_of("h1"), fleet_of("h2")
    good(one("sync"))
    before = time.monotonic()
    good(one("sync"))
    whole = time.monotonic() - before
    chance = random.Random(7)
    got_through = []
    for number in range(60):
        put(one, "a1", "status", b"busy\nv1 %d\n" % (START_MS + number))
        tip = fleet.tip("h1")
        process = one.start("sync")
        if number % 5 == 1:
            until(lambda tip=tip: fleet.tip("h1") != tip)  # type: ignore[misc]
        elif number % 5:
            time.sleep(chance.random() * whole * 1.1)
        process.kill()
        process.wait()
        assert fleet.published("h1").host == "h1"
        got_through.append(fleet.tip("h1") != tip)
        if number % 10 == 9:
            good(one("sync"))
            good(other("sync"))
            here, there = (c.catalog / "agents/h1/a1/status" for c in (one, other))
            assert here.read_bytes() == there.read_bytes()
    assert set(got_through) == {True, False}
    assert list((one.catalog / "hosts").rglob(".*")) == []
