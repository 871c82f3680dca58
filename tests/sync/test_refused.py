"""What is refused of a host's snapshot, by its reason; the others are current (case X7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.reading import read_status
from catalog.snapshot import SNAPSHOT_BYTES, Refused
from catalog.sync.collect import Collected, collect
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


class TestCaseX7:
    """Refused with its reason; the host keeps its last good records, the others are current."""

    @pytest.fixture(autouse=True)
    def _heard_once(self, fleet: Fleet, reader: Member) -> None:
        fleet.forge("h1", a_snapshot("h1", BUSY, seq=5))
        take(reader)

    def refused(self, fleet: Fleet, reader: Member) -> str:
        """Collect beside a good second host; return why h1 was refused."""
        fleet.forge("h2", a_snapshot("h2", AWAY))
        found = take(reader)
        assert found.hosts == ("h2",)
        assert reader.read("agents/h2/a1/status") == b"away\nv1 6\n"
        assert reader.read(STATUS) == b"busy\nv1 5\n"
        assert reader.read("hosts/h1/beat") == b"ffffffffffffffff\nv1 1800000000000\n"
        [(host, why)] = found.refused
        assert host == "h1"
        assert take(reader).refused == found.refused
        return why

    def test_a_snapshot_of_host_2_under_host_1s_ref(self, fleet: Fleet, reader: Member) -> None:
        fleet.forge("h1", a_snapshot("h2", AWAY, seq=6))
        assert self.refused(fleet, reader) == "speaks for host 'h2' under the ref of h1"

    def test_a_path_that_leads_out_of_the_hosts_folder(self, fleet: Fleet, reader: Member) -> None:
        fleet.forge("h1", a_snapshot("h1", b"../h2/status\tx\\ny", seq=6))
        assert self.refused(fleet, reader) == (
            "path '../h2/status', wanted an agent's name and a record"
        )

    @pytest.mark.parametrize("mode", ["120000", "100755"])
    def test_a_symlink_or_an_executable(self, fleet: Fleet, reader: Member, mode: str) -> None:
        fleet.forge("h1", a_snapshot("h1", AWAY, seq=6), mode=mode)
        assert self.refused(fleet, reader) == "its tree is not one plain file named snapshot"

    def test_a_file_of_another_name(self, fleet: Fleet, reader: Member) -> None:
        fleet.forge("h1", a_snapshot("h1", AWAY, seq=6), name="snapshet")
        assert self.refused(fleet, reader) == "its tree is not one plain file named snapshot"

    def test_a_tree_with_more_in_it(self, fleet: Fleet, reader: Member) -> None:
        blob = fleet.git("hash-object", "-w", "--stdin", stdin=a_snapshot("h1", AWAY, seq=6))
        both = f"100644 blob {blob}\tsnapshot\n100644 blob {blob}\tx\n".encode()
        tree = fleet.git("mktree", stdin=both)
        fleet.point("h1", fleet.git("commit-tree", "-m", "x", tree))
        assert self.refused(fleet, reader) == "its tree is not one plain file named snapshot"

    @pytest.mark.parametrize("kind", ["blob", "tree", "tag"])
    def test_a_ref_that_holds_no_commit(self, fleet: Fleet, reader: Member, kind: str) -> None:
        blob = fleet.git("hash-object", "-w", "--stdin", stdin=a_snapshot("h1", AWAY, seq=6))
        tree = fleet.git("mktree", stdin=f"100644 blob {blob}\tsnapshot\n".encode())
        commit = fleet.git("commit-tree", "-m", "x", tree)
        fleet.git("tag", "-am", "x", "t", commit)
        fleet.point("h1", {"blob": blob, "tree": tree, "tag": fleet.git("rev-parse", "t")}[kind])
        assert self.refused(fleet, reader) == f"its ref holds a {kind}, wanted a commit"

    def test_a_snapshot_over_the_size_limit_is_not_unpacked(
        self, fleet: Fleet, reader: Member
    ) -> None:
        tip = fleet.forge("h1", bytes(SNAPSHOT_BYTES + 1))
        reader.site.exchange.fetch()
        [(_, unread)] = reader.site.exchange.snapshots({"h1": tip})
        assert isinstance(unread, Refused)
        assert self.refused(fleet, reader) == (
            "too large: it was left at the remote, wanted at most 16777216 bytes"
        )

    def test_more_records_than_the_limit(self, fleet: Fleet, reader: Member) -> None:
        fleet.forge("h1", a_snapshot("h1", b"\n" * 200_000, seq=6))
        assert self.refused(fleet, reader) == "more than 200000 records"

    def test_an_unknown_record_name(self, fleet: Fleet, reader: Member) -> None:
        fleet.forge("h1", a_snapshot("h1", b"a1/agent.kdl\tx\\ny", seq=6))
        assert self.refused(fleet, reader).startswith("record 'agent.kdl', wanted one of activity")

    @pytest.mark.parametrize("seq", [4, 5])
    def test_a_number_of_the_same_node_that_is_not_above_the_last(
        self, fleet: Fleet, reader: Member, seq: int
    ) -> None:
        fleet.forge("h1", a_snapshot("h1", AWAY, seq=seq))
        assert self.refused(fleet, reader) == (
            f"seq {seq} is not above 5 of the same node ffffffffffffffff: a replay"
        )

    def test_a_replay_of_an_earlier_node_after_it_was_replaced(
        self, fleet: Fleet, reader: Member
    ) -> None:
        fleet.forge("h1", a_snapshot("h1", BUSY, node="b" * 16, seq=1))
        take(reader)
        fleet.forge("h1", a_snapshot("h1", AWAY, seq=5))
        [(_, why)] = take(reader).refused
        assert why == "seq 5 is not above 5 of the same node ffffffffffffffff: a replay"
        assert reader.read(STATUS) == b"busy\nv1 5\n"

    def test_a_record_that_cannot_be_written_here(self, fleet: Fleet, reader: Member) -> None:
        (reader.root / "agents/h1/b").symlink_to("/nowhere")
        away = b"b/status\taway\\nv1 6\\n"
        fleet.forge("h1", a_snapshot("h1", BUSY, away, seq=6, beat=START_MS + 1))
        assert self.refused(fleet, reader).startswith("cannot be written here: ")

    def test_a_folder_that_is_a_symlink_is_not_written_through(
        self, fleet: Fleet, reader: Member, tmp_path: Path
    ) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        (reader.root / "agents/h4").symlink_to(outside)
        fleet.forge("h4", a_snapshot("h4", BUSY))
        assert [host for host, _ in take(reader).refused] == ["h4"]
        assert list(outside.iterdir()) == []

    def test_a_stamp_an_hour_ahead_is_stored_and_reads_unknown(
        self, fleet: Fleet, reader: Member
    ) -> None:
        ahead = START_MS + 3_600_000
        fleet.forge("h1", a_snapshot("h1", b"a1/status\tbusy\\nv1 %d\\n" % ahead, seq=6))
        assert take(reader).hosts == ("h1",)
        reading = read_status(reader.site.files.read(STATUS), now_ms=START_MS)
        assert (reading.state, reading.why) == ("unknown", "future")

    def test_a_good_snapshot_after_a_bad_one_is_taken(self, fleet: Fleet, reader: Member) -> None:
        fleet.forge("h1", b"hello")
        take(reader)
        fleet.forge("h1", a_snapshot("h1", AWAY, seq=6))
        found = take(reader)
        assert (found.hosts, found.refused) == (("h1",), ())
        assert reader.read(STATUS) == b"away\nv1 6\n"
