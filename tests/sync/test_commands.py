"""The commands around a round: what they print, and a fleet that is moved by other means too."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from catalogs import agent
from conftest import Cli
from support.fleet import START_MS, Fleet, good, put
from support.wrapped import Wrapped


def test_hosts_lists_each_host_its_last_publish_and_what_is_wrong(
    fleet_of: Callable[..., Cli], fleet: Fleet
) -> None:
    one, other = fleet_of("h1"), fleet_of("h2")
    good(other("sync"))
    fleet.forge("h4", b"hello")
    warned = good(one("sync"))
    assert "warning: h4: no blank line after a header\n" in warned.errors
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


def test_where_the_current_folder_is_gone_a_kept_remote_works_and_a_typed_path_is_refused(
    fleet_of: Callable[..., Cli], fleet: Fleet, tmp_path: Path
) -> None:
    one = fleet_of("h1")
    gone = tmp_path / "gone"
    whole = ("--remote", str(fleet.remote))
    for args, code in (((), 0), (whole, 0), (("--remote", "presence.git"), 2)):
        gone.mkdir()
        shell = 'rmdir "$PWD" && exec "$0" "$@"'
        command = ["sh", "-c", shell, str(one.command), "sync", *args]
        done = subprocess.run(command, cwd=gone, env=one.env, capture_output=True, check=False)
        assert done.returncode == code, done.stderr
    assert done.stderr.startswith(b"st2: --remote: the current folder is gone, wanted one")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["init", "here"], 2),
        (["init", "--remote", "there"], 2),
        (["sync", "--sign", "key"], 2),
        (["remote", "upkeep", "there"], 2),
        (["remote", "upkeep"], 0),
        (["remote", "upkeep", "{remote}"], 0),
        (["init", "--remote", "{remote}"], 0),
        (["run", "a1", "--dry-run"], 0),
        (["remote", "authorize", "h2", "key.pub", "there"], 2),
        (["merge-record", "a", "b", "c", "agents/h1/w/status"], 2),
    ],
)
def test_where_the_current_folder_is_gone_a_path_that_starts_there_is_the_users_to_mend(
    fleet_of: Callable[..., Cli], fleet: Fleet, tmp_path: Path, words: list[str], code: int
) -> None:
    one = fleet_of("h1")
    gone = tmp_path / "gone"
    gone.mkdir()
    agent(one.catalog, kdl='agent "a1" { host "h1"; argv "true"; }\n')
    told = [word.format(remote=fleet.remote) for word in words]
    command = ["sh", "-c", 'rmdir "$PWD" && exec "$0" "$@"', str(one.command), *told]
    done = subprocess.run(command, cwd=gone, env=one.env, capture_output=True, check=False)
    assert done.returncode == code, done.stderr
    if code:
        said, hint = done.stderr.decode().splitlines()
        assert said == "st2: path: the current folder is gone, wanted one that it can start from"
        assert hint == "hint: go to a folder that is there, or give the whole path"
