"""The reading of `status`, and what a beat, a first beat and a set do to each class of file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.reading import Reading, beat_bytes, first_beat_bytes, read_status, set_bytes
from catalog.record import SETTABLE, Record, parse, render
from catalog.seen import Content, Found, Missing, Unreadable
from catalog.windows import REFRESH_MS, SKEW_MS, STALE_MS
from strategies import record_bytes, stamps, words

T = 1_800_000_000_000
OLD = 0
"""A file time that must not be read where the record has a stamp."""


def v1(word: str, stamp_ms: int) -> Content:
    return Content(render(word, stamp_ms), OLD)


def legacy(word: str, mtime_ms: int) -> Content:
    return Content(f"{word}\n".encode(), mtime_ms)


def read(found: Found, now_ms: int = T) -> Reading:
    return read_status(found, now_ms=now_ms)


def after_beats(found: Content, *times: int) -> Content:
    """What lies there after a beat at each of *times*."""
    for now_ms in times:
        data = beat_bytes(found, now_ms=now_ms)
        found = found if data is None else Content(data, now_ms)
    return found


FILES = st.builds(Content, record_bytes() | st.binary(max_size=40), st.integers(-1, 2 * T)) | (
    st.sampled_from([Missing(), Unreadable("permission denied")])
)
NEWER = Content(b"busy\nv2 5\n", T)


def test_the_windows_are_the_ones_of_the_contract() -> None:
    assert (STALE_MS, REFRESH_MS, SKEW_MS) == (900_000, 300_000, 60_000)


def test_a_fresh_record_is_its_word_and_age_and_an_old_reader_sees_the_word_alone() -> None:
    """Case C1."""
    assert read(v1("busy", T - 1000)) == Reading("busy", "fresh", "record", 1000, T - 1000)
    assert v1("busy", T).raw.split(b"\n")[0] == b"busy"


@pytest.mark.parametrize("word", SETTABLE)
def test_every_word_goes_stale_at_900_000_ms(word: str) -> None:
    """Case C4."""
    assert read(v1(word, T - 899_999)).state == word
    stamp = T - 900_000
    assert read(v1(word, stamp)) == Reading("unknown", "stale", "record", 900_000, stamp)


@pytest.mark.parametrize("word", SETTABLE)
def test_a_stamp_may_be_60_000_ms_ahead_and_not_one_more(word: str) -> None:
    """Case C5."""
    assert read(v1(word, T + 60_000)) == Reading(word, "fresh", "record", 0, T + 60_000)
    ahead = Reading("unknown", "future", "record", -60_001, T + 60_001)
    assert read(v1(word, T + 60_001)) == ahead


def test_a_dnd_an_hour_ahead_holds_nothing() -> None:
    """Case C6."""
    found = v1("dnd", T + 3_600_000)
    assert read(found).state == "unknown"
    assert first_beat_bytes(found, now_ms=T) == render("available", T)


@pytest.mark.parametrize(
    ("later", "state"), [(0, "busy"), (45_000, "busy"), (900_000, "busy"), (946_000, "unknown")]
)
def test_a_frozen_writer_ahead_of_us_is_believed_until_its_stamp_is_stale(
    later: int, state: str
) -> None:
    """Case C7."""
    assert read(v1("busy", T + 45_000), T + later).state == state


@pytest.mark.parametrize(
    ("mtime", "state", "why"),
    [
        (T - 120_000, "away", "fresh"),
        (T - 899_999, "away", "fresh"),
        (T - 900_000, "unknown", "stale"),
        (T + 60_000, "away", "fresh"),
        (T + 60_001, "unknown", "future"),
        (T + 120_000, "unknown", "future"),
        (-1, "unknown", "stale"),
    ],
)
def test_one_line_is_read_by_its_file_time_in_the_same_windows(
    mtime: int, state: str, why: str
) -> None:
    """Case C8."""
    reading = read(legacy("away", mtime))
    assert (reading.state, reading.why, reading.source) == (state, why, "mtime")


def test_a_file_time_before_1970_is_stale_even_to_a_clock_of_1970() -> None:
    assert read(legacy("busy", -1), 5).why == "stale"
    assert read(legacy("busy", 0), 5).why == "fresh"


def test_a_beat_gives_a_one_line_word_a_stamp_of_now() -> None:
    """Case C9."""
    assert beat_bytes(legacy("available", T - 9), now_ms=T) == b"available\nv1 %d\n" % T


def test_a_beat_gives_a_one_line_dnd_its_old_file_time_and_only_once() -> None:
    """Case C10."""
    once = after_beats(legacy("dnd", T - 600_000), T)
    assert once.raw == render("dnd", T - 600_000)
    assert beat_bytes(once, now_ms=T + 1) is None
    assert read(once, T + 299_999).state == "dnd"
    assert read(once, T + 300_000).state == "unknown"


def test_a_beat_leaves_a_one_line_dnd_without_a_usable_time() -> None:
    assert beat_bytes(legacy("dnd", -1), now_ms=T) is None
    assert beat_bytes(legacy("dnd", 0), now_ms=T) == render("dnd", 0)


@pytest.mark.parametrize(
    "second",
    [
        *("\n", "v1\n", "v1 \n", "v1 x\n", "v1 -5\n", "v1 +5\n", "v1 1.5\n", "v1  5\n", "v1 5 6\n"),
        *("v1 05\n", f"v1 {'9' * 30}\n", f"v1 {'9' * 5000}\n", "v1 5\r\n", "v1 5\nx\n", "v1 5\n\n"),
        *("v1 5", "v1 5\n" + "x" * 300, "\0" * 30),
    ],
)
def test_a_broken_line_two_is_unknown_until_a_new_session_repairs_it(second: str) -> None:
    """Case C11: the file time is now, and is not read."""
    found = Content(f"busy\n{second}".encode()[:257], T)
    assert read(found) == Reading("unknown", "malformed", "none", None, None)
    assert beat_bytes(found, now_ms=T) is None
    assert first_beat_bytes(found, now_ms=T) == render("available", T)


def test_a_newer_version_is_unknown_and_nobody_overwrites_it() -> None:
    """Case C11, `v2`."""
    assert read(NEWER) == Reading("unknown", "newer-version", "none", None, None)
    writes = [write(NEWER, now_ms=T) for write in (beat_bytes, first_beat_bytes)]
    assert [*writes, set_bytes(NEWER, "busy", now_ms=T)] == [None, None, None]


def test_a_missing_record_is_offline_and_a_beat_makes_it_available() -> None:
    """Case C13."""
    assert read(Missing()) == Reading("offline", "missing", "none", None, None)
    assert beat_bytes(Missing(), now_ms=T) == render("available", T)


@pytest.mark.parametrize(
    "raw",
    [
        *(b"", b" available\n", b"AVAILABLE\n", b"available\r\n", b"\xfe\xff\n", b"\0" * 30),
        *(b"\0" * 257, b"idle\n", b"\n", b" available\nv1 5\n"),
    ],
)
def test_no_word_of_ours_is_offline_and_a_later_beat_leaves_it(raw: bytes) -> None:
    """Case C13."""
    found = Content(raw, T)
    assert read(found) == Reading("offline", "invalid-state", "none", None, None)
    assert beat_bytes(found, now_ms=T) is None
    assert first_beat_bytes(found, now_ms=T) == render("available", T)


def test_unknown_written_out_is_unknown_and_a_beat_leaves_it() -> None:
    """Case C14."""
    found = Content(b"unknown\n", T)
    assert read(found) == Reading("unknown", "literal-unknown", "none", None, None)
    assert beat_bytes(found, now_ms=T) is None
    assert first_beat_bytes(found, now_ms=T) == render("available", T)


def test_what_cannot_be_read_is_offline_and_only_an_explicit_set_writes_over_it() -> None:
    found = Unreadable("permission denied")
    assert read(found) == Reading("offline", "unreadable", "none", None, None)
    assert beat_bytes(found, now_ms=T) is None and first_beat_bytes(found, now_ms=T) is None
    assert set_bytes(found, "away", now_ms=T) == render("away", T)


def test_three_beats_leave_dnd_and_renew_every_other_word_as_it_is() -> None:
    """Case C15."""
    times = (T, T + REFRESH_MS, T + 2 * REFRESH_MS)
    dnd = v1("dnd", T)
    assert after_beats(dnd, *times) is dnd
    assert (read(dnd, T + 899_999).state, read(dnd, T + 900_000).state) == ("dnd", "unknown")
    assert after_beats(v1("offline", T - 1), *times).raw == render("offline", times[-1])
    assert after_beats(v1("busy", T - 5_000_000), T).raw == render("busy", T)


def test_a_refresh_keeps_line_one_and_changes_the_bytes() -> None:
    """Case C2."""
    data = beat_bytes(v1("available", T - 300_000), now_ms=T)
    assert data == render("available", T) != render("available", T - 300_000)


@pytest.mark.parametrize(
    ("previous", "written"),
    [
        (T - 1, T),
        (T, T + 1),
        (T + 5, T + 6),
        (T + 60_000, T + 60_001),
        (T + 60_001, T),
    ],
)
def test_a_stamp_goes_forward_unless_the_previous_one_is_in_the_far_future(
    previous: int, written: int
) -> None:
    """Case C3."""
    found = v1("busy", previous)
    assert beat_bytes(found, now_ms=T) == render("busy", written)
    assert set_bytes(found, "busy", now_ms=T) == render("busy", written)
    assert first_beat_bytes(found, now_ms=T) == render("available", written)


@pytest.mark.parametrize(("age", "kept"), [(899_999, True), (900_000, False)])
def test_a_first_beat_keeps_a_dnd_only_while_it_is_fresh(age: int, kept: bool) -> None:
    found = v1("dnd", T - age)
    assert first_beat_bytes(found, now_ms=T) == (None if kept else render("available", T))


def test_a_first_beat_keeps_a_fresh_one_line_dnd_and_gives_it_its_file_time() -> None:
    assert first_beat_bytes(legacy("dnd", T - 9), now_ms=T) == render("dnd", T - 9)
    assert first_beat_bytes(legacy("dnd", T - 900_000), now_ms=T) == render("available", T)


@given(FILES, st.integers(0, 2 * T))
def test_every_file_has_a_reading_whose_parts_agree(found: Found, now_ms: int) -> None:
    reading = read_status(found, now_ms=now_ms)
    assert reading.state in (*SETTABLE, "unknown")
    assert (reading.stamp_ms is None) == (reading.age_ms is None) == (reading.source == "none")
    assert (reading.why in ("stale", "future")) <= (reading.state == "unknown")


@given(FILES, st.integers(0, 2 * T))
def test_whatever_a_beat_writes_is_a_record_and_never_another_word(
    found: Found, now_ms: int
) -> None:
    data = beat_bytes(found, now_ms=now_ms)
    if data is not None:
        parsed = parse(data)
        assert isinstance(parsed, Record)
        old = found.raw.split(b"\n")[0].decode() if isinstance(found, Content) else "available"
        assert parsed.word == old


@given(FILES, words(), st.integers(0, 2 * T))
def test_a_set_is_read_back_at_once_as_the_word_that_was_set(
    found: Found, word: str, now_ms: int
) -> None:
    data = set_bytes(found, word, now_ms=now_ms)
    if data is not None:
        reading = read_status(Content(data, OLD), now_ms=now_ms)
        # One past the skew: a stamp that lay at its edge already was moved on by one.
        assert reading.state == word or reading.age_ms == -SKEW_MS - 1


@given(stamps(), st.integers(0, 2 * T), words())
def test_no_file_time_changes_the_reading_of_a_record(stamp: int, mtime: int, word: str) -> None:
    raw = render(word, stamp)
    assert read(Content(raw, mtime)) == read(Content(raw, OLD))
