"""Process evidence as data: the verdict row by row (case A6), and the file that keeps it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.evidence import (
    Evidence,
    Probe,
    after_silence,
    entry_of,
    parse_lines,
    render_lines,
    verdict,
)
from catalog.windows import LOST_SILENCE_MS, PROBE_MS
from strategies import tokens

BOOT, OTHER_BOOT = "1e0e7a52-boot", "77aa0c11-boot"
TICKS = "457042"


def recorded(**changes: object) -> Evidence:
    facts: dict[str, object] = {
        "token": "a1b2c3d4e5f60718",
        "generation": 3,
        "pid": 4711,
        "start": TICKS,
        "boot": BOOT,
        "pid_ns": "4026531836",
        "time_ns": "4026531834",
        "pidfd": "900",
    }
    return Evidence(**{**facts, **changes})  # type: ignore[arg-type]


def seen(**changes: object) -> Probe:
    facts: dict[str, object] = {
        "boot": BOOT,
        "pid_ns": "4026531836",
        "time_ns": "4026531834",
        "fired": False,
        "start": TICKS,
        "pidfd": "900",
        "state": "S",
        "threads": 1,
    }
    return Probe(**{**facts, **changes})  # type: ignore[arg-type]


def judged(
    evidence: Evidence | None, probe: Probe, *, owner_free: bool | None = False, generation: int = 3
) -> str:
    return verdict(
        evidence,
        probe,
        token="a1b2c3d4e5f60718",
        generation=generation,
        owner_free=owner_free,
    )


NO_PIDFD = {"fired": None, "pidfd": ""}


@pytest.mark.parametrize(
    ("evidence", "probe", "owner_free", "expected"),
    [
        pytest.param(recorded(boot=OTHER_BOOT), seen(), False, "gone", id="boot id differs"),
        pytest.param(recorded(start="457043"), seen(), False, "gone", id="ticks differ"),
        pytest.param(recorded(), seen(), False, "alive", id="equal and silent"),
        pytest.param(None, seen(), True, "unknown", id="a foreign host's claim has no evidence"),
        pytest.param(recorded(token="another"), seen(), True, "unknown", id="another token's"),
        pytest.param(
            recorded(), seen(fired=True, state="Z"), False, "gone", id="zombie, one thread"
        ),
        pytest.param(
            recorded(),
            seen(**NO_PIDFD, state="Z"),
            False,
            "gone",
            id="zombie, one thread, no pidfd",
        ),
        pytest.param(recorded(), seen(state="Z", threads=2), False, "alive", id="dead main thread"),
        pytest.param(
            recorded(),
            seen(**NO_PIDFD, state="Z", threads=2),
            False,
            "alive",
            id="dead main thread, no pidfd",
        ),
        pytest.param(recorded(), seen(**NO_PIDFD), False, "alive", id="equal, no pidfd"),
        pytest.param(
            recorded(start="1"), seen(**NO_PIDFD), False, "gone", id="ticks differ, no pidfd"
        ),
        pytest.param(recorded(), seen(took_ms=PROBE_MS), False, "alive", id="probe takes 1 000 ms"),
        pytest.param(
            recorded(), seen(took_ms=PROBE_MS + 1), False, "unknown", id="probe takes 1 001 ms"
        ),
        pytest.param(
            recorded(pid_ns="1"),
            seen(),
            False,
            "unknown",
            id="other pid namespace, owner's lock held",
        ),
        pytest.param(
            recorded(pid_ns="1"), seen(), None, "unknown", id="other pid namespace, lock unknown"
        ),
        pytest.param(
            recorded(pid_ns="1"), seen(), True, "gone", id="other pid namespace, owner's lock free"
        ),
        pytest.param(
            recorded(pid_ns=""), seen(), True, "unknown", id="no pid namespace was recorded, free"
        ),
        pytest.param(
            recorded(), seen(pid_ns=""), True, "unknown", id="no pid namespace is told, free"
        ),
        pytest.param(recorded(time_ns="1"), seen(), True, "gone", id="other time namespace, free"),
        pytest.param(
            recorded(time_ns="1"), seen(), False, "unknown", id="other time namespace, held"
        ),
        pytest.param(
            recorded(pid_ns="1"), seen(absent=True), False, "unknown", id="absent elsewhere"
        ),
        pytest.param(
            recorded(), seen(start="", state="", threads=0), False, "unknown", id="/proc hidden"
        ),
        pytest.param(
            recorded(), seen(**NO_PIDFD, start=""), False, "unknown", id="/proc hidden, no pidfd"
        ),
        pytest.param(
            recorded(),
            seen(absent=True, start="", **NO_PIDFD),
            False,
            "gone",
            id="/proc hidden, ESRCH",
        ),
        pytest.param(recorded(), seen(boot="", start=""), True, "unknown", id="no /proc at all"),
        pytest.param(
            recorded(boot="", start=""), seen(), True, "unknown", id="recorded without /proc"
        ),
        pytest.param(recorded(start=""), seen(), True, "unknown", id="recorded without a start"),
        pytest.param(
            recorded(pidfd="901"), seen(), False, "gone", id="same tick, another process's inode"
        ),
        pytest.param(
            recorded(start="~Sat_Nov_29_19:45:00_2025", pidfd=""),
            seen(start="~Sat_Nov_29_19:45:00_2025", **NO_PIDFD),
            False,
            "alive",
            id="formatted time, equal",
        ),
        pytest.param(
            recorded(start="~Sat_Nov_29_19:45:00_2025", pidfd=""),
            seen(start="~Sat_Nov_29_19:45:01_2025", **NO_PIDFD),
            False,
            "unknown",
            id="formatted time, different",
        ),
    ],
)
def test_the_verdict_is_gone_only_by_proof_and_unknown_wherever_it_cannot_be_told(
    evidence: Evidence | None, probe: Probe, owner_free: bool | None, expected: str
) -> None:
    assert judged(evidence, probe, owner_free=owner_free) == expected


def test_evidence_of_another_generation_says_nothing() -> None:
    assert judged(recorded(), seen(absent=True), generation=4) == "unknown"


def test_what_was_not_told_is_nothing() -> None:
    bare = Evidence(token="t", generation=1, pid=2, start="3", boot="b")
    assert (bare.pid_ns, bare.time_ns, bare.pidfd) == ("", "", "")
    told = Probe(boot="b")
    assert (told.pid_ns, told.time_ns, told.start, told.pidfd, told.state) == ("",) * 5
    assert (told.absent, told.fired, told.threads, told.took_ms) == (False, None, 0, 0)


@pytest.mark.parametrize("found", ["alive", "gone", "unknown"])
def test_a_pid_of_a_hook_is_gone_one_ms_after_its_silence(found: str) -> None:
    """Such pids rotate while their session goes on."""
    assert after_silence(found, LOST_SILENCE_MS + 1) == found
    quiet = after_silence(found, LOST_SILENCE_MS)
    assert quiet == ("unknown" if found == "gone" else found)


def test_a_sighting_can_be_put_under_another_claim() -> None:
    moved = recorded().of("other", 9)
    assert moved == recorded(token="other", generation=9)


words = st.text("0123456789abcdef-:_~.", min_size=0, max_size=36).filter(lambda word: word != "-")
numbers = st.integers(0, 2**31 - 1)
entries = st.builds(
    Evidence,
    token=tokens(),
    generation=numbers,
    pid=st.integers(1, 2**31 - 1),
    start=words,
    boot=words,
    pid_ns=words,
    time_ns=words,
    pidfd=words,
)


@given(st.lists(entries, max_size=2))
def test_what_is_written_down_is_read_back(written: list[Evidence]) -> None:
    assert parse_lines(render_lines(written)) == written


@given(st.lists(entries, min_size=3, max_size=4))
def test_two_entries_are_kept_the_newest_first(written: list[Evidence]) -> None:
    assert parse_lines(render_lines(written)) == written[:2]


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_a_fault_and_canonically(raw: bytes) -> None:
    found = parse_lines(raw)
    assert parse_lines(render_lines(found)) == found


GOOD = b"v1 a1b2c3d4e5f60718 3 4711 457042 1e0e7a52-boot 4026531836 4026531834 900\n"


def test_a_word_of_64_letters_is_one_and_one_of_65_is_none() -> None:
    line = GOOD.replace(b"457042", b"4" * 64)
    assert parse_lines(line) == [recorded(start="4" * 64)]
    assert parse_lines(line.replace(b"44 ", b"444 ")) == []


def test_the_file_is_one_line_an_entry() -> None:
    assert render_lines([recorded()]) == GOOD
    assert render_lines([recorded(pidfd="", time_ns="")]) == GOOD.replace(b"4026531834 900", b"- -")


@pytest.mark.parametrize(
    "raw",
    [
        GOOD[:-1],
        GOOD.replace(b"v1", b"v2"),
        GOOD.replace(b" 900", b""),
        GOOD.replace(b" 900", b" 900 1"),
        GOOD.replace(b"4711", b"0"),
        GOOD.replace(b"4711", b"-1"),
        GOOD.replace(b"4711", b"04711"),
        GOOD.replace(b"4711", b"2147483648"),
        GOOD.replace(b"4711", b"00000000000"),
        GOOD.replace(b" 4711", b"\t4711"),
        GOOD.replace(b" 4711", b"  4711"),
        GOOD.replace(b"457042", b""),
        GOOD.replace(b"4711", "\u0664".encode()),
        GOOD.replace(b"a1b2", b"/1b2"),
        GOOD.replace(b"457042", b"457042\x01"),
        GOOD.replace(b"457042", b"\xff"),
    ],
)
def test_a_line_in_another_form_is_no_evidence(raw: bytes) -> None:
    assert parse_lines(raw) == []
    assert parse_lines(raw.rstrip(b"\n") + b"\n" + GOOD)[-1] == recorded()


def test_the_entry_of_a_claim_is_of_its_token_and_of_its_generation() -> None:
    one, other = recorded(), recorded(token="other", generation=4)
    raw = render_lines([other, one])
    assert entry_of(raw, one.token, one.generation) == one
    assert entry_of(raw, "other", 4) == other
    for token, generation in ((one.token, 4), ("other", one.generation), ("third", 4)):
        assert entry_of(raw, token, generation) is None
    assert entry_of(GOOD.replace(b"v1", b"v2"), one.token, one.generation) is None
    assert entry_of(b"", one.token, one.generation) is None


def test_a_third_entry_is_of_no_claim() -> None:
    raw = b"".join(GOOD.replace(b" 3 ", b" %d " % n) for n in range(3, 6))
    assert [entry_of(raw, recorded().token, n) is not None for n in range(2, 6)] == [
        *(False, True, True, False)
    ]
