"""What a walk finds where records are only asked to be there."""

from __future__ import annotations

from pathlib import Path

from catalog.layout import Layout
from catalog.survey import Place, survey
from catalog.system.files import Files
from catalogs import agent, declared, now_ms, record


def without_records(place: Place) -> tuple[object, ...]:
    told = set(place.__slots__) - {"status", "session", "activity"}
    return tuple(getattr(place, name) for name in sorted(told))


def places(root: Path, *, records: bool) -> list[Place]:
    return survey(Files(str(root)), Layout(str(root), "h1"), records=records).places


def test_a_walk_for_names_finds_the_same_places_and_reads_no_record(catalog_dir: Path) -> None:
    agent(catalog_dir, "both", kdl=declared("both"), status=record("busy", now_ms()))
    agent(catalog_dir, "alone", status=record("busy", now_ms()))
    agent(catalog_dir, "only-declared", kdl=declared("only-declared"))
    (catalog_dir / "agents/h1/alone/activity").mkdir()
    read, named = (places(catalog_dir, records=each) for each in (True, False))
    assert list(map(without_records, read)) == list(map(without_records, named))
    assert [place.recorded for place in named] == [True, True, False]
    assert {getattr(place.status, "raw", b"") for place in named} == {b""}
    assert [getattr(place.status, "raw", b"")[:4] for place in read] == [b"busy", b"busy", b""]
