"""Trying a remote: the shape that it takes is found, used, read by others, and nothing is left."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from catalog.errors import DuplicateHost, SyncFailed
from catalog.sync.collect import collect
from catalog.sync.exchange import Exchange
from catalog.sync.probe import Probed, probe
from catalog.sync.publish import load_last, publish
from catalog.sync.shape import CHAIN, HEADS, REFS, Shape
from support.fleet import START_MS, Fleet, Member, a_snapshot

BUSY = b"busy\nv1 5\n"
AWAY = b"away\nv1 6\n"
LINE = rb"a1/status" + b"\tbusy\\nv1 5\\n"

def branches_only(fleet: Fleet) -> None:
    """A server that hides every ref but branches and tags from who pushes."""
    fleet.git("config", "receive.hideRefs", "refs/st2")


def branches_only_grow(fleet: Fleet) -> None:
    """A server that also refuses to let a branch be replaced."""
    branches_only(fleet)
    fleet.git("config", "receive.denyNonFastForwards", "true")


def no_deletes(fleet: Fleet) -> None:
    fleet.git("config", "receive.denyDeletes", "true")


def nothing(fleet: Fleet) -> None:
    fleet.git("config", "receive.hideRefs", "refs")


def tried(member: Member) -> Probed:
    """Probe as this host."""
    exchange = member.site.exchange
    assert isinstance(exchange, Exchange)
    return probe(exchange, token="0123abcd", at_ms=START_MS)


def in_shape(member: Member, shape: Shape) -> Member:
    """The host, once it knows how the remote takes presence."""
    member.site.exchange.shape = shape
    return member


def refs(fleet: Fleet) -> list[str]:
    """Every ref of the remote."""
    return fleet.git("for-each-ref", "--format=%(refname)").splitlines()


@pytest.mark.parametrize(
    ("server", "shape"),
    [
        (lambda fleet: None, REFS),
        (branches_only, HEADS),
        (branches_only_grow, CHAIN),
    ],
    ids=["plain git", "branches only", "branches that only grow"],
)
def test_the_shape_is_found_and_nothing_is_left_behind(
    fleet: Fleet, server: Callable[[Fleet], None], shape: Shape
) -> None:
    server(fleet)
    h1 = fleet.host("h1")
    found = tried(h1)
    assert (found.shape, found.left, found.words) == (shape, (), "")
    assert [prefix for prefix, _ in found.refused] == (
        [] if shape is REFS else ["refs/st2/presence/"]
    )
    assert refs(fleet) == []
    assert not list(h1.root.glob(".st2/h1/repository/*/trial"))


def test_a_branch_that_only_grows_is_no_hindrance_to_refs_of_our_own(fleet: Fleet) -> None:
    fleet.git("config", "receive.denyNonFastForwards", "true")
    assert tried(fleet.host("h1")).shape is REFS


def test_a_server_that_deletes_nothing_keeps_one_ref_that_is_named(fleet: Fleet) -> None:
    branches_only(fleet)
    no_deletes(fleet)
    found = tried(fleet.host("h1"))
    assert (found.shape, found.left) == (HEADS, ("refs/heads/st2/probe/h1/0123abcd",))
    assert "deletion" in found.words
    assert refs(fleet) == list(found.left)


def test_a_server_that_takes_nothing_is_told_in_its_own_words(fleet: Fleet) -> None:
    nothing(fleet)
    with pytest.raises(SyncFailed) as failed:
        tried(fleet.host("h1"))
    sentence = "takes presence neither as refs nor as branches: refs/st2/presence/: "
    assert str(failed.value).startswith(f"remote {fleet.remote}: {sentence}")
    assert "deny updating a hidden ref" in str(failed.value)
    assert "st2 remote authorize" in failed.value.hint


def test_a_remote_that_is_not_there_is_no_question_of_shape(fleet: Fleet) -> None:
    with pytest.raises(SyncFailed, match="does not appear to be a git repository"):
        tried(fleet.host("h1", remote="/nowhere.git"))


class TestShapes:
    """In each shape hosts publish and collect, and a name is nobody else's."""

    @pytest.mark.parametrize(
        ("server", "shape"), [(branches_only, HEADS), (branches_only_grow, CHAIN)]
    )
    def test_what_is_published_is_collected_again_and_again(
        self, fleet: Fleet, server: Callable[[Fleet], None], shape: Shape
    ) -> None:
        server(fleet)
        h1, h2 = in_shape(fleet.host("h1"), shape), in_shape(fleet.host("h2"), shape)
        for number, raw in enumerate((BUSY, AWAY, BUSY), start=1):
            h1.put("a1", "status", raw)
            assert h1.sync().failed is None
            assert h2.sync().failed is None
            assert h2.read("agents/h1/a1/status") == raw
            commits = fleet.git("rev-list", "--count", "refs/heads/st2/presence/h1")
            assert commits == ("1" if shape is HEADS else str(number))
        assert refs(fleet) == ["refs/heads/st2/presence/h1", "refs/heads/st2/presence/h2"]

    def test_a_host_that_still_uses_refs_reads_the_branches_too(self, fleet: Fleet) -> None:
        h1, h2 = in_shape(fleet.host("h1"), CHAIN), fleet.host("h2")
        h1.put("a1", "status", BUSY)
        publish(h1.site)
        assert collect(h2.site).hosts == ("h1",)

    def test_a_history_goes_on_where_its_last_objects_are_not_here(self, fleet: Fleet) -> None:
        branches_only_grow(fleet)
        h1 = in_shape(fleet.host("h1"), CHAIN)
        publish(h1.site)
        publish(h1.site)
        h1.site.exchange._chain.git.drop()
        publish(h1.site)
        publish(h1.site)
        assert fleet.git("rev-list", "--count", "refs/heads/st2/presence/h1") == "4"
        assert "shallow" in os.listdir(h1.own("chain"))

    @pytest.mark.parametrize("shape", [HEADS, CHAIN])
    def test_a_reply_that_was_lost_is_found_again(self, fleet: Fleet, shape: Shape) -> None:
        h1 = in_shape(fleet.host("h1"), shape)
        first = publish(h1.site)
        (h1.root / h1.site.layout.published()).unlink()
        again = publish(h1.site)
        assert (again.tries, again.seq > first.seq) == (1, True)

    @pytest.mark.parametrize("old", [REFS, HEADS, CHAIN])
    @pytest.mark.parametrize("new", [HEADS, CHAIN])
    def test_another_node_is_refused_wherever_the_first_one_publishes(
        self, fleet: Fleet, old: Shape, new: Shape
    ) -> None:
        one = in_shape(fleet.host("h1"), old)
        two = in_shape(fleet.host("h1", place="clone"), new)
        publish(one.site)
        with pytest.raises(DuplicateHost, match=f"published by node {one.site.node}"):
            publish(two.site)

    @pytest.mark.parametrize("old", [REFS, HEADS, CHAIN])
    @pytest.mark.parametrize("new", [REFS, HEADS, CHAIN])
    def test_a_new_machine_takes_the_name_over_in_any_shape(
        self, fleet: Fleet, old: Shape, new: Shape
    ) -> None:
        one = in_shape(fleet.host("h1"), old)
        two = in_shape(fleet.host("h1", place="clone"), new)
        reader = fleet.host("h2")
        publish(one.site)
        two.put("a1", "status", BUSY)
        publish(two.site, replace_node=True)
        assert collect(reader.site).hosts == ("h1",)
        assert reader.read("agents/h1/a1/status") == BUSY


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


def test_what_a_round_with_branches_leaves_is_plain_so_that_nothing_is_fetched_twice(
    fleet: Fleet,
) -> None:
    h1, h2 = in_shape(fleet.host("h1"), CHAIN), in_shape(fleet.host("h2"), CHAIN)
    h2.sync()
    h1.sync()
    before = [(h1.own(name) / "HEAD").stat().st_ino for name in ("read", "chain")]
    h2.sync()
    h1.sync()
    assert [(h1.own(name) / "HEAD").stat().st_ino for name in ("read", "chain")] == before
