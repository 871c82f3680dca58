"""What publish and collect ask of a remote: the dictionary and git answer alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.layout import Layout
from catalog.sync_errors import SyncFailed
from catalog.system.files import Files
from support.fleet import a_snapshot, private_home
from sync.model.remote import BROKEN, FarEnd, GitRemote, MemoryRemote, Port

ONE, TWO = a_snapshot("h1", seq=1), a_snapshot("h1", seq=2)
NOTHING_AT = "3" * 40


@pytest.fixture(params=[MemoryRemote, GitRemote])
def far(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FarEnd:
    """A remote that nobody has pushed to."""
    monkeypatch.setenv("HOME", str(private_home(tmp_path / "home")))
    made: FarEnd = request.param(tmp_path)
    return made


@pytest.fixture
def port_of(far: FarEnd, tmp_path: Path) -> Callable[[str], Port]:
    """A function: one host's way to the remote."""

    def port(host: str) -> Port:
        (tmp_path / host).mkdir(exist_ok=True)
        layout = Layout(str(tmp_path / host), host)
        return far.port(Files(layout.root), layout, f"machine of {host}")

    return port


@pytest.fixture
def h1(port_of: Callable[[str], Port]) -> Port:
    """Host h1's way to the remote."""
    return port_of("h1")


def push(port: Port, raw: bytes, lease: str | None) -> str:
    """Push, to be taken."""
    pushed = port.push(raw, at_ms=1_000, lease=lease)
    assert pushed.accepted, pushed.words
    return pushed.oid


class TestPush:
    """A push is taken where its lease holds, and changes nothing where not."""

    def test_a_first_one_has_an_empty_lease(self, far: FarEnd, h1: Port) -> None:
        oid = push(h1, ONE, "")
        assert (h1.fetch().tips, far.peek("h1")) == ({"h1": oid}, ONE)

    @pytest.mark.parametrize("lease", ["", NOTHING_AT])
    def test_another_lease_than_what_is_there_changes_nothing(
        self, far: FarEnd, h1: Port, lease: str
    ) -> None:
        push(h1, ONE, "")
        pushed = h1.push(TWO, at_ms=2_000, lease=lease)
        assert (pushed.accepted, pushed.lease_failed, pushed.race) == (False, True, True)
        assert far.peek("h1") == ONE

    def test_a_lease_on_what_is_gone_changes_nothing(self, far: FarEnd, h1: Port) -> None:
        oid = push(h1, ONE, "")
        far.delete("h1")
        assert h1.push(TWO, at_ms=2_000, lease=oid).lease_failed
        assert far.peek("h1") is None

    def test_the_lease_of_the_last_one_replaces_it(self, far: FarEnd, h1: Port) -> None:
        push(h1, TWO, push(h1, ONE, ""))
        assert far.peek("h1") == TWO

    def test_without_a_lease_it_replaces_whatever_is_there(self, far: FarEnd, h1: Port) -> None:
        far.force("h1", b"anything")
        push(h1, ONE, None)
        assert far.peek("h1") == ONE

    def test_one_that_was_late_is_stale_once_another_was_taken(self, far: FarEnd, h1: Port) -> None:
        first = push(h1, ONE, "")
        push(h1, TWO, first)
        assert h1.push(a_snapshot("h1", seq=3), at_ms=1_000, lease=first).lease_failed
        assert far.peek("h1") == TWO

    @pytest.mark.parametrize("kind", BROKEN)
    def test_a_broken_ref_beside_ours_stops_no_push_or_is_named(
        self, far: FarEnd, h1: Port, kind: str
    ) -> None:
        oid = push(h1, ONE, "")
        far.damage("h2", kind)
        pushed = h1.push(TWO, at_ms=2_000, lease=oid)
        assert pushed.accepted or "h2" in pushed.words
        assert far.peek("h1") == (TWO if pushed.accepted else ONE)

    def test_a_remote_that_is_gone_takes_nothing_and_is_no_race(
        self, far: FarEnd, h1: Port
    ) -> None:
        far.gone(True)
        pushed = h1.push(ONE, at_ms=1_000, lease="")
        assert (pushed.accepted, pushed.race) == (False, False)


class TestAnotherHosts:
    """The word that a host is forgotten, and the removal of its ref."""

    def test_a_push_to_the_ref_of_another_host_is_under_the_same_lease(
        self, far: FarEnd, port_of: Callable[[str], Port]
    ) -> None:
        oid = push(port_of("h1"), ONE, "")
        other, ref = port_of("h2"), port_of("h1").ref
        assert other.push(TWO, at_ms=2_000, lease="", ref=ref).lease_failed
        assert other.push(TWO, at_ms=2_000, lease=oid, ref=ref).accepted
        assert (far.peek("h1"), far.peek("h2")) == (TWO, None)

    def test_a_ref_is_deleted_once(self, far: FarEnd, port_of: Callable[[str], Port]) -> None:
        push(port_of("h1"), ONE, "")
        ref = port_of("h1").ref
        assert port_of("h2").delete("h1", force=True) == (ref,)
        assert far.peek("h1") is None
        assert port_of("h2").delete("h1", force=True) == ()


class TestFetch:
    """Every host's tip, in one answer."""

    def test_a_remote_without_refs_has_no_tips(self, h1: Port) -> None:
        found = h1.fetch()
        assert (found.tips, found.refused) == ({}, {})

    def test_every_host_is_there_and_its_snapshot_can_be_read(
        self, far: FarEnd, port_of: Callable[[str], Port]
    ) -> None:
        push(port_of("h1"), ONE, "")
        push(port_of("h2"), b"bytes of h2", "")
        reader = port_of("h3")
        tips = reader.fetch().tips
        assert set(tips) == {"h1", "h2"}
        assert dict(reader.snapshots(tips)) == {"h1": ONE, "h2": b"bytes of h2"}

    def test_a_ref_that_is_gone_has_no_tip_any_more(self, far: FarEnd, h1: Port) -> None:
        push(h1, ONE, "")
        h1.fetch()
        far.delete("h1")
        assert h1.fetch().tips == {}

    @pytest.mark.parametrize("kind", BROKEN)
    def test_a_broken_ref_is_named_and_the_others_are_there(
        self, far: FarEnd, h1: Port, kind: str
    ) -> None:
        oid = push(h1, ONE, "")
        far.damage("h2", kind)
        found = h1.fetch()
        assert (found.tips, set(found.refused)) == ({"h1": oid}, {"h2"})

    def test_a_remote_that_is_gone_is_a_failure(self, far: FarEnd, h1: Port) -> None:
        far.gone(True)
        with pytest.raises(SyncFailed):
            h1.fetch()
        far.gone(False)
        assert h1.fetch().tips == {}

    def test_an_older_copy_of_the_remote_has_its_older_tips(self, far: FarEnd, h1: Port) -> None:
        oid = push(h1, ONE, "")
        far.backup()
        push(h1, TWO, oid)
        assert h1.fetch().tips != {"h1": oid}
        far.restore()
        assert h1.fetch().tips == {"h1": oid}
        assert dict(h1.snapshots({"h1": oid})) == {"h1": ONE}

    def test_what_is_pushed_again_is_the_very_same_object(self, far: FarEnd, h1: Port) -> None:
        oid = push(h1, ONE, "")
        push(h1, TWO, oid)
        far.force("h1", ONE)
        assert h1.fetch().tips == {"h1": oid}
