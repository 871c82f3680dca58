"""What is kept of each other host: what may follow it, and what survives on the disk."""

from __future__ import annotations

import json
from dataclasses import replace
from errno import EIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.layout import RECORDS, Layout
from catalog.seen import Content, Found, Unreadable
from catalog.snapshot import SNAPSHOT_BYTES, Snapshot
from catalog.sync.held import Held, load, load_certain, save
from strategies import agents
from strategies import hosts as host_names
from support.memory import MemoryFiles

LAYOUT = Layout("/", "h1")
FULL = Held(
    node="n1",
    seq=7,
    oid="o7",
    beat_ms=5,
    records=("a/status", "b/session.json"),
    dropped=("B",),
    seqs={"n0": 3, "n1": 7},
    refused="why",
    boot="boot-1",
    forgotten=2,
)
WRITTEN = b"""\
{
 "beat_ms": 5,
 "boot": "boot-1",
 "dropped": [
  "B"
 ],
 "forgotten": 2,
 "node": "n1",
 "oid": "o7",
 "records": [
  "a/status",
  "b/session.json"
 ],
 "refused": "why",
 "seq": 7,
 "seqs": {
  "n0": 3,
  "n1": 7
 }
}
"""


def snapshot(node: str, seq: int, *, beat_ms: int = 9, forgotten: int = 0) -> Snapshot:
    return Snapshot(host="h2", node=node, seq=seq, beat_ms=beat_ms, entries=(), forgotten=forgotten)


class TestRefusal:
    """A number that a node has used may not come again, but for the very same commit."""

    @pytest.mark.parametrize(
        ("node", "seq", "oid"),
        [("n1", 8, "o8"), ("n1", 8, "o7"), ("n1", 7, "o7"), ("n0", 4, "o7"), ("n2", 1, "o7")],
    )
    def test_what_is_newer_or_of_an_unheard_node_or_held_already_is_none(
        self, node: str, seq: int, oid: str
    ) -> None:
        assert FULL.refusal_of(snapshot(node, seq), oid) is None

    @pytest.mark.parametrize(
        ("node", "seq", "oid", "known"),
        [("n1", 7, "o8", 7), ("n1", 6, "o7", 7), ("n1", 6, "o8", 7), ("n0", 3, "o3", 3)],
    )
    def test_a_number_that_was_used_is_told_with_the_node_s_last(
        self, node: str, seq: int, oid: str, known: int
    ) -> None:
        assert FULL.refusal_of(snapshot(node, seq), oid) == (
            f"seq {seq} is not above {known} of the same node {node}: a replay"
        )


class TestAccepting:
    def test_all_of_it_is_of_the_new_one_but_for_the_numbers_of_other_nodes(self) -> None:
        after = FULL.accepting(
            snapshot("n2", 1, forgotten=1), "o1", ("c/status",), ("C",), "boot-2"
        )
        assert after == Held(
            node="n2",
            seq=1,
            oid="o1",
            beat_ms=9,
            records=("c/status",),
            dropped=("C",),
            seqs={"n0": 3, "n1": 7, "n2": 1},
            boot="boot-2",
            forgotten=2,
        )

    @pytest.mark.parametrize(("told", "kept"), [(0, 2), (2, 2), (3, 3)])
    def test_the_last_forgetting_that_was_heard_of_counts(self, told: int, kept: int) -> None:
        after = FULL.accepting(snapshot("n1", 8, forgotten=told), "o8", (), (), "")
        assert after.forgotten == kept

    @pytest.mark.parametrize(("others", "gone"), [(6, 0), (7, 0), (8, 1)])
    def test_of_eight_nodes_the_one_not_heard_for_longest_goes(
        self, others: int, gone: int
    ) -> None:
        known = {f"n{n}": n for n in range(others)}
        after = Held(seqs=known).accepting(snapshot("new", 1), "o", (), (), "")
        assert list(after.seqs.items()) == [*list(known.items())[gone:], ("new", 1)]

    def test_who_is_heard_again_is_the_last_to_go(self) -> None:
        after = FULL.accepting(snapshot("n0", 4), "o4", (), (), "")
        assert list(after.seqs.items()) == [("n1", 7), ("n0", 4)]


class TestBefore:
    """What stands on the disk before the first record of a new snapshot does."""

    def test_records_that_go_stand_in_it_until_they_went(self) -> None:
        after = FULL.accepting(snapshot("n1", 8, forgotten=8), "o8", ("z/seen", "a/status"), (), "")
        kept = FULL.before(after)
        assert kept.records == ("a/status", "b/session.json", "z/seen")
        assert (kept.seq, kept.oid, kept.forgotten) == (8, "o8", 2)
        assert (after.records, after.forgotten) == (("z/seen", "a/status"), 8)

    def test_those_of_another_node_do_not(self) -> None:
        after = FULL.accepting(snapshot("n2", 1), "o1", ("z/seen",), (), "")
        assert FULL.before(after).records == ("z/seen",)


@pytest.mark.parametrize(
    ("seq", "forgotten", "records", "said"),
    [
        (0, 0, (), False),
        (1, 1, (), True),
        (2, 1, (), False),
        (1, 2, (), False),
        (1, 1, ("a/status",), False),
    ],
)
def test_a_host_is_forgotten_where_its_last_word_was_that_and_nothing_else(
    seq: int, forgotten: int, records: tuple[str, ...], said: bool
) -> None:
    assert Held(seq=seq, forgotten=forgotten, records=records).is_forgotten is said


def test_a_refusal_changes_nothing_else() -> None:
    assert Held(seq=3, oid="o").refusing("why") == Held(seq=3, oid="o", refused="why")


def helds() -> st.SearchStrategy[Held]:
    """What may be held: any words, and records that a snapshot can name."""
    numbers, words = st.integers(0, 2**63 - 1), st.text(max_size=8)
    records = st.builds("{}/{}".format, agents(), st.sampled_from(RECORDS))
    return st.builds(
        Held,
        node=st.just("") | agents(),
        seq=numbers,
        oid=words,
        beat_ms=numbers,
        records=st.lists(records, max_size=3).map(tuple),
        dropped=st.lists(words, max_size=3).map(tuple),
        seqs=st.dictionaries(words, numbers, max_size=3),
        refused=words,
        boot=words,
        forgotten=numbers,
    )


class TestDisk:
    def test_it_is_written_as_json_that_a_person_can_follow(self) -> None:
        save(files := MemoryFiles(), LAYOUT, "h2", FULL)  # type: ignore[arg-type]
        assert {path: found.raw for path, found in files.bytes.items()} == {
            ".st2/h1/collected/h2": WRITTEN
        }

    @given(helds(), host_names())
    def test_what_was_saved_is_loaded(self, held: Held, host: str) -> None:
        files = MemoryFiles()
        save(files, LAYOUT, host, held)  # type: ignore[arg-type]
        assert load(files, LAYOUT, host) == held  # type: ignore[arg-type]
        assert load_certain(files, LAYOUT, host) == held  # type: ignore[arg-type]

    def test_nothing_is_held_of_who_was_never_heard(self) -> None:
        assert load(MemoryFiles(), LAYOUT, "h2") == Held()  # type: ignore[arg-type]
        assert load_certain(MemoryFiles(), LAYOUT, "h2") == Held()  # type: ignore[arg-type]

    def test_what_an_earlier_version_wrote_lacks_a_boot_and_a_forgetting(self) -> None:
        assert loaded(boot=..., forgotten=...) == replace(FULL, boot="", forgotten=0)

    @pytest.mark.parametrize(
        "record",
        ["status", "a/", "/status", "a/other", "-a/status", "a b/status", "../status", "a/b/seen"],
    )
    def test_a_record_that_no_snapshot_could_name_is_left_out(self, record: str) -> None:
        assert loaded(records=["a/status", record, "b/seen"]).records == ("a/status", "b/seen")

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            *((name, ...) for name in ("node", "oid", "refused", "seq", "beat_ms")),
            *((name, ...) for name in ("records", "dropped", "seqs")),
            *((name, 5) for name in ("node", "oid", "refused", "boot")),
            *((name, None) for name in ("node", "oid", "refused", "boot")),
            *((name, "5") for name in ("seq", "beat_ms", "forgotten")),
            *((name, 5.0) for name in ("seq", "beat_ms", "forgotten")),
            *((name, "a/status") for name in ("records", "dropped", "seqs")),
            *((name, [5]) for name in ("records", "dropped", "seqs")),
            *((name, {}) for name in ("records", "dropped")),
            ("seqs", {"n1": "7"}),
            ("node", "half a\npair"),
        ],
    )
    def test_a_state_that_cannot_be_read_counts_as_none(self, name: str, value: object) -> None:
        assert loaded() == FULL
        assert loaded(**{name: value}) == Held()

    @pytest.mark.parametrize(
        "raw", [b"", b"{", b"[]", b"5", b"null", b'"x"', b"\xff", b"[" * 100_000]
    )
    def test_bytes_that_are_no_state_count_as_none(self, raw: bytes) -> None:
        assert read(raw) == Held()

    def test_one_as_long_as_a_snapshot_is_read(self) -> None:
        blanks = b" " * (SNAPSHOT_BYTES - len(WRITTEN))
        assert read(blanks + WRITTEN) == FULL


class Failing(MemoryFiles):
    """A disk that fails to read, or a file that is none."""

    def __init__(self, errno: int) -> None:
        super().__init__()
        self.errno = errno

    def read(self, path: str, limit: int = 256) -> Found:
        return Unreadable("no file", self.errno)


def test_a_disk_that_fails_is_not_taken_for_a_host_that_was_never_heard() -> None:
    files = Failing(EIO)
    assert load(files, LAYOUT, "h2") == Held()  # type: ignore[arg-type]
    with pytest.raises(OSError, match=r"\.st2/h1/collected/h2") as failed:
        load_certain(files, LAYOUT, "h2")  # type: ignore[arg-type]
    assert failed.value.errno == EIO
    assert load_certain(Failing(0), LAYOUT, "h2") == Held()  # type: ignore[arg-type]


def fields(**changes: object) -> dict[str, object]:
    """The fields of FULL as JSON has them, changed; ``...`` leaves one out."""
    kept = {**json.loads(WRITTEN), **changes}
    return {name: value for name, value in kept.items() if value is not ...}


def loaded(**changes: object) -> Held:
    return read(json.dumps(fields(**changes)).encode())


def read(raw: bytes) -> Held:
    files = MemoryFiles()
    files.bytes[LAYOUT.collected("h2")] = Content(raw, 0)
    return load(files, LAYOUT, "h2")  # type: ignore[arg-type]
