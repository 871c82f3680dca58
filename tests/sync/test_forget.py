"""Forgetting a host takes its word back; a remote that lost its refs takes back nobody's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from errno import EIO
from pathlib import Path
from typing import Any

import pytest

from catalog.refusals import ForeignHost
from catalog.seen import Unreadable
from catalog.sync.collect import collect
from catalog.sync.forget import forget
from catalog.sync.hosts import known_hosts
from catalog.sync.publish import publish
from catalog.sync_errors import SyncFailed
from catalog.system.files import Files
from catalog.windows import FORGOTTEN_MS, STALE_MS
from support.fleet import Fleet, Member, a_snapshot
from support.keys import Keys, demand, signing
from support.mortal import Crash, MortalFiles

STATUS = "agents/h2/a1/status"
DECLARED = "agents/h2/a1/agent.kdl"


def void(seq: int, *lines: bytes) -> bytes:
    """A snapshot of h2 whose host was forgotten at its number."""
    return a_snapshot("h2", *lines, seq=seq).replace(b"\n\n", b"\nforgotten %d\n\n" % seq, 1)


@pytest.fixture
def reader(fleet: Fleet) -> Member:
    """h1, which has heard h2 and has its declaration."""
    h1, h2 = fleet.host("h1"), fleet.host("h2")
    h2.put("a1", "status", b"busy\nv1 5\n")
    h2.put("a2", "seen", b"-\nv1 5\n")
    publish(h2.site)
    collect(h1.site)
    (h1.root / DECLARED).write_text('agent "a1"\n')
    h1.put("own", "status", b"away\nv1 5\n")
    return h1


def names(member: Member) -> set[str]:
    return {path for path in member.records() if path.startswith(("agents/h2", "hosts/h2"))}


def failing_at(place: str, scan: Callable[[Files, str], Any]) -> Callable[[Files, str], Any]:
    """The same *scan*, but that the disk fails at *place*."""

    def failing(files: Files, path: str) -> Any:
        return Unreadable("input/output error", EIO) if path == place else scan(files, path)

    return failing


class TestReaders:
    """The runtime records go, declarations stay."""

    def test_all_records_of_the_host_go_whoever_brought_them(
        self, fleet: Fleet, reader: Member
    ) -> None:
        for path in ("agents/h2/a1/held", "agents/h2/old/session.json"):
            (reader.root / path).parent.mkdir(exist_ok=True)
            (reader.root / path).write_text("by other means\n")
        other = fleet.host("h3")
        collect(other.site)
        forget(other.site, "h2", force=True)
        assert names(other) == set()
        collect(reader.site)
        assert names(reader) == {DECLARED}
        assert reader.read("agents/h1/own/status") is not None

    def test_a_second_collect_writes_nothing(self, fleet: Fleet, reader: Member) -> None:
        forget(reader.site, "h2", force=True)
        assert isinstance(reader.site.files, MortalFiles)
        reader.site.files.changes.clear()
        assert collect(reader.site).hosts == ()
        assert reader.site.files.changes == [reader.site.layout.polled()]

    def test_a_ref_that_is_gone_and_a_remote_that_was_emptied_wipe_nobody(
        self, fleet: Fleet, reader: Member
    ) -> None:
        before = names(reader)
        fleet.git("update-ref", "-d", "refs/st2/presence/h2")
        for _ in range(2):
            assert collect(reader.site).refused == ()
            assert names(reader) == before

    def test_a_host_that_lives_comes_back_with_its_next_publish(
        self, fleet: Fleet, reader: Member
    ) -> None:
        forget(reader.site, "h2", force=True)
        back = publish(fleet.host("h2").site)
        assert back.findings == ()
        collect(reader.site)
        assert names(reader) == {DECLARED, STATUS, "agents/h2/a2/seen", "hosts/h2/beat"}

    def test_whoever_missed_the_word_sees_it_in_the_publish_after_it(
        self, fleet: Fleet, reader: Member
    ) -> None:
        h2 = fleet.host("h2")
        forget(h2.site, "h2", force=False)
        (h2.root / "agents/h2/a2/seen").unlink()
        publish(h2.site)
        publish(h2.site)
        (reader.root / "agents/h2/old").mkdir()
        (reader.root / "agents/h2/old/status").write_bytes(b"busy\nv1 5\n")
        collect(reader.site)
        assert names(reader) == {DECLARED, STATUS, "hosts/h2/beat"}
        (reader.root / "agents/h2/old/status").write_bytes(b"busy\nv1 5\n")
        publish(h2.site)
        collect(reader.site)
        assert "agents/h2/old/status" in names(reader), "it is carried out once"

    def test_so_does_whoever_missed_what_another_host_said(
        self, fleet: Fleet, reader: Member
    ) -> None:
        forget(fleet.host("h3").site, "h2", force=True)
        h2 = fleet.host("h2")
        for name in ("a1/status", "a2/seen"):
            (h2.root / "agents/h2" / name).unlink()
        (reader.root / "agents/h2/old").mkdir()
        (reader.root / "agents/h2/old/status").write_bytes(b"busy\nv1 5\n")
        publish(h2.site)
        publish(h2.site)
        collect(reader.site)
        assert names(reader) == {DECLARED, "hosts/h2/beat"}

    def test_a_collect_that_dies_anywhere_is_finished_by_the_next(
        self, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        for change in range(20):
            fleet = Fleet(tmp_path_factory.mktemp("fleet"), in_memory=True)
            h1 = fleet.host("h1")
            fleet.refs["h2"] = ("1" * 40, a_snapshot("h2", b"a/status\tbusy\\nv1 1\\n", seq=5))
            collect(h1.site)
            (h1.root / "agents/h2/b").mkdir()
            (h1.root / "agents/h2/b/seen").write_bytes(b"-\nv1 1\n")
            fleet.refs["h2"] = ("2" * 40, void(6))
            files: Any = h1.site.files
            files.crash_in = change
            try:
                collect(h1.site)
                break
            except Crash:
                files.crash_in = None
            collect(h1.site)
            assert names(h1) == set(), change
        assert change > 4

    @pytest.mark.parametrize("place", ["agents/h2", "agents/h2/b"])
    def test_a_folder_that_cannot_be_listed_once_keeps_no_record_for_ever(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
    ) -> None:
        fleet = Fleet(tmp_path, in_memory=True)
        h1 = fleet.host("h1")
        (h1.root / "agents/h2/b").mkdir(parents=True)
        (h1.root / "agents/h2/b/seen").write_bytes(b"-\nv1 1\n")
        fleet.refs["h2"] = ("2" * 40, void(6))
        with monkeypatch.context() as once:
            once.setattr(MortalFiles, "scan", failing_at(place, MortalFiles.scan))
            assert collect(h1.site).refused == (
                ("h2", f"cannot be written here: {place}: input/output error"),
            )
        assert collect(h1.site).refused == ()
        assert names(h1) == set()


class TestRefused:
    """What is not forgotten, and why."""

    def test_another_host_without_force(self, reader: Member) -> None:
        with pytest.raises(ForeignHost) as refused:
            forget(reader.site, "h2", force=False)
        assert str(refused.value) == "host h2: another host, wanted this one, h1"

    def test_this_one_while_nobody_can_tell_what_it_runs(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        (h1.root / "agents/h1").write_bytes(b"")
        with pytest.raises(SyncFailed) as refused:
            forget(h1.site, "h1", force=False)
        found = "lies under something that is no folder"
        assert str(refused.value) == f"agents/h1: {found}, wanted this host's records"

    def test_a_host_that_nobody_knows(self, reader: Member) -> None:
        with pytest.raises(SyncFailed, match=r"^host h9: known neither here nor at the remote"):
            forget(reader.site, "h9", force=True)

    def test_a_host_that_publishes_meanwhile(self, fleet: Fleet, reader: Member) -> None:
        exchange, h2 = reader.site.exchange, fleet.host("h2")

        class Raced:
            def __getattr__(self, name: str) -> Any:
                return getattr(exchange, name)

            def fetch(self) -> Any:
                found = exchange.fetch()
                publish(h2.site)
                return found

        raced: Any = Raced()
        with pytest.raises(SyncFailed, match=r"^host h2: it published a moment ago, so it lives"):
            forget(replace(reader.site, exchange=raced), "h2", force=True)
        collect(reader.site)
        assert STATUS in names(reader)

    def test_where_signatures_are_required_only_a_key_that_is_listed_for_it_may(
        self, fleet: Fleet, reader: Member, tmp_path: Path
    ) -> None:
        keys = Keys(tmp_path / "keys")
        tip = fleet.tip("h2")
        signing(reader, keys.path("k1"))
        demand(reader, "require", keys.line("h1", "k1"))
        reader.sync()
        with pytest.raises(SyncFailed, match="signatures are required, and this host's key"):
            forget(reader.site, "h2", force=True)
        assert fleet.tip("h2") == tip
        demand(reader, "require", keys.line("h1,h2", "k1"))
        forget(reader.site, "h2", force=True)
        assert names(reader) == {DECLARED}


class TestRef:
    """The word stays at the remote until all can have heard it."""

    def test_its_ref_is_deleted_by_the_same_command_15_min_later(
        self, fleet: Fleet, reader: Member
    ) -> None:
        forget(reader.site, "h2", force=True)
        fleet.now_ms += STALE_MS - 1_000
        with pytest.raises(SyncFailed, match="forgotten 899 s ago, wanted 900 s"):
            forget(reader.site, "h2", force=True)
        fleet.now_ms += 1_000
        assert forget(reader.site, "h2", force=True).deleted
        assert fleet.tip("h2") == ""
        assert names(reader) == {DECLARED}

    def test_what_is_no_snapshot_is_replaced_by_the_word(
        self, fleet: Fleet, reader: Member
    ) -> None:
        fleet.forge("h2", b"junk")
        forget(reader.site, "h2", force=True)
        assert fleet.published("h2").is_forgotten
        assert names(reader) == {DECLARED}

    def test_where_a_ref_is_broken_so_that_git_takes_nothing_the_way_out_is_told(
        self, fleet: Fleet, reader: Member
    ) -> None:
        (fleet.remote / "refs/st2/presence/h2").write_text("")
        with pytest.raises(SyncFailed, match="refs/st2/presence/h2 is broken at the remote"):
            forget(reader.site, "h2", force=True)
        assert STATUS in names(reader)

    def test_a_number_from_a_forged_future_does_not_keep_the_word_out(
        self, fleet: Fleet, reader: Member
    ) -> None:
        fleet.forge("h2", a_snapshot("h2", seq=2**63 - 1))
        forget(reader.site, "h2", force=True)
        assert names(reader) == {DECLARED}

    def test_the_name_of_a_host_that_was_forgotten_is_free_for_a_new_machine(
        self, fleet: Fleet, reader: Member
    ) -> None:
        forget(reader.site, "h2", force=True)
        fresh = fleet.host("h2", place="h2-anew")
        fresh.put("b", "status", b"busy\nv1 9\n")
        publish(fresh.site)
        collect(reader.site)
        assert names(reader) == {DECLARED, "agents/h2/b/status", "hosts/h2/beat"}

    def test_it_is_listed_as_forgotten_for_a_day(self, fleet: Fleet, reader: Member) -> None:
        (reader.root / DECLARED).unlink()
        forget(reader.site, "h2", force=True)
        files, layout = reader.site.files, reader.site.layout

        def listed() -> list[tuple[str, bool]]:
            found = known_hosts(files, layout, now_ms=fleet.now_ms)
            return [(host.name, host.forgotten) for host in found]

        assert listed() == [("h1", False), ("h2", True)]
        fleet.now_ms += FORGOTTEN_MS
        assert listed() == [("h1", False)]
