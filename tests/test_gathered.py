"""One look at a catalog, and the same look for one agent alone."""

from __future__ import annotations

from errno import EMFILE
from pathlib import Path

import pytest

from catalog.claim import Claim
from catalog.gathered import Gathered, gathered, gathered_one
from catalog.heard import Heard, save
from catalog.layout import Layout
from catalog.roster import Row
from catalog.system.files import Files
from catalog.witness import Sight
from catalogs import T, agent, claim, declared, record, right_below
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


def test_when_each_host_was_last_heard_is_gathered_of_its_beat(mixed: Path) -> None:
    assert gathered(*at(mixed)).beats == {"h1": None, "h2": T}
    assert gathered_one(*at(mixed), "h2", "b1").beats == {"h2": T}


def test_what_was_observed_of_others_counts_where_processes_are_looked_at_too(mixed: Path) -> None:
    files, layout = at(mixed)
    for host in ("h1", "h2"):
        save(files, layout, host, Heard(T, doubt="it is not signed"))
    found = gathered(files, layout)
    assert found.heard == {"h2": Heard(T, doubt="it is not signed")}
    told = {row.identity: [each.code for each in row.findings] for row in rows(found)}
    assert "signature-doubted" in told.pop("h2.b1")
    assert all("signature-doubted" not in codes for codes in told.values())
    for row in found.rows(now_ms=T, look=None):
        assert "signature-doubted" not in [each.code for each in row.findings]


def test_processes_are_looked_at_where_a_look_is_given(mixed: Path) -> None:
    asked: list[str] = []

    def look(claim: Claim) -> Sight:
        asked.append(claim.agent)
        return SIGHT

    gathered(*at(mixed)).rows(now_ms=T, look=look)
    assert asked == ["a1"]


def test_remarks_are_those_of_the_walk_and_why_nothing_of_this_host_s_own_is_used(
    mixed: Path,
) -> None:
    agent(mixed, "a..b", status=record("busy", T))
    assert [each.code for each in gathered(*at(mixed)).findings] == ["bad-name"]
    (mixed / ".st2").mkdir()
    (mixed / ".st2").chmod(0o777)
    for found in (gathered(*at(mixed)), gathered_one(*at(mixed), "h1", "a1")):
        assert [each.code for each in found.findings] == ["bad-name", "local-state-unsafe"]
        assert found.findings == [*found.walk.findings, found.local_fault]


def test_a_broken_declaration_without_a_host_is_of_this_one(mixed: Path) -> None:
    right_below(mixed, "near", "agent {")
    assert ("h1", "near") in gathered(*at(mixed)).entries
    assert set(gathered_one(*at(mixed), "h1", "near").entries) == {("h1", "near")}


def test_what_was_read_of_declarations_may_be_kept_and_is_not_unasked(mixed: Path) -> None:
    (mixed / ".st2/h1").mkdir(parents=True)
    (mixed / ".st2").chmod(0o700)
    kept = mixed / ".st2/h1/cache"
    for look in (gathered, lambda *where: gathered_one(*where, "h1", "a1")):
        found = look(*at(mixed))
        assert not kept.exists()
        found.cache.save()
        assert kept.exists()
        kept.unlink()


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
