"""Trying a remote: the shape that it takes is found, used, read by others, and nothing is left."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from catalog.sync.collect import collect
from catalog.sync.exchange import Exchange
from catalog.sync.probe import Probed, probe
from catalog.sync.publish import publish
from catalog.sync.shape import CHAIN, HEADS, HOSTED_HOSTS, HOSTED_PUSH_MS, REFS, Shape
from catalog.sync_errors import DuplicateHost, SyncFailed
from conftest import Cli
from support.fleet import START_MS, Fleet, Member, git, good
from support.shaped import in_shape, no_deletes, refs

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


def nothing(fleet: Fleet) -> None:
    fleet.git("config", "receive.hideRefs", "refs")


def tried(member: Member) -> Probed:
    """Probe as this host."""
    exchange = member.site.exchange
    assert isinstance(exchange, Exchange)
    return probe(exchange, token="0123abcd", at_ms=START_MS)


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

    def test_a_reader_of_histories_brings_the_newest_of_each_that_moved_and_no_more(
        self, fleet: Fleet
    ) -> None:
        h1, h3 = in_shape(fleet.host("h1"), CHAIN), in_shape(fleet.host("h3"), CHAIN)
        reader = in_shape(fleet.host("h2"), CHAIN)
        for _ in range(3):
            publish(h1.site)
        publish(h3.site)
        assert collect(reader.site).hosts == ("h1", "h3")
        own = f"--git-dir={reader.own('read')}"
        assert git(own, "rev-list", "--all", "--count") == "2"
        before = git(own, "count-objects")
        assert collect(reader.site).hosts == ()
        assert git(own, "count-objects") == before
        h1.put("a1", "status", BUSY)
        publish(h1.site)
        assert collect(reader.site).hosts == ("h1",)
        h3.site.exchange.delete("h3")
        assert collect(reader.site).hosts == ()
        assert git(own, "for-each-ref", "--format=%(refname)") == "refs/heads/st2/presence/h1"

    def test_a_broken_branch_is_named_and_the_others_are_current(self, fleet: Fleet) -> None:
        h1, reader = in_shape(fleet.host("h1"), CHAIN), in_shape(fleet.host("h2"), CHAIN)
        publish(h1.site)
        (fleet.remote / "refs/heads/st2/presence/h9").write_text("1" * 40 + "\n")
        found = collect(reader.site)
        assert (found.hosts, [host for host, _ in found.refused]) == (("h1",), ["h9"])

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


def test_of_a_repository_that_is_set_up_only_what_it_lacks_is_printed(
    cli: Cli, fleet: Fleet
) -> None:
    said = good(cli("init", "--remote", str(fleet.remote))).errors
    assert "used as it is" in said
    assert " config " not in said
    fleet.git("config", "gc.auto", "6700")
    said = good(cli("init", "--remote", str(fleet.remote))).errors
    assert [line.strip() for line in said.splitlines() if " config " in line] == [
        f"git -C {fleet.remote} config gc.auto 0"
    ]


def test_what_was_found_out_is_told_kept_and_used(cli: Cli, fleet: Fleet) -> None:
    branches_only_grow(fleet)
    refused = cli("sync", "--remote", str(fleet.remote))
    assert (refused.code, "st2 init --remote" in refused.errors) == (1, True)
    said = good(cli("init", "--remote", str(fleet.remote))).errors
    assert "presence lies under refs/heads/st2/presence/ there" in said
    assert "every publish adds a commit, and its history grows for ever" in said
    for _ in range(2):
        good(cli("sync"))
    assert fleet.git("rev-list", "--count", "refs/heads/st2/presence/h1") == "2"


def test_a_remote_that_cannot_be_tried_is_not_kept(cli: Cli, fleet: Fleet) -> None:
    nothing(fleet)
    refused = cli("init", "--remote", str(fleet.remote))
    assert (refused.code, "takes presence neither as refs nor as branches" in refused.errors) == (
        *(1, True),
    )
    assert "none chosen on this host" in cli("sync").errors


def test_the_limit_of_a_hosted_server_follows_from_the_windows() -> None:
    assert (HOSTED_PUSH_MS, HOSTED_HOSTS) == (10_000, 48)
