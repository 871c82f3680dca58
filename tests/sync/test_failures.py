"""A round that failed is told: in its JSON, by the hosts, under the roster."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from catalog.sync import latest
from conftest import Cli
from st2.table import Footing, table
from support.fleet import START_MS, Fleet, a_snapshot, good

BUSY = rb"a1/status" + b"\tbusy\\nv1 5\\n"


def test_the_json_of_a_round_is_printed_when_the_remote_is_unreachable_too(cli: Cli) -> None:
    done = cli("sync", "--remote", "/nowhere.git", "--json")
    assert done.code == 1
    printed = json.loads(done.out)
    assert printed["failed"]["code"] == "sync-failed"
    assert printed["failed"]["message"].startswith("publish to /nowhere.git: ")
    assert (printed["published"], printed["collected"], printed["refused"]) == (None, [], [])
    assert [each["code"] for each in printed["findings"]] == ["collect-failed"]


def test_good_records_stay_is_said_of_a_host_that_has_some(cli: Cli, fleet: Fleet) -> None:
    fleet.forge("h2", a_snapshot("h2", BUSY))
    good(cli("sync", "--remote", str(fleet.remote)))
    for host in ("h2", "h4"):
        fleet.forge(host, b"hello")
    said = good(cli("sync")).errors.splitlines()
    why = "no blank line after a header"
    assert f"warning: h2: {why}; its last good records stay" in said
    assert f"warning: h4: {why}" in said


def test_after_a_round_that_failed_the_hosts_do_not_read_as_if_all_were_well(
    fleet_of: Callable[..., Cli], fleet: Fleet
) -> None:
    one = fleet_of("h1")
    good(one("sync"))
    assert good(one("hosts")).errors == ""
    fleet.remote.rename(fleet.folder / "away")
    assert one("sync").code == 1
    assert "h1: its last sync, " in good(one("hosts")).errors
    [row] = json.loads(good(one("hosts", "--json")).out)
    assert [each["code"] for each in row["findings"]] == ["sync-failed"]
    (fleet.folder / "away").rename(fleet.remote)
    good(one("sync"))
    assert good(one("hosts")).errors == ""


def test_the_last_line_of_the_roster_says_that_the_last_round_failed_and_why(
    fleet: Fleet,
) -> None:
    h1 = fleet.host("h1", remote="/nowhere.git")
    h1.sync()
    failed = latest.failure(h1.site.files, h1.site.layout)
    assert failed is not None
    beats = {"h1": START_MS - 3_600_000, "h2": START_MS}
    footing = Footing("h1", beats, failed[0] + 180_000, clock_only=False, failed=failed)
    last = table([], footing, width=80).splitlines()[-1]
    assert last.startswith("sync last ran 3 min ago, and failed: publish to /nowhere.git: ")
    assert "; h2 as of 3 min ago" in last


@pytest.mark.parametrize("raw", [b"", b"[]", b'{"at_ms": "x", "failed": "y"}', b'{"at_ms": 5}'])
def test_a_state_that_cannot_be_read_is_no_failure(fleet: Fleet, raw: bytes) -> None:
    h1 = fleet.host("h1")
    h1.site.files.replace(h1.site.layout.latest(), raw)
    assert latest.failure(h1.site.files, h1.site.layout) is None


def test_a_host_without_git_is_one_line_of_error(cli: Cli, fleet: Fleet) -> None:
    done = cli("sync", "--remote", str(fleet.remote), env={"PATH": ""})
    assert (done.code, done.errors) == (1, "st2: git: not found, wanted git on PATH\n")
