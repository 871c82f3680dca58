"""Which of two versions of a record stays (spec/branch.md)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.claim import Claim, render
from catalog.merging import Place, merge, place_of
from catalogs import T, claim, record
from strategies import claim_fields, record_bytes

TWO_LINES = ("activity", "beat", "held", "seen", "status")
WORD = {"activity": "running", "beat": "0123456789abcdef", "held": "s1", "seen": "-"}


def place(name: str) -> Place:
    return Place("h1", None if name == "beat" else "a1", name)


def claims_bytes() -> st.SearchStrategy[bytes]:
    """Claims of h1.a1 that differ in little, some of them of another agent, broken or cut."""
    near = st.builds(
        lambda generation, ended, token: render(
            claim(
                session=token,
                generation=generation,
                ended_ms=ended,
                end_reason="exited" if ended else None,
            )
        ),
        st.integers(1, 3),
        st.none() | st.integers(1, 3),
        st.sampled_from(("s1", "s2")),
    )
    foreign = claim_fields().map(lambda fields: render(Claim(**fields)))
    return near | foreign | near.map(lambda raw: raw[:-3]) | near.map(lambda raw: raw + b" " * 5000)


def versions(name: str) -> st.SearchStrategy[bytes]:
    if name == "session.json":
        return claims_bytes() | st.binary(max_size=20)
    word = WORD.get(name, "busy").encode()
    near = record_bytes().map(lambda raw: raw.replace(b"busy", word))
    few = st.sampled_from((b"1", b"2", b"10", b"9")).map(lambda stamp: word + b"\nv1 %s\n" % stamp)
    return near | few | st.sampled_from((b"", word, word + b"\n", word + b"\nv2 9\n", b"\0" * 300))


CASES = st.sampled_from((*TWO_LINES, "session.json")).flatmap(
    lambda name: st.tuples(st.just(place(name)), *(versions(name),) * 3)
)


class TestJoin:
    """The rule is an order over all bytes: commutative, associative, idempotent."""

    @given(CASES)
    def test_it_does_not_matter_who_merges_with_whom(
        self, case: tuple[Place, bytes, bytes, bytes]
    ) -> None:
        where, a, b, c = case
        assert merge(where, a, b) == merge(where, b, a)
        assert merge(where, merge(where, a, b), c) == merge(where, a, merge(where, b, c))

    @given(CASES)
    def test_a_second_merge_changes_nothing(self, case: tuple[Place, bytes, bytes, bytes]) -> None:
        where, a, b, _ = case
        once = merge(where, a, b)
        assert merge(where, once, a) == merge(where, once, b) == merge(where, once, once) == once

    @given(CASES)
    def test_what_stays_is_one_of_the_two_up_to_its_limit(
        self, case: tuple[Place, bytes, bytes, bytes]
    ) -> None:
        where, a, b, _ = case
        assert merge(where, a, b) in (a[: where.limit + 1], b[: where.limit + 1])


BETTER = [
    (record("busy", 2), record("away", 1)),  # the larger stamp
    (record("busy", 10), record("busy", 9)),  # as a number, not as text
    (record("away", 0), b"busy\n"),  # sound before legacy
    (record("busy", 0), b"busy\nv2 99\n"),  # also before a later version
    (record("busy", 0), b"offline\nv1 07\n"),
    (b"busy", b"busy\nv1 07\n"),  # legacy before anything else
    (b"away\n", b"unknown\nv1 99\n"),
    (b"away\n", b""),
    (record("busy", 1), record("away", 1)),  # one stamp: the larger bytes
    (b"busy\n", b"busy"),
    (record("dnd", 2**63 - 1), record("dnd", 2**63 - 2)),
    (record("busy", 1), b"busy\r\nv1 99\r\n"),
    (record("busy", 1), b"<<<<<<< HEAD\nbusy\nv1 99\n=======\n"),
    (record("busy", 1), b"busy\nv1 99\n" + b" " * 300),
]


@pytest.mark.parametrize(("stays", "goes"), BETTER)
def test_of_two_records_the_newest_sound_one_stays(stays: bytes, goes: bytes) -> None:
    where = place("status")
    assert merge(where, stays, goes) == merge(where, goes, stays) == stays


@pytest.mark.parametrize(
    ("name", "sound", "odd"),
    [("activity", "failure", "busy"), ("held", "unknown", "-"), ("seen", "-", "a b"),
     ("beat", "0123456789abcdef", ""), ("status", "dnd", "running")],
)  # fmt: skip
def test_each_record_is_sound_with_its_own_words(name: str, sound: str, odd: str) -> None:
    assert merge(place(name), record(sound, 1), record(odd, 2)) == record(sound, 1)


def ended(**changes: object) -> Claim:
    return claim(**{"ended_ms": T, "end_reason": "exited", **changes})


CLAIMS = [
    (claim(generation=10), ended(generation=9)),  # the larger generation
    (ended(), claim(session="zz")),  # then the one that has ended
    (ended(), ended(ended_ms=T - 1)),  # then the larger bytes
    (claim(generation=1), claim(generation=9, agent="a2")),  # one of another agent is none
    (claim(generation=1), claim(generation=9, host="h2")),
]


@pytest.mark.parametrize(("stays", "goes"), CLAIMS)
def test_of_two_claims_the_later_one_stays_and_an_end_is_not_taken_back(
    stays: Claim, goes: Claim
) -> None:
    where, one, other = place("session.json"), render(stays), render(goes)
    assert merge(where, one, other) == merge(where, other, one) == one


def test_a_claim_that_cannot_be_read_never_wins_over_one_that_can() -> None:
    where, sound = place("session.json"), render(claim())
    newer = json.dumps({**json.loads(sound), "v": 2, "generation": 9}).encode()
    long = render(claim(generation=9)) + b" " * 4096
    for odd in (newer, long, b"", b"\xff", sound[:-3], b"<<<<<<< HEAD\n" + sound):
        assert merge(where, odd, sound) == merge(where, sound, odd) == sound


def test_what_is_too_long_is_cut_where_the_next_reader_sees_that_it_went_on() -> None:
    assert merge(place("status"), b"b" * 999, b"a" * 999) == b"b" * 257
    assert len(merge(place("session.json"), b"b" * 9999, b"")) == 4097


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("agents/h1/a.1/status", Place("h1", "a.1", "status")),
        ("deep/catalog/agents/h1/a1/session.json", Place("h1", "a1", "session.json")),
        ("hosts/h1/beat", Place("h1", None, "beat")),
        ("x/hosts/h1/beat", Place("h1", None, "beat")),
    ],
)
def test_the_end_of_a_path_says_whose_record_it_is(path: str, found: Place) -> None:
    assert place_of(path) == found


@pytest.mark.parametrize(
    "path",
    ["", "status", "h1/a1/status", "agents/h1/status", "agents/h1/a1/agent.kdl",
     "agents/h1/a1/beat", "hosts/h1/status", "agents/H1/a1/status", "agents/h1/../status",
     "agents/h1/a1/resources/status", "agents/h1/a1/status.orig", "agents/h1/a1.lock/status",
     "hosts/H1/beat", "agents//a1/status", "agents/h1/a1/status/", "agents\\h1\\a1\\status"],
)  # fmt: skip
def test_any_other_path_is_none_of_ours(path: str) -> None:
    assert place_of(path) is None
