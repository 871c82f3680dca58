"""A host with a ref in both places of a remote: which one speaks, how they move, how they go."""

from __future__ import annotations

import pytest

from catalog.sync.collect import collect
from catalog.sync.publish import load_last, publish
from catalog.sync.shape import HEADS
from catalog.sync_errors import SyncFailed
from support.fleet import Fleet, a_snapshot
from support.shaped import in_shape, no_deletes, refs

BUSY = b"busy\nv1 5\n"
AWAY = b"away\nv1 6\n"
LINE = rb"a1/status" + b"\tbusy\\nv1 5\\n"


class TestTwoPlaces:
    """A host that moved has a ref in both places; one of them speaks for it."""

    def both(self, fleet: Fleet, branch: bytes, own: bytes) -> None:
        """Put one snapshot under the branch and one under the ref."""
        fleet.git("update-ref", "refs/heads/st2/presence/h1", fleet.forge("h1", branch))
        fleet.forge("h1", own)

    @pytest.mark.parametrize(
        ("branch_seq", "own_seq", "wins"),
        [(7, 6, "branch"), (6, 6, "own"), (6, 7, "own")],
    )
    def test_the_later_one_of_the_same_node_speaks(
        self, fleet: Fleet, branch_seq: int, own_seq: int, wins: str
    ) -> None:
        branch = rb"a1/status" + b"\taway\\nv1 6\\n"
        self.both(
            fleet, a_snapshot("h1", branch, seq=branch_seq), a_snapshot("h1", LINE, seq=own_seq)
        )
        reader = fleet.host("h2")
        assert collect(reader.site).hosts == ("h1",)
        assert reader.read("agents/h1/a1/status") == (AWAY if wins == "branch" else BUSY)

    def test_of_two_nodes_the_one_under_refs_st2_speaks(self, fleet: Fleet) -> None:
        branch = a_snapshot("h1", rb"a1/status" + b"\taway\\nv1 6\\n", node="b" * 16, seq=9)
        self.both(fleet, branch, a_snapshot("h1", LINE, seq=1))
        reader = fleet.host("h2")
        collect(reader.site)
        assert reader.read("agents/h1/a1/status") == BUSY

    @pytest.mark.parametrize("unsound", ["branch", "own"])
    def test_the_sound_one_speaks(self, fleet: Fleet, unsound: str) -> None:
        sound = a_snapshot("h1", LINE)
        self.both(fleet, *((b"x", sound) if unsound == "branch" else (sound, b"x")))
        reader = fleet.host("h2")
        assert (collect(reader.site).hosts, collect(reader.site).refused) == (("h1",), ())

    def test_the_broken_one_does_not_hide_the_other(self, fleet: Fleet) -> None:
        self.both(fleet, a_snapshot("h1", LINE), a_snapshot("h1", LINE))
        (fleet.remote / "refs/st2/presence/h1").write_text("1" * 40 + "\n")
        reader = fleet.host("h2")
        found = collect(reader.site)
        assert (found.refused, found.hosts) == ((), ("h1",))

    def test_who_moves_takes_the_old_ref_away(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        publish(h1.site)
        publish(fleet.host("h1", remote=f"file://{fleet.remote}").site)
        (h1.root / h1.site.layout.published()).unlink()
        publish(in_shape(h1, HEADS).site)
        assert refs(fleet) == ["refs/heads/st2/presence/h1"]
        assert load_last(h1.site).seq > 0


class TestDelete:
    """A host's refs go with a lease, its own or with force."""

    def test_every_ref_of_the_host_goes_and_no_other(self, fleet: Fleet) -> None:
        for host in ("h1", "h2"):
            publish(fleet.host(host).site)
        fleet.git("update-ref", "refs/heads/st2/presence/h1", fleet.tip("h1"))
        h1 = fleet.host("h1")
        assert h1.site.exchange.delete("h1") == (
            "refs/st2/presence/h1",
            "refs/heads/st2/presence/h1",
        )
        assert refs(fleet) == ["refs/st2/presence/h2"]
        assert h1.site.exchange.delete("h1") == ()

    def test_another_hosts_ref_wants_force(self, fleet: Fleet) -> None:
        publish(fleet.host("h1").site)
        h2 = fleet.host("h2")
        with pytest.raises(Exception, match="another host's ref") as refused:
            h2.site.exchange.delete("h1")
        assert "--force" in refused.value.hint
        assert h2.site.exchange.delete("h1", force=True) == ("refs/st2/presence/h1",)
        assert refs(fleet) == []

    def test_a_remote_that_refuses_it_is_told(self, fleet: Fleet) -> None:
        h1 = in_shape(fleet.host("h1"), HEADS)
        publish(h1.site)
        no_deletes(fleet)
        with pytest.raises(SyncFailed, match="deletion prohibited"):
            h1.site.exchange.delete("h1")
