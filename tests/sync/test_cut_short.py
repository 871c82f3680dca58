"""A collect that dies, or whose machine loses power, anywhere: the next one puts it right."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator

import pytest

from catalog.sync.collect import Collected, collect
from support.fleet import START_MS, Fleet, Member, a_snapshot
from support.mortal import Crash, MortalFiles

OLD = a_snapshot("h1", b"a/status\tbusy\\nv1 1\\n", b"b/status\tbusy\\nv1 1\\n", seq=5)
NEW = a_snapshot("h1", b"a/status\taway\\nv1 2\\n", b"c/status\tbusy\\nv1 2\\n", seq=6)
SAME_BEAT = NEW
LATER_BEAT = a_snapshot(
    "h1", b"a/status\taway\\nv1 2\\n", b"c/status\tbusy\\nv1 2\\n", seq=6, beat=START_MS + 5
)
SOUND = {
    "agents/h1/a/status": b"away\nv1 2\n",
    "agents/h1/c/status": b"busy\nv1 2\n",
}


def records(reader: Member) -> dict[str, bytes]:
    """The records of agents, without the host's own beat."""
    return {path: raw for path, raw in reader.records().items() if path.startswith("agents/")}


def files_of(reader: Member) -> MortalFiles:
    files = reader.site.files
    assert isinstance(files, MortalFiles)
    return files


def cut_short(fleet: Fleet, reader: Member, raw: bytes) -> Iterator[int]:
    """Let h1 go from OLD to *raw*, and the collect of it die before each of its changes."""
    for change in range(20):
        fleet.refs["h1"] = ("1" * 40, OLD)
        (reader.root / reader.site.layout.collected("h1")).unlink(missing_ok=True)
        shutil.rmtree(reader.root / "agents/h1", ignore_errors=True)
        collect(reader.site)
        fleet.refs["h1"] = ("2" * 40, raw)
        files_of(reader).crash_in = change
        try:
            collect(reader.site)
            break
        except Crash:
            files_of(reader).crash_in = None
            yield change
    files_of(reader).crash_in = None


@pytest.fixture
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """A fleet whose remote is a dictionary."""
    return Fleet(tmp_path_factory.mktemp("fleet"), in_memory=True)


class TestKilled:
    """Between any two changes of a collect."""

    @pytest.mark.parametrize("raw", [SAME_BEAT, LATER_BEAT], ids=["same beat", "later beat"])
    def test_the_next_collect_finishes_it(self, fleet: Fleet, raw: bytes) -> None:
        reader = fleet.host("h3")
        changes = 0
        for _ in cut_short(fleet, reader, raw):
            changes += 1
            assert collect(reader.site).refused == ()
            assert records(reader) == SOUND
        assert changes >= 5

    def test_what_it_has_shown_is_not_followed_by_anything_older(self, fleet: Fleet) -> None:
        reader = fleet.host("h3")
        for _ in cut_short(fleet, reader, LATER_BEAT):
            shown = records(reader)
            fleet.refs["h1"] = ("1" * 40, OLD)
            collect(reader.site)
            for path, raw in SOUND.items():
                assert shown.get(path) != raw or reader.read(path) == raw


class TestPowerCut:
    """What did not wait for the disk may be empty after it."""

    def test_a_record_that_came_back_empty_is_written_again(self, fleet: Fleet) -> None:
        reader = fleet.host("h3")
        fleet.refs["h1"] = ("2" * 40, NEW)
        collect(reader.site)
        for path in SOUND:
            (reader.root / path).write_bytes(b"")
        reader = fleet.host("h3", boot="boot-2")
        assert collect(reader.site).hosts == ("h1",)
        assert records(reader) == SOUND
        assert collect(reader.site).hosts == ()

    def test_where_a_boot_cannot_be_told_every_record_waits_for_the_disk(
        self, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        waited = self.waits(fleet, monkeypatch, boot="")
        assert {path for path, durable in waited if durable} >= set(SOUND)

    def test_else_what_was_accepted_waits_and_the_records_do_not(
        self, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        waited = self.waits(fleet, monkeypatch, boot="boot-1")
        assert {path for path, durable in waited if durable} == {".st2/h3/collected/h1"}

    def waits(
        self, fleet: Fleet, monkeypatch: pytest.MonkeyPatch, *, boot: str
    ) -> list[tuple[str, bool]]:
        seen: list[tuple[str, bool]] = []
        real: Callable[..., None] = MortalFiles.replace

        def watched(self: MortalFiles, path: str, data: bytes, **options: object) -> None:
            seen.append((path, bool(options.get("durable", True))))
            real(self, path, data, **options)

        monkeypatch.setattr(MortalFiles, "replace", watched)
        fleet.refs["h1"] = ("2" * 40, NEW)
        found: Collected = collect(fleet.host("h3", boot=boot).site)
        assert found.hosts == ("h1",)
        return [each for each in seen if not each[0].endswith("/node")]


def test_a_cache_of_objects_that_came_back_torn_is_made_anew(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    fleet = Fleet(tmp_path_factory.mktemp("real"))
    fleet.forge("h1", OLD)
    reader = fleet.host("h3")
    collect(reader.site)
    for path in (reader.own("read") / "objects").rglob("*"):
        if path.is_file():
            path.chmod(0o644)
            path.write_bytes(b"")
    (reader.root / "agents/h1/a/status").write_bytes(b"")
    found = collect(fleet.host("h3", boot="boot-2").site)
    assert (found.hosts, found.refused) == (("h1",), ())
    assert reader.read("agents/h1/a/status") == b"busy\nv1 1\n"
