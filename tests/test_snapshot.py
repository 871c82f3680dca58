"""The snapshot: one spelling, refused in every other one, never a raise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import snapshot
from catalog.layout import RECORDS
from catalog.snapshot import Entry, Refused, Snapshot, apart, decode, encode, entry

NODE = "0123456789abcdef"
HEAD = b"st2-presence 1\nhost h1\nnode 0123456789abcdef\nseq 7\nbeat 9\n\n"
LINE = b"a1/status\tbusy\\nv1 5\\n\n"

AGENTS = st.sampled_from(["a", "a1", "A1", "a-b", "a.b", "a_b", "worker", "z" * 128])
BYTES = st.one_of(
    st.binary(max_size=300),
    st.sampled_from([b"", b"busy", b"busy\n", b"busy\nv1 5\n", b"\\n\\\\\t\n\\", b"\xff\x00\r\n"]),
)


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    """Snapshots as a publisher makes them, of records as awkward as files can be."""
    keys = draw(st.sets(st.tuples(AGENTS, st.sampled_from(RECORDS)), max_size=8))
    times = st.integers(-(2**40), 2**45)
    seq = draw(st.integers(0, 2**63 - 1))
    return Snapshot(
        host="h1",
        node=draw(st.text("0123456789abcdef", min_size=16, max_size=16)),
        seq=seq,
        forgotten=draw(st.one_of(st.just(0), st.integers(0, seq))),
        beat_ms=draw(st.integers(0, 2**63 - 1)),
        entries=tuple(
            sorted(
                (entry(agent, name, draw(BYTES), mtime_ms=draw(times)) for agent, name in keys),
                key=lambda each: each.path,
            )
        ),
    )


@st.composite
def near_snapshots(draw: st.DrawFn) -> bytes:
    """Sound bytes with one small fault, or none: cut, doubled, swapped or changed."""
    raw = bytearray(encode(draw(snapshots())))
    place = draw(st.integers(0, len(raw) - 1))
    fault = draw(st.sampled_from(["none", "cut", "drop", "change", "double", "swap"]))
    lines = bytes(raw).split(b"\n")
    if fault == "cut":
        del raw[place:]
    elif fault == "drop":
        del raw[place]
    elif fault == "change":
        raw[place] = draw(st.sampled_from(list(b"\n\t\\ /.09azA\x00\xff")))
    elif fault == "double":
        lines.insert(place % len(lines), lines[place % len(lines)])
        return b"\n".join(lines)
    elif fault == "swap":
        lines.insert(0, lines.pop(place % len(lines)))
        return b"\n".join(lines)
    return bytes(raw)


class TestForm:
    """One spelling: decode accepts what encode writes, and nothing else."""

    @given(snapshots())
    def test_what_is_encoded_is_decoded_to_the_same_value(self, value: Snapshot) -> None:
        assert decode(encode(value), host="h1") == value

    @given(near_snapshots())
    def test_bytes_that_are_accepted_are_the_ones_that_encode_writes(self, raw: bytes) -> None:
        found = decode(raw, host="h1")
        assert isinstance(found, Refused) or encode(found) == raw

    @given(st.binary(max_size=400), st.booleans())
    def test_no_bytes_make_it_raise(self, raw: bytes, headed: bool) -> None:
        found = decode(HEAD + raw if headed else raw, host="h1")
        assert isinstance(found, Refused | Snapshot)

    def test_the_bytes_of_a_small_snapshot_are_pinned(self) -> None:
        value = Snapshot(
            host="h1",
            node=NODE,
            seq=7,
            beat_ms=9,
            entries=(
                entry("b", "status", b"busy\n", mtime_ms=1_700_000_000_123),
                entry("a1", "status", b"away\nv1 5\n", mtime_ms=1),
                entry("a1", "session.json", b'{"a":"\\t\\\\"}', mtime_ms=1),
            ),
        )
        assert encode(value) == (
            HEAD
            + b'a1/session.json\t{"a":"\\\\t\\\\\\\\"}\n'
            + b"a1/status\taway\\nv1 5\\n\n"
            + b"b/status\tbusy\\n\t1700000000123\n"
        )

    def test_entries_are_written_sorted_whatever_order_they_came_in(self) -> None:
        entries = tuple(entry(name, "seen", b"-\nv1 1\n", mtime_ms=0) for name in ("b", "a", "a-b"))
        raw = encode(Snapshot(host="h1", node=NODE, seq=1, beat_ms=1, entries=entries))
        assert isinstance(decode(raw, host="h1"), Snapshot)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "no blank line after a header"),
        (HEAD[:-2], "no blank line after a header"),
        (HEAD + LINE + b"\n" + LINE, "path '', wanted an agent's name and a record"),
        (b"hello\n\n", "no st2-presence header"),
        (HEAD.replace(b"presence 1", b"presence 2"), "version '2', this reader knows 1"),
        (HEAD.replace(b"seq 7\n", b""), "4 header lines and a blank one, wanted 5"),
        (HEAD.replace(b"host h1", b"host h2"), "speaks for host 'h2' under the ref of h1"),
        (HEAD.replace(b"host h1", b"hosts h1"), "header line 'hosts h1', wanted host"),
        (HEAD.replace(NODE.encode(), b"XYZ"), "node 'XYZ', wanted 16 hex digits"),
        (HEAD.replace(b"f\nseq", b"\nseq"), "node '0123456789abcde', wanted 16 hex digits"),
        (HEAD.replace(b"f\nseq", b"g\nseq"), "node '0123456789abcdeg', wanted 16 hex digits"),
        (HEAD.replace(b"f\nseq", b"ff\nseq"), "node '0123456789abcdeff', wanted 16 hex digits"),
        (HEAD.replace(b"f\nseq", b" 1\nseq"), "node '0123456789abcde 1', wanted 16 hex digits"),
        (HEAD.replace(b"seq 7", b"seq 07"), "seq '07', wanted a number of milliseconds"),
        (HEAD.replace(b"seq 7", b"seq 9223372036854775808"), "seq '9223372036854775808', wanted a "
            "number of milliseconds"),
        (HEAD.replace(b"beat 9", b"beat -9"), "beat '-9', wanted a number of milliseconds"),
        (HEAD + LINE[:-1], "the last line is not ended"),
        (HEAD + LINE + LINE, "a1/status: twice"),
        (HEAD + LINE + b"a1/seen\t-\\nv1 5\\n\n", "a1/seen: after a1/status, wanted sorted lines"),
        (HEAD + b"../x/status\tx\\ny\n", "path '../x/status', wanted an agent's name and a record"),
        (HEAD + b"a1\tbusy\n", "path 'a1', wanted an agent's name and a record"),
        (HEAD + b"\tbusy\n", "path '', wanted an agent's name and a record"),
        (HEAD + b"a1/agent.kdl\tx\\ny\n", "record 'agent.kdl', wanted one of activity, held, seen, "
            "session.json, status"),
        (HEAD + b"a1/b/status\tx\n", "record 'b/status', wanted one of activity, held, seen, "
            "session.json, status"),
        (HEAD + b"a1/status\tbusy\n", "a1/status: 1 fields, wanted a file time on a one-line "
            "record only"),
        (HEAD + b"a1/status\tbusy\\nv1 5\\n\t5\n", "a1/status: 2 fields, wanted a file time on a "
            "one-line record only"),
        (HEAD + b"a1/session.json\t{}\t5\n", "a1/session.json: 2 fields, wanted a file time on a "
            "one-line record only"),
        (HEAD + b"a1/status\tbusy\t05\n", "file time '05', wanted a number of milliseconds"),
        (HEAD + b"a1/status\tbusy\t-01\n", "file time '01', wanted a number of milliseconds"),
        (HEAD + b"a1/status\n", "a1/status: 0 fields, wanted a file time on a one-line "
            "record only"),
        (HEAD + b"a1/status\tbusy\t-0\n", "file time '-0', wanted a number of milliseconds"),
        (HEAD + b"a1/status\tbusy\\x\t5\n", "'a1/status': an escape that is none of \\\\ \\n \\t"),
        (HEAD + b"a1/status\tbusy\\\t5\n", "'a1/status': an escape that is none of \\\\ \\n \\t"),
        (HEAD + b"a1/status\t" + b"x" * 257 + b"\t5\n", "a1/status: 257 bytes, wanted at most 256"),
        (HEAD + b"a1/session.json\t" + b"x" * 4097 + b"\n", "a1/session.json: 4097 bytes, wanted "
            "at most 4096"),
    ],
)  # fmt: skip
def test_each_fault_is_refused_with_its_reason(raw: bytes, why: str) -> None:
    assert decode(raw, host="h1") == Refused(why)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"forgotten 0", "forgotten 0, wanted a number from 1 to that of seq"),
        (b"forgotten 6", "forgotten 6, wanted a number from 1 to that of seq"),
        (b"forgotten 05", "forgotten '05', wanted a number of milliseconds"),
        (b"forgot 5", "header line 'forgot 5', wanted forgotten"),
        (b"forgotten 5\nforgotten 5", "7 header lines and a blank one, wanted 5"),
    ],
)
def test_the_number_of_the_last_forgetting_is_a_publish_and_no_later_one(
    line: bytes, why: str
) -> None:
    head = f"st2-presence 1\nhost h1\nnode {NODE}\nseq 5\nbeat 7\n".encode()
    assert decode(head + line + b"\n\n", host="h1") == Refused(why)
    for number in (1, 5):
        found = decode(head + b"forgotten %d\n\n" % number, host="h1")
        assert isinstance(found, Snapshot)
        assert (found.forgotten, found.is_forgotten) == (number, number == 5)


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        (b"x" * 40, "'" + "x" * 40 + "'"),
        (b"x" * 41, "'" + "x" * 40 + "'... (41 bytes)"),
        (b"\xff", "'\\xff'"),
    ],
)
def test_what_was_found_is_shown_to_40_bytes(key: bytes, shown: str) -> None:
    raw = HEAD.replace(b"host h1", key)
    assert decode(raw, host="h1") == Refused(f"header line {shown}, wanted host")


def test_the_largest_number_is_one() -> None:
    largest = 2**63 - 1
    found = decode(HEAD.replace(b"beat 9", b"beat %d" % largest), host="h1")
    assert isinstance(found, Snapshot) and found.beat_ms == largest


def test_a_claim_may_be_longer_than_a_record() -> None:
    found = decode(HEAD + b"a1/session.json\t" + b"x" * 4096 + b"\n", host="h1")
    assert isinstance(found, Snapshot) and len(found.entries[0].raw) == 4096


@pytest.mark.parametrize(("size", "sound"), [(256, True), (257, False)])
def test_a_record_may_be_exactly_as_long_as_its_limit(size: int, sound: bool) -> None:
    found = decode(HEAD + b"a1/status\t" + b"x" * size + b"\t5\n", host="h1")
    assert isinstance(found, Snapshot) is sound


def test_a_snapshot_over_its_size_limit_is_refused_unread() -> None:
    size = snapshot.SNAPSHOT_BYTES
    assert decode(HEAD + b"x" * (size - len(HEAD)), host="h1") == Refused(
        "the last line is not ended"
    )
    refused = decode(HEAD + b"x" * (size - len(HEAD) + 1), host="h1")
    assert refused == Refused("16777217 bytes, wanted at most 16777216")


@pytest.mark.parametrize(("count", "sound"), [(200_000, True), (200_001, False)])
def test_a_host_may_carry_exactly_as_many_records_as_the_limit(count: int, sound: bool) -> None:
    raw = HEAD + b"".join(b"a%06d/seen\t-\\nv1 1\\n\n" % number for number in range(count))
    found = decode(raw, host="h1")
    assert isinstance(found, Snapshot) is sound
    assert sound or found == Refused("more than 200000 records")


def test_the_limits_are_the_ones_of_the_contract() -> None:
    assert (snapshot.SNAPSHOT_BYTES, snapshot.SNAPSHOT_LINES) == (16 * 2**20, 200_000)


def test_a_file_longer_than_its_limit_is_cut_and_keeps_its_reading() -> None:
    assert len(entry("a1", "status", b"busy\nv1 5\n" + b"x" * 247, mtime_ms=1).raw) == 256
    assert len(entry("a1", "session.json", b"x" * 5000, mtime_ms=1).raw) == 4096


def test_only_a_one_line_record_carries_its_file_time() -> None:
    carried = [b"", b"busy", b"busy\n", b"\n"]
    assert all(entry("a1", "status", raw, mtime_ms=5).mtime_ms == 5 for raw in carried)
    assert entry("a1", "status", b"busy\n\n", mtime_ms=5).mtime_ms is None
    assert entry("a1", "session.json", b"{}", mtime_ms=5).mtime_ms is None


def test_of_two_names_that_differ_by_case_the_bytewise_first_is_kept() -> None:
    names = ("worker", "Worker", "WORKER", "other")
    entries = tuple(entry(name, "seen", b"-\nv1 1\n", mtime_ms=0) for name in names)
    value = Snapshot(host="h1", node=NODE, seq=1, beat_ms=1, entries=entries)
    kept, dropped = apart(value)
    assert sorted(each.agent for each in kept) == ["WORKER", "other"]
    assert dropped == ["Worker", "worker"]


def test_an_entry_knows_its_place_below_the_hosts_folder() -> None:
    assert Entry(agent="a1", record="status", raw=b"x").path == "a1/status"
