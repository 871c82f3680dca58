"""A host's name taken over, and numbers from a future that was forged."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from catalog.sync.collect import collect
from catalog.sync.publish import publish
from catalog.sync_errors import DuplicateHost
from conftest import Cli
from support.fleet import START_MS, Fleet, a_snapshot, good

DAY_MS = 86_400_000
BUSY = rb"a1/status" + b"\tbusy\\nv1 5\\n"


def node_of(one: Cli) -> str:
    found: str = json.loads((one.catalog / ".st2/h1/node").read_bytes())["id"]
    return found


def test_a_machine_that_was_set_up_anew_gets_in_with_the_two_commands_it_is_told(
    fleet_of: Callable[..., Cli], cli: Cli, fleet: Fleet
) -> None:
    good(fleet_of("h1", "before")("sync"))
    refused = cli("sync", "--remote", str(fleet.remote))
    assert (refused.code, "st2 hosts --replace-node" in refused.errors) == (1, True)
    good(cli("hosts", "--replace-node"))
    good(cli("sync"))


def test_a_takeover_is_published_under_a_node_that_nobody_has_heard_of(
    fleet_of: Callable[..., Cli], fleet: Fleet
) -> None:
    one = fleet_of("h1")
    good(one("sync"))
    before = node_of(one)
    good(one("hosts", "--replace-node"))
    assert node_of(one) == fleet.published("h1").node != before
    good(one("sync"))


def test_a_takeover_that_did_not_arrive_changes_no_node(
    fleet_of: Callable[..., Cli], fleet: Fleet
) -> None:
    one = fleet_of("h1")
    good(one("sync"))
    before = node_of(one)
    fleet.remote.rename(fleet.folder / "away")
    assert one("hosts", "--replace-node").code == 1
    (fleet.folder / "away").rename(fleet.remote)
    assert node_of(one) == before
    good(one("sync"))


def test_a_number_forged_under_a_hosts_own_node_does_not_lock_it_out(fleet: Fleet) -> None:
    h1, reader = fleet.host("h1"), fleet.host("h3")
    publish(h1.site)
    collect(reader.site)
    own = h1.site.node
    fleet.forge("h1", a_snapshot("h1", BUSY, node=own, seq=2**63 - 1))
    [(host, why)] = collect(reader.site).refused
    assert (host, why.endswith("clock: seq ahead")) == ("h1", True)
    with pytest.raises(DuplicateHost, match="is far ahead of this clock") as refused:
        publish(h1.site)
    assert "st2 hosts --replace-node" in refused.value.hint
    fleet.git("update-ref", "-d", "refs/st2/presence/h1")
    publish(h1.site)
    assert collect(reader.site).hosts == ("h1",)


@pytest.mark.parametrize(("ahead_ms", "taken"), [(DAY_MS - 1000, True), (DAY_MS + 1000, False)])
def test_a_number_may_be_a_day_ahead_and_no_more(fleet: Fleet, ahead_ms: int, taken: bool) -> None:
    reader = fleet.host("h3")
    fleet.forge("h1", a_snapshot("h1", BUSY, seq=START_MS + ahead_ms))
    assert (collect(reader.site).hosts == ("h1",)) is taken


@pytest.mark.parametrize("name", ["a1.orig", "status.sync-conflict-20270101", "a.swp"])
def test_a_conflict_copy_in_a_snapshot_is_refused(fleet: Fleet, name: str) -> None:
    reader = fleet.host("h3")
    fleet.forge("h1", a_snapshot("h1", name.encode() + b"/status\tbusy\\nv1 5\\n"))
    [(_, why)] = collect(reader.site).refused
    assert why == f"path '{name}/status': the name of a conflict copy, wanted an agent's name"
