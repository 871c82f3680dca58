"""Cut off, full, restored, deleted: what a reader reads, and how soon it is right again."""

from __future__ import annotations

from errno import ENOSPC
from pathlib import Path

import pytest

from catalog.assess import assess_agent
from catalog.reader import Reader
from catalog.sync.round import Report
from catalog.windows import STALE_MS
from support.mortal import MortalFiles
from sync.model.line import Offer
from sync.model.place import Place
from sync.model.remote import MemoryRemote

MINUTE_MS = 60_000


class Two:
    """h1 with an agent that beats, h2 that reads, and one clock."""

    def __init__(self, folder: Path) -> None:
        self.far = MemoryRemote(folder)
        sent: list[Offer] = []
        self.h1 = Place(folder, "h1", "h1", self.far, sent)
        self.h2 = Place(folder, "h2", "h2", self.far, sent)
        self.h1.start("a")
        self.h1.beat("a")

    def pass_ms(self, ms: int) -> None:
        """Let time pass on both."""
        for place in (self.h1, self.h2):
            place.now_ms += ms

    def sync(self, place: Place) -> Report:
        report = place.sync()
        assert report is not None
        return report

    def both(self) -> None:
        """A publish of h1, then a collect of h2."""
        self.sync(self.h1)
        self.sync(self.h2)

    def reads(self) -> tuple[str, str]:
        """The word that h2 has of h1's agent, and why."""
        reader = Reader(self.h2.files, self.h2.layout)
        found = assess_agent(reader, "h1", "a", look=None, now_ms=self.h2.now_ms)
        return found.presence.state, found.presence.why


@pytest.fixture
def two(tmp_path: Path) -> Two:
    """Both have synced once."""
    made = Two(tmp_path)
    made.both()
    assert made.reads() == ("available", "fresh")
    return made


class TestPartition:
    """The remote is there for nobody; agents go on."""

    def test_what_is_read_ages_into_unknown_and_is_right_one_publish_and_one_collect_later(
        self, two: Two
    ) -> None:
        two.far.gone(True)
        words = []
        for _ in range(20):
            two.pass_ms(MINUTE_MS)
            two.h1.beat("a")
            report = two.sync(two.h2)
            assert report.uncollected is not None
            words.append(two.reads())
        assert set(words) == {("available", "fresh"), ("unknown", "host-not-heard")}
        assert words.index(("unknown", "host-not-heard")) + 1 == STALE_MS // MINUTE_MS
        two.far.gone(False)
        two.both()
        assert two.reads() == ("available", "fresh")

    def test_an_end_during_it_is_read_one_publish_and_one_collect_after_it(self, two: Two) -> None:
        two.far.gone(True)
        two.h1.end("a")
        two.sync(two.h2)
        assert two.reads() == ("available", "fresh")
        two.far.gone(False)
        two.both()
        assert two.reads() == ("offline", "ended")


class TestRemote:
    """What its keeper may do to it."""

    def test_a_ref_that_was_deleted_wipes_no_row_and_comes_back_with_the_next_publish(
        self, two: Two
    ) -> None:
        two.far.delete("h1")
        two.sync(two.h2)
        assert two.reads() == ("available", "fresh")
        two.h1.set("a", "busy")
        two.both()
        assert two.reads() == ("busy", "fresh")

    def test_an_older_backup_changes_no_row_and_the_next_publish_is_taken(self, two: Two) -> None:
        two.far.backup()
        two.h1.set("a", "busy")
        two.both()
        two.far.restore()
        assert "a replay" in dict(two.sync(two.h2).collected.refused)["h1"]
        assert two.reads() == ("busy", "fresh")
        two.h1.set("a", "away")
        two.both()
        assert two.reads() == ("away", "fresh")


class TestDiskFull:
    """No space on the reader's disk."""

    def test_what_cannot_be_written_is_told_and_the_first_collect_with_space_has_it(
        self, two: Two, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        two.h1.set("a", "busy")
        two.sync(two.h1)
        with monkeypatch.context() as full:
            full.setattr(MortalFiles, "replace", self.no_space)
            report = two.sync(two.h2)
        assert "no space left" in str(report.uncollected)
        assert "no space left" in str(report.unpublished)
        assert two.reads() == ("available", "fresh")
        assert two.sync(two.h2).failed is None
        assert two.reads() == ("busy", "fresh")

    def no_space(self, path: str, data: bytes, **options: object) -> None:
        raise OSError(ENOSPC, "No space left on device", path)


class TestClock:
    """A host's clock is set, and set right again."""

    def test_two_days_ahead_it_is_refused_and_told_and_a_new_node_is_heard_at_once(
        self, two: Two
    ) -> None:
        two.h1.now_ms += 2 * STALE_MS * 96
        two.both()
        two.h1.now_ms = two.h2.now_ms
        assert "seq ahead" in dict(two.sync(two.h2).collected.refused)["h1"]
        report = two.sync(two.h1)
        assert [each.code for each in report.findings] == ["seq-ahead"]
        two.h1.set("a", "busy")
        two.h1.replace_node()
        two.sync(two.h2)
        assert two.reads() == ("busy", "fresh")
