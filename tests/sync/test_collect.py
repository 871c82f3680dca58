"""Collect: what others said, host by host; one bad host changes nothing of another's."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.reading import read_status
from catalog.seen import Content
from catalog.sync.collect import Collected, collect
from catalog.sync.publish import publish
from catalog.sync_errors import SyncFailed
from support.fleet import START_MS, Fleet, Member, a_snapshot

BUSY = rb"a1/status" + b"\tbusy\\nv1 5\\n"
AWAY = rb"a1/status" + b"\taway\\nv1 6\\n"
STATUS = "agents/h1/a1/status"


@pytest.fixture
def reader(fleet: Fleet) -> Member:
    """The host that collects; h1 and h2 are forged."""
    return fleet.host("h3")


def take(reader: Member) -> Collected:
    return collect(reader.site)


def written(path: Path) -> tuple[int, int]:
    """Which file it is and when its bytes were last written."""
    found = path.lstat()
    return found.st_ino, found.st_mtime_ns


class TestWriting:
    """What a snapshot carries stands here as it came."""

    def test_each_record_is_written_byte_for_byte_and_the_beat_beside_it(
        self, fleet: Fleet, reader: Member
    ) -> None:
        fleet.forge("h1", a_snapshot("h1", b"a1/seen\t\xff\\n\\\\", b"a1/session.json\t{}", BUSY))
        assert take(reader).hosts == ("h1",)
        assert reader.records() == {
            "agents/h1/a1/seen": b"\xff\n\\",
            "agents/h1/a1/session.json": b"{}",
            "agents/h1/a1/status": b"busy\nv1 5\n",
            "hosts/h1/beat": b"ffffffffffffffff\nv1 1800000000000\n",
        }

    def test_a_second_collect_writes_nothing(self, fleet: Fleet, reader: Member) -> None:
        fleet.forge("h1", a_snapshot("h1", BUSY))
        take(reader)
        before = {path: written(path) for path in reader.root.rglob("agents/**/*")}
        assert take(reader).hosts == ()
        assert {path: written(path) for path in before} == before

    def test_only_the_record_that_changed_is_written(self, fleet: Fleet, reader: Member) -> None:
        fleet.forge("h1", a_snapshot("h1", BUSY, b"b/status\tbusy\\nv1 5\\n", seq=1))
        take(reader)
        before = written(reader.root / "agents/h1/b/status")
        fleet.forge("h1", a_snapshot("h1", AWAY, b"b/status\tbusy\\nv1 5\\n", seq=2))
        take(reader)
        assert reader.read(STATUS) == b"away\nv1 6\n"
        assert written(reader.root / "agents/h1/b/status") == before

    def test_a_record_that_its_node_no_longer_publishes_is_removed(
        self, fleet: Fleet, reader: Member
    ) -> None:
        fleet.forge("h1", a_snapshot("h1", b"a1/seen\t-\\nv1 1\\n", BUSY, seq=1))
        take(reader)
        fleet.forge("h1", a_snapshot("h1", b"a1/seen\t-\\nv1 1\\n", seq=2))
        take(reader)
        assert reader.read(STATUS) is None
        assert reader.read("agents/h1/a1/seen") is not None

    def test_nothing_that_another_node_published_is_removed_ever(
        self, fleet: Fleet, reader: Member
    ) -> None:
        fleet.forge("h1", a_snapshot("h1", BUSY, node="a" * 16))
        take(reader)
        for seq in (1, 2, 3):
            fleet.forge("h1", a_snapshot("h1", node="b" * 16, seq=seq))
            assert take(reader).hosts == ("h1",)
        assert reader.read(STATUS) == b"busy\nv1 5\n"

    def test_what_came_by_other_means_is_not_removed(self, fleet: Fleet, reader: Member) -> None:
        fleet.forge("h1", a_snapshot("h1", BUSY, seq=1))
        take(reader)
        (reader.root / "agents/h1/a1/agent.kdl").write_text("agent\n")
        (reader.root / "agents/h1/b").mkdir()
        (reader.root / "agents/h1/b/status").write_text("busy\n")
        fleet.forge("h1", a_snapshot("h1", seq=2))
        take(reader)
        assert set(reader.records()) == {
            "agents/h1/a1/agent.kdl",
            "agents/h1/b/status",
            "hosts/h1/beat",
        }

    def test_a_host_whose_folder_was_taken_away_is_written_again(
        self, fleet: Fleet, reader: Member
    ) -> None:
        fleet.forge("h1", a_snapshot("h1", BUSY))
        take(reader)
        (reader.root / STATUS).unlink()
        (reader.root / "hosts/h1/beat").unlink()
        take(reader)
        assert reader.read(STATUS) == b"busy\nv1 5\n"

    def test_state_that_cannot_be_read_is_as_good_as_none(
        self, fleet: Fleet, reader: Member
    ) -> None:
        fleet.forge("h1", a_snapshot("h1", BUSY))
        take(reader)
        state = reader.root / reader.site.layout.collected("h1")
        for raw in (b"", b"[]", b"{}", b'{"seqs": 5}', b"\xff", b"[" * 100_000):
            state.write_bytes(raw)
            assert take(reader).hosts == ("h1",)


class TestCaseF24:
    """A one-line record's file time is its only clock, so it travels."""

    def test_the_file_time_of_a_legacy_record_is_set_here_to_the_millisecond(
        self, fleet: Fleet, reader: Member
    ) -> None:
        h1 = fleet.host("h1")
        h1.put("a1", "status", b"busy\n", mtime_ms=START_MS - 1_234)
        h1.put("a2", "status", b"busy\nv1 5\n", mtime_ms=1_000)
        h1.sync()
        take(reader)
        found = reader.site.files.read(STATUS)
        assert found == Content(b"busy\n", START_MS - 1_234)
        reading = read_status(found, now_ms=START_MS)
        assert (reading.state, reading.source, reading.age_ms) == ("busy", "mtime", 1_234)
        assert (reader.root / "agents/h1/a2/status").stat().st_mtime > 1_000

    def test_a_file_time_alone_is_a_change(self, fleet: Fleet, reader: Member) -> None:
        h1 = fleet.host("h1")
        for mtime_ms in (5_000, 6_000):
            h1.put("a1", "status", b"busy", mtime_ms=mtime_ms)
            h1.sync()
            take(reader)
            assert reader.site.files.read(STATUS) == Content(b"busy", mtime_ms)

    def test_a_file_time_before_1970_is_carried_too(self, fleet: Fleet, reader: Member) -> None:
        fleet.forge("h1", a_snapshot("h1", b"a1/status\tbusy\t-5000"))
        take(reader)
        assert reader.site.files.read(STATUS) == Content(b"busy", -5_000)


class TestNames:
    """Refs are named by anybody."""

    def test_a_ref_that_is_no_host_name_is_named_and_not_used(
        self, fleet: Fleet, reader: Member
    ) -> None:
        for name in ("H1", "a/b", "x.y", "-x"):
            fleet.forge(name, a_snapshot("h1", BUSY))
        found = take(reader)
        assert found.refused == tuple((n, "is no host name") for n in ("-x", "H1", "a/b", "x.y"))
        assert reader.records() == {}

    def test_this_hosts_own_folder_is_never_written(self, fleet: Fleet, reader: Member) -> None:
        reader.put("a1", "status", b"dnd\nv1 7\n")
        fleet.forge("h3", a_snapshot("h3", AWAY, b"b/status\taway\\nv1 6\\n"))
        found = take(reader)
        assert (found.hosts, found.refused) == ((), ())
        assert reader.records() == {"agents/h3/a1/status": b"dnd\nv1 7\n"}

    def test_of_two_agents_that_differ_by_case_the_first_is_kept_and_the_other_named(
        self, fleet: Fleet, reader: Member
    ) -> None:
        fleet.forge(
            "h1", a_snapshot("h1", b"Worker/seen\t-\\nv1 1\\n", b"worker/seen\t-\\nv1 2\\n")
        )
        found = take(reader)
        assert [(f.code, f.message) for f in found.findings] == [
            (
                "case-collision",
                "h1.worker: another agent's name differs by case alone, that one is kept",
            )
        ]
        assert reader.read("agents/h1/Worker/seen") == b"-\nv1 1\n"
        assert reader.read("agents/h1/worker/seen") is None
        assert take(reader).findings == found.findings


@pytest.mark.parametrize(("ahead_ms", "codes"), [(60_000, []), (60_001, ["clock-ahead"])])
def test_a_beat_more_than_a_minute_ahead_is_a_finding_and_the_records_are_kept(
    fleet: Fleet, reader: Member, ahead_ms: int, codes: list[str]
) -> None:
    fleet.forge("h1", a_snapshot("h1", BUSY, beat=START_MS + 2 + ahead_ms))
    found = take(reader)
    assert [each.code for each in found.findings] == codes
    assert reader.read(STATUS) == b"busy\nv1 5\n"


class TestFailure:
    """A collect that fails leaves the catalog as it is."""

    def test_a_remote_that_is_gone_changes_no_file(self, fleet: Fleet, reader: Member) -> None:
        fleet.forge("h1", a_snapshot("h1", BUSY))
        take(reader)
        before = reader.records()
        fleet.remote.rename(fleet.folder / "away")
        with pytest.raises(SyncFailed) as failed:
            take(reader)
        assert str(failed.value).startswith(f"collect from {fleet.remote}: git says: fatal: ")
        assert reader.records() == before

    def test_a_lock_that_a_killed_fetch_left_does_not_stop_the_next(
        self, fleet: Fleet, reader: Member
    ) -> None:
        fleet.forge("h1", a_snapshot("h1", BUSY, seq=1))
        take(reader)
        own = reader.own("read")
        (own / "refs/st2/presence/h1.lock").touch()
        fleet.forge("h1", a_snapshot("h1", AWAY, seq=2))
        assert take(reader).hosts == ("h1",)

    def test_a_cache_of_objects_that_was_lost_or_has_grown_is_made_anew(
        self, fleet: Fleet, reader: Member
    ) -> None:
        fleet.forge("h1", a_snapshot("h1", BUSY, seq=1))
        take(reader)
        own = reader.own("read")
        for number in range(2_001):
            (own / "objects" / "00").mkdir(exist_ok=True)
            (own / "objects" / "00" / f"{number:038x}").touch()
        fleet.forge("h1", a_snapshot("h1", AWAY, seq=2))
        assert take(reader).hosts == ("h1",)
        assert sum(path.is_file() for path in own.rglob("*")) < 100


class TestOrder:
    """Three hosts that sync in any order read the same in the end."""

    @pytest.mark.parametrize("order", list(permutations(range(3))))
    def test_every_order_gives_the_same_catalog(self, fleet: Fleet, order: tuple[int, ...]) -> None:
        members = [fleet.host(name) for name in ("h1", "h2", "h3")]
        for number, member in enumerate(members):
            member.put("a1", "status", b"busy\nv1 %d\n" % number)
        for _ in range(2):
            for index in order:
                members[index].sync()
        for member in members:
            collect(member.site)
        assert members[0].records() == members[1].records() == members[2].records()

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        st.lists(
            st.tuples(st.sampled_from("pc"), st.integers(0, 2), st.binary(max_size=9)), max_size=12
        )
    )
    def test_any_interleaving_of_publish_and_collect_ends_the_same(
        self, tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, int, bytes]]
    ) -> None:
        fleet = Fleet(tmp_path_factory.mktemp("fleet"), in_memory=True)
        members = [fleet.host(name) for name in ("h1", "h2", "h3")]
        for kind, index, raw in acts:
            if kind == "p":
                members[index].put("a1", "status", raw)
                publish(members[index].site)
            else:
                collect(members[index].site)
        for member in members:
            publish(member.site)
        for member in members:
            collect(member.site)
        assert members[0].records() == members[1].records() == members[2].records()
