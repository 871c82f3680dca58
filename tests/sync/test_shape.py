"""The shapes of a remote by themselves: which ref is whose, and which of two speaks for a host."""

from __future__ import annotations

import pytest

from catalog.snapshot import Refused, Snapshot
from catalog.sync.shape import CHAIN, HEADS, REFS, SHAPES, Shape, chosen, host_of

OWN, BRANCH = "refs/st2/presence/h1", "refs/heads/st2/presence/h1"


def said(seq: int, node: str = "a") -> Snapshot:
    return Snapshot(host="h1", node=node * 16, seq=seq, beat_ms=1, entries=())


@pytest.mark.parametrize(
    ("shape", "word", "ref", "probe"),
    [
        (REFS, "refs", OWN, "refs/st2/probe/h1/t0"),
        (HEADS, "heads", BRANCH, "refs/heads/st2/probe/h1/t0"),
        (CHAIN, "chain", BRANCH, "refs/heads/st2/probe/h1/t0"),
    ],
)
def test_a_shape_has_a_word_and_its_refs(shape: Shape, word: str, ref: str, probe: str) -> None:
    assert SHAPES[word] is shape
    assert (shape.ref("h1"), shape.probe_ref("h1", "t0")) == (ref, probe)
    assert shape.replaces is (word != "chain")


@pytest.mark.parametrize(
    ("ref", "host"),
    [
        (OWN, "h1"),
        (BRANCH, "h1"),
        ("refs/st2/probe/h1/t0", None),
        ("refs/heads/main", None),
        ("x/refs/st2/presence/h1", None),
    ],
)
def test_a_host_is_what_follows_either_prefix(ref: str, host: str | None) -> None:
    assert host_of(ref) == host


class TestWhoSpeaks:
    """One ref speaks for each host."""

    def test_who_has_one_ref_is_not_read(self) -> None:
        refs = {OWN: "1", "refs/heads/st2/presence/h2": "2", "refs/heads/main": "3"}
        assert chosen(refs, {}.__getitem__) == {"h1": OWN, "h2": "refs/heads/st2/presence/h2"}

    def test_a_branch_of_no_presence_hides_no_branch_behind_it(self) -> None:
        refs = {"refs/heads/main": "3", BRANCH: "1"}
        assert chosen(refs, {}.__getitem__) == {"h1": BRANCH}

    @pytest.mark.parametrize(
        ("branch", "own", "speaks"),
        [
            (said(7), said(6), BRANCH),
            (said(6), said(6), OWN),
            (said(6), said(7), OWN),
            (said(7, node="b"), said(6), OWN),
            (Refused("x"), said(6), OWN),
            (said(6), Refused("x"), BRANCH),
            (Refused("x"), Refused("x"), OWN),
        ],
    )
    def test_of_two_the_later_of_the_same_node_or_the_only_sound_one(
        self, branch: Snapshot | Refused, own: Snapshot | Refused, speaks: str
    ) -> None:
        for refs in ({BRANCH: "1", OWN: "2"}, {OWN: "2", BRANCH: "1"}):
            assert chosen(refs, {BRANCH: branch, OWN: own}.__getitem__) == {"h1": speaks}
