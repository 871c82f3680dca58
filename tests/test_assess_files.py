"""An agent's files, as they lie in a catalog, put together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from catalog import heard as hearing
from catalog.assess import assess_agent, host_beat_ms, local_fault
from catalog.finding import Finding
from catalog.heard import Heard
from catalog.layout import Layout
from catalog.reader import Reader
from catalog.seen import Content, Missing, Unreadable
from catalog.system.files import Files
from catalog.witness import Sight
from catalogs import T, agent, claim, record
from test_assess import ENDED, STATUS


class TestFiles:
    """The same from the files of a catalog."""

    @pytest.fixture
    def reader(self, catalog_dir: Path) -> Reader:
        return Reader(Files(str(catalog_dir)), Layout(str(catalog_dir), "h1"))

    def test_an_agents_files_are_read_with_what_was_heard_of_its_host(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        session = claim(host="h2", **ENDED)
        agent(catalog_dir, host="h2", status=record("busy", T - 900_000), session=session)
        (catalog_dir / "hosts/h2").mkdir(parents=True)
        (catalog_dir / "hosts/h2/beat").write_bytes(record("0123456789abcdef", T))
        hearing.save(reader.files, reader.layout, "h2", Heard(T, doubt="nobody signed"))
        look = {"look": lambda known: Sight("alive", 1, None), "now_ms": T}
        found = assess_agent(reader, "h2", "a1", **look)  # type: ignore[arg-type]
        assert found.claim == session
        assert [each.code for each in found.findings] == ["signature-doubted"]
        agent(catalog_dir, host="h2", status=b"busy\nv1 x\n")
        alone = assess_agent(reader, "h2", "a1", look=None, now_ms=T)
        assert [each.path for each in alone.findings] == [STATUS.format("h2")]
        agent(catalog_dir, host="h2", status=record("busy", T - 900_000))
        alone = assess_agent(reader, "h2", "a1", look=None, now_ms=T)
        assert alone.findings == ()

    def test_an_agent_of_here_is_seen(self, reader: Reader, catalog_dir: Path) -> None:
        agent(catalog_dir, status=record("busy", T), session=claim())
        seen = Sight("alive", 1, True)
        assert assess_agent(reader, "h1", "a1", look=lambda known: seen, now_ms=T).sight == seen

    def test_a_word_that_was_set_after_the_end_counts(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        agent(catalog_dir, status=record("busy", T), session=claim(**{**ENDED, "ended_ms": T - 1}))
        assert assess_agent(reader, "h1", "a1", look=None, now_ms=T).presence.state == "busy"

    def test_what_is_wrong_with_a_record_is_told_before_what_is_with_its_owner(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        agent(catalog_dir, status=b"busy\nv1 x\n", session=claim())
        seen = Sight("alive", 1, False)
        found = assess_agent(reader, "h1", "a1", look=lambda known: seen, now_ms=T)
        assert [each.code for each in found.findings] == ["malformed", "owner-lost"]

    def test_a_beat_that_lies_ahead_is_told_of_its_host(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        agent(catalog_dir, host="h2", status=record("busy", T))
        (catalog_dir / "hosts/h2").mkdir(parents=True)
        (catalog_dir / "hosts/h2/beat").write_bytes(record("0123456789abcdef", T + 600_000))
        seen = Sight("alive", 1, True)
        found = assess_agent(reader, "h2", "a1", look=lambda known: seen, now_ms=T)
        [finding] = found.findings
        assert (finding.code, finding.message[:17]) == ("clock-ahead", "h2: its clock is ")

    def test_a_silent_agent_of_a_host_that_publishes(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        agent(catalog_dir, host="h2", status=record("busy", T - 900_000))
        (catalog_dir / "hosts/h2").mkdir(parents=True)
        (catalog_dir / "hosts/h2/beat").write_bytes(record("0123456789abcdef", T))
        assert assess_agent(reader, "h2", "a1", look=None, now_ms=T).presence.why == "silent"

    def test_a_folder_of_this_host_that_others_may_write_is_a_fault(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        assert local_fault(reader.files, reader.layout) is None
        own = catalog_dir / ".st2/h1"
        own.mkdir(parents=True, mode=0o700)
        (catalog_dir / ".st2").chmod(0o700)
        assert local_fault(reader.files, reader.layout) is None
        (catalog_dir / ".st2").chmod(0o777)
        fault = local_fault(reader.files, reader.layout)
        assert isinstance(fault, Finding)
        assert (fault.code, fault.path) == ("local-state-unsafe", ".st2")
        assert fault.message.endswith("; process evidence is not used")


@pytest.mark.parametrize(
    ("found", "beat_ms"),
    [
        (Content(record("0123456789abcdef", 5), 7), 5),
        (Content(b"0123456789abcdef\n", 7), None),
        (Content(b"", 7), None),
        (Missing(), None),
        (Unreadable("x"), None),
    ],
)
def test_a_host_beat_is_a_stamp_beside_any_word(found: Any, beat_ms: int | None) -> None:
    assert host_beat_ms(found) == beat_ms
