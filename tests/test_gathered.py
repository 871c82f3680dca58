"""One look at a catalog, and the same look for one agent alone."""

from __future__ import annotations

from errno import EMFILE
from pathlib import Path

import pytest

from catalog.gathered import Gathered, gathered, gathered_one
from catalog.layout import Layout
from catalog.roster import Row
from catalog.system.files import Files
from catalog.witness import Sight
from catalogs import T, agent, claim, declared, record
from test_unread import looks_failing

SIGHT = Sight("alive", 7, True)


@pytest.fixture
def mixed(catalog_dir: Path) -> Path:
    """Two hosts and an agent of every kind; a3 is declared in the folder of another one."""
    agent(catalog_dir, "a1", kdl=declared("a1"), status=record("busy", T), session=claim())
    agent(catalog_dir, "a2", status=record("away", T))
    agent(catalog_dir, "a3", status=record("dnd", T))
    agent(catalog_dir, "odd", kdl=declared("a3"))
    agent(catalog_dir, "a4", kdl="agent {")
    agent(catalog_dir, "a5", kdl=declared("a5"), status=record("busy", T))
    agent(catalog_dir, "b1", "h2", kdl=declared("b1", "h2"), status=record("busy", T))
    beat = catalog_dir / "hosts/h2/beat"
    beat.parent.mkdir(parents=True)
    beat.write_bytes(record("0123456789abcdef", T))
    return catalog_dir


def at(root: Path) -> tuple[Files, Layout]:
    return Files(str(root)), Layout(str(root), "h1")


def rows(found: Gathered) -> list[Row]:
    return found.rows(now_ms=T, look=lambda _: SIGHT)


def test_the_row_of_one_agent_is_the_one_that_it_has_among_all(mixed: Path) -> None:
    everything = gathered(*at(mixed))
    assert len(rows(everything)) == 6
    for row in rows(everything):
        found = gathered_one(*at(mixed), row.host, row.agent)
        assert rows(found) == [row]
        assert found.beats == {row.host: everything.beats[row.host]}


def test_of_the_others_no_record_is_read(mixed: Path) -> None:
    found = gathered_one(*at(mixed), "h1", "a1")
    assert {getattr(place.status, "raw", b"") for place in found.walk.places} == {b""}


def test_who_has_no_row_has_no_entry(mixed: Path) -> None:
    assert gathered_one(*at(mixed), "h1", "odd").entries == {}
    assert gathered_one(*at(mixed), "h3", "a1").entries == {}


def test_records_that_the_system_does_not_read_are_never_called_missing(mixed: Path) -> None:
    told = set()
    for found in looks_failing(lambda: rows(gathered_one(*at(mixed), "h1", "a5")), EMFILE):
        assert isinstance(found, list), found
        told |= {row.assessed.presence.why for row in found}
    assert told == {"fresh", "unreadable"}
