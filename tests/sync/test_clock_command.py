"""A host whose clock is behind, in every command that prints a word of it (case F8)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from catalog import heard
from catalog.heard import Heard
from catalog.layout import Layout
from catalog.offset import Interval
from catalog.system.files import Files
from conftest import Cli
from support.fleet import good


@pytest.fixture
def one(fleet_of: Callable[[str], Cli]) -> Cli:
    """h1, which knows that h2's clock is ten minutes behind."""
    cli = fleet_of("h1")
    files, layout = Files(str(cli.catalog)), Layout(str(cli.catalog), "h1")
    stamp_ms = int(time.time() * 1000) - 600_000
    for agent in ("a1", "a2"):
        files.replace(layout.record("h2", agent, "status"), b"busy\nv1 %d\n" % stamp_ms)
    files.replace(layout.host_beat("h2"), b"%s\nv1 %d\n" % (b"f" * 16, stamp_ms))
    heard.save(files, layout, "h2", Heard(1, (Interval(570_000, 601_000),)))
    return cli


def test_every_command_prints_the_same_word(one: Cli) -> None:
    rows = json.loads(good(one("agents", "--json")).out)
    assert [(row["status"], row["presence"]["why"]) for row in rows] == [("unknown", "skew")] * 2
    assert [row["presence"]["record"] for row in rows] == ["busy"] * 2
    assert good(one("status", "h2.a1")).text == "unknown\n"
    assert good(one("agents", "h2.a1")).text.startswith("h2.a1\tunknown\t")
    told = json.loads(good(one("why", "h2.a1", "--json")).out)
    assert (told["status"], told["presence"]["why"]) == ("unknown", "skew")


def test_what_is_wrong_with_a_host_is_warned_of_once_for_all_its_rows(one: Cli) -> None:
    listed = good(one("agents"))
    told = "warning: h2: its clock is 570 s to 601 s behind: "
    assert listed.errors.count(told) == 1


def test_why_names_the_clock_and_its_offset(one: Cli) -> None:
    lines = good(one("why", "h2.a1")).text
    assert "clock     h2's clock is 570 s to 601 s behind by this host's clock\n" in lines
    assert "its host's clock is behind, so that this is no silence" in lines


def test_now_reads_records_alone(one: Cli) -> None:
    now = str(int(time.time() * 1000))
    [row, _] = json.loads(good(one("agents", "--json", "--now", now)).out)
    assert (row["status"], row["findings"]) == ("busy", [])
    assert "clock   " not in good(one("why", "h2.a1", "--now", now)).text
