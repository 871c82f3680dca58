"""Whole rounds through the command, between catalogs that share nothing but a bare repository."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from catalog.errors import LockBusy, SyncFailed
from catalog.snapshot import Snapshot, decode
from catalog.sync.round import run
from conftest import Cli, Result
from support.fleet import START_MS, Fleet
from support.wrapped import Wrapped


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


def put(one: Cli, agent: str, record: str, raw: bytes) -> None:
    folder = one.catalog / "agents" / one.env["ST2_HOST"] / agent
    folder.mkdir(parents=True, exist_ok=True)
    (folder / record).write_bytes(raw)


def good(done: Result) -> Result:
    assert done.code == 0, done.errors
    return done


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

    def test_when_both_fail_the_publish_is_told(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1", remote="/nowhere.git")
        with pytest.raises(SyncFailed) as failed:
            h1.sync()
        assert str(failed.value).startswith("publish to /nowhere.git: ")

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
    one, other = fleet_of("h1"), fleet_of("h2")
    before = time.monotonic()
    good(one("sync"))
    whole = time.monotonic() - before
    chance = random.Random(7)
    tips: set[str] = set()
    for number in range(60):
        put(one, "a1", "status", b"busy\nv1 %d\n" % (START_MS + number))
        process = one.start("sync")
        time.sleep(chance.random() * whole * 1.1)
        process.kill()
        process.wait()
        raw = fleet.git("cat-file", "blob", "refs/st2/presence/h1:snapshot").encode() + b"\n"
        found = decode(raw if b"\n\n" in raw else raw + b"\n", host="h1")
        assert isinstance(found, Snapshot), found
        tips.add(fleet.tip("h1"))
        if number % 10 == 9:
            good(one("sync"))
            good(other("sync"))
            here, there = (c.catalog / "agents/h1/a1/status" for c in (one, other))
            assert here.read_bytes() == there.read_bytes()
    assert len(tips) > 1, "some publishes got through before they were killed"
    assert list((one.catalog / "hosts").rglob(".*")) == []


def test_hosts_lists_each_host_its_last_publish_and_what_is_wrong(
    fleet_of: Callable[..., Cli], fleet: Fleet
) -> None:
    one, other = fleet_of("h1"), fleet_of("h2")
    good(other("sync"))
    fleet.forge("h4", b"hello")
    warned = good(one("sync"))
    assert "warning: h4: no blank line after a header; its last good records stay" in warned.errors
    listed = good(one("hosts", "--json"))
    rows = {row["host"]: row for row in json.loads(listed.out)}
    assert list(rows) == ["h1", "h2", "h4"]
    assert rows["h1"]["own"]
    assert rows["h2"]["node"] == json.loads((other.catalog / ".st2/h2/node").read_bytes())["id"]
    assert rows["h2"]["findings"] == []
    assert (rows["h4"]["node"], rows["h4"]["beatMs"], rows["h4"]["ageMs"]) == (None, None, None)
    assert rows["h4"]["findings"] == [
        {
            "code": "snapshot-refused",
            "message": "h4: its latest snapshot is not used: no blank line after a header",
            "path": None,
        }
    ]
    lines = good(one("hosts")).text.splitlines()
    assert lines[2] == "h4\tnever heard\t-"


def test_the_json_of_a_round_has_these_keys_in_this_order(fleet_of: Callable[..., Cli]) -> None:
    printed = json.loads(good(fleet_of("h1")("sync", "--json")).out)
    assert list(printed) == [
        "host",
        "remote",
        "published",
        "failed",
        "collected",
        "refused",
        "findings",
    ]
    assert list(printed["published"]) == [
        "oid",
        "seq",
        "beatMs",
        "bytes",
        "records",
        "tries",
        "ended",
    ]


def test_a_sync_without_a_remote_says_how_to_choose_one(cli: Cli) -> None:
    refused = cli("sync")
    assert (refused.code, refused.errors) == (
        1,
        "st2: remote: none chosen on this host, wanted one\nhint: st2 sync --remote REMOTE, once\n",
    )


def test_a_remote_is_kept_once_a_round_with_it_has_published(cli: Cli, fleet: Fleet) -> None:
    assert cli("sync", "--remote", "/nowhere.git").code == 1
    assert "none chosen" in cli("sync").errors
    good(cli("sync", "--remote", str(fleet.remote)))
    good(cli("sync"))


@pytest.mark.parametrize("mover", [("rsync", "-a"), ("cp", "-a")])
def test_case_f24_a_mover_that_keeps_file_times_and_a_sync_read_the_same(
    fleet_of: Callable[..., Cli], tmp_path: Path, mover: tuple[str, str]
) -> None:
    if shutil.which(mover[0]) is None:
        pytest.skip(f"no {mover[0]} here")
    one, other, moved = fleet_of("h1"), fleet_of("h2"), fleet_of("h3")
    put(one, "old", "status", b"busy\n")
    put(one, "new", "status", b"away\nv1 %d\n" % START_MS)
    moment = (START_MS - 100_000) / 1000
    os.utime(one.catalog / "agents/h1/old/status", (moment, moment))
    good(one("sync"))
    good(other("sync"))
    subprocess.run([*mover, one.catalog / "agents/h1", moved.catalog / "agents/"], check=True)
    for reader in (other, moved):
        assert (reader.catalog / "agents/h1/old/status").stat().st_mtime == moment
        rows = json.loads(good(reader("agents", "--json", "--now", str(START_MS))).out)
        told = [(row["identity"], row["status"], row["presence"]["source"]) for row in rows]
        assert told == [("h1.new", "away", "record"), ("h1.old", "busy", "mtime")]
        codes = [[each["code"] for each in row["findings"]] for row in rows]
        assert "legacy-mtime" in codes[1]
        assert "legacy-mtime" not in codes[0]
        first = (reader.catalog / "agents/h1/old/status").read_text().splitlines()[0]
        assert first == "busy", "what an old reader reads"


def test_case_a3_a_session_of_which_everything_was_killed_ends_on_every_host_with_one_sync(
    fleet_of: Callable[..., Cli],
) -> None:
    one, other = fleet_of("h1"), fleet_of("h2")
    wrapped = Wrapped(one)
    try:
        harness = wrapped.running("sleep", "300")
        good(one("sync"))
        good(other("sync"))
        assert good(other("status", "h1.w")).out == b"available\n"
        wrapped.kill_owner()
        harness.kill()
        harness.wait()
        done = json.loads(good(one("sync", "--json")).out)
        assert done["published"]["ended"] == ["w"]
        good(other("sync"))
        for reader in (one, other):
            [row] = json.loads(good(reader("agents", "h1.w", "--json")).out)
            assert (row["status"], row["presence"]["why"]) == ("offline", "ended")
            assert row["session"]["endReason"] == "lost"
    finally:
        wrapped.close()
