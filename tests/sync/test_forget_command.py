"""`st2 hosts --forget`: what it says, what it refuses, and a machine that was replaced."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from catalog.layout import Layout
from catalog.system.files import Files
from conftest import Cli
from support.fleet import START_MS, Fleet, good, put
from support.wrapped import Wrapped


class TestCommand:
    """`st2 hosts --forget`."""

    def test_a_machine_that_was_replaced_leaves_no_old_rows(
        self, fleet_of: Callable[..., Cli]
    ) -> None:
        one, old, new = fleet_of("h1"), fleet_of("h2", "before"), fleet_of("h2", "after")
        put(old, "gone", "status", b"busy\nv1 %d\n" % START_MS)
        put(new, "here", "status", b"busy\nv1 %d\n" % START_MS)
        good(old("sync"))
        good(one("sync"))
        assert new("sync").code == 1
        good(new("hosts", "--replace-node"))
        good(one("sync"))
        assert [row["identity"] for row in rows(one)] == ["h2.gone", "h2.here"]
        good(new("hosts", "--forget", "h2"))
        good(new("sync"))
        good(one("sync"))
        assert [row["identity"] for row in rows(one)] == ["h2.here"]

    def test_it_says_what_others_will_do(self, fleet_of: Callable[..., Cli], fleet: Fleet) -> None:
        one = fleet_of("h1")
        good(one("sync"))
        done = good(one("hosts", "--forget", "h1"))
        assert done.text == "h1: forgotten; every other host drops its records at its next sync\n"
        assert "after 15 min the same command deletes that, too" in done.errors
        assert good(one("hosts")).text.startswith("h1\tnever heard\t-\tthis host\n")
        again = one("hosts", "--forget", "h1")
        assert (again.code, "s ago, wanted 900 s" in again.errors) == (1, True)

    def test_its_json(self, fleet_of: Callable[..., Cli], fleet: Fleet) -> None:
        one = fleet_of("h1")
        good(one("sync"))
        assert json.loads(good(one("hosts", "--forget", "h1", "--json")).out) == {
            "host": "h1",
            "remote": str(fleet.remote),
            "deleted": False,
        }

    def test_a_host_that_still_runs_agents_is_not_forgotten_and_they_are_named(
        self, fleet_of: Callable[..., Cli], fleet: Fleet
    ) -> None:
        one = fleet_of("h1")
        wrapped = Wrapped(one)
        try:
            wrapped.running("sleep", "300")
            good(one("sync"))
            refused = one("hosts", "--forget", "h1")
            assert (refused.code, refused.errors.splitlines()[0]) == (
                1,
                "st2: host h1: still runs w, wanted no open session",
            )
            assert not fleet.published("h1").is_forgotten
            good(one("hosts", "--forget", "h1", "--force"))
            assert fleet.published("h1").is_forgotten
        finally:
            wrapped.close()

    @pytest.mark.parametrize(
        ("args", "code"),
        [
            (("--force",), 2),
            (("--forget", "../x"), 2),
            (("--forget", "-x"), 2),
            (("--forget", "h2", "--replace-node"), 2),
            (("--forget", "h2"), 1),
        ],
    )
    def test_what_is_refused(
        self, fleet_of: Callable[..., Cli], args: tuple[str, ...], code: int
    ) -> None:
        assert fleet_of("h1")("hosts", *args).code == code


def rows(one: Cli) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(good(one("agents", "--json")).out)
    return found


def test_another_host_is_forgotten_beside_a_publisher_that_runs(
    fleet_of: Callable[..., Cli], fleet: Fleet
) -> None:
    one, other = fleet_of("h1"), fleet_of("h2")
    put(other, "a1", "status", b"busy\nv1 %d\n" % START_MS)
    good(other("sync"))
    good(one("sync"))
    files, layout = Files(str(one.catalog)), Layout(str(one.catalog), "h1")
    with files.lock(layout.publisher_lock(), wait_ms=0):
        good(one("hosts", "--forget", "h2", "--force"))
        assert fleet.published("h2").is_forgotten
        assert [row["identity"] for row in rows(one)] == ["h2.a1"]
    good(one("sync"))
    assert rows(one) == []
