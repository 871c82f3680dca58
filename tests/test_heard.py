"""What was observed of another host, kept and read back; what it does to a row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog import heard
from catalog.heard import Heard
from catalog.layout import Layout
from catalog.offset import Interval
from catalog.seen import Content, Unreadable
from catalog.system.files import Files

NUMBERS = st.integers(-(2**62), 2**62)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
INTERVALS = st.builds(Interval, st.one_of(st.none(), NUMBERS), NUMBERS)
HEARD = st.builds(
    Heard,
    st.integers(0, 2**62),
    st.lists(INTERVALS, max_size=32).map(tuple),
    signer=TEXTS,
    signer_before=TEXTS,
    signer_ms=st.integers(0, 2**62),
    doubt=TEXTS,
    checked=TEXTS,
)


@pytest.fixture
def place(tmp_path: Path) -> tuple[Files, Layout]:
    """An empty catalog."""
    return Files(str(tmp_path)), Layout(str(tmp_path), "h1")


class TestKept:
    """A file of this host's own, which may be lost or broken at any time."""

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(HEARD)
    def test_what_is_kept_is_read_back(self, place: tuple[Files, Layout], one: Heard) -> None:
        heard.save(*place, "h2", one)
        assert heard.load(*place, "h2") == one

    @pytest.mark.parametrize(
        "raw",
        [
            b"",
            b"[]",
            b"{}",
            b"\xff",
            b"[" * 9_000,
            b'{"heard_ms": "x", "observed": 5, "doubt": 7, "signer_ms": true}',
            b'{"observed": "1:2 x:3"}',
            b'{"observed": "1"}',
            b'{"observed": "1:' + b"9" * 30 + b'"}',
        ],
    )
    def test_a_file_that_cannot_be_read_is_as_good_as_none(
        self, place: tuple[Files, Layout], raw: bytes
    ) -> None:
        files, layout = place
        files.replace(layout.heard("h2"), raw)
        assert heard.load(files, layout, "h2") == Heard()


class TestSigner:
    """The key that signs, and the one before it."""

    def test_another_key_is_remembered_with_the_one_before_and_when(self) -> None:
        first = Heard().signed("A", "", "m", now_ms=1)
        assert (first.signer, first.signer_before, first.signer_ms) == ("A", "", 0)
        second = first.signed("B", "", "m", now_ms=2).signed("B", "", "m", now_ms=3)
        assert (second.signer, second.signer_before, second.signer_ms) == ("B", "A", 2)

    def test_a_publish_that_no_key_signed_does_not_forget_the_key(self) -> None:
        found = Heard().signed("A", "", "m", now_ms=1).signed("", "not signed", "m", now_ms=2)
        assert (found.signer, found.doubt) == ("A", "not signed")

    def test_what_else_is_known_stays_as_it_is(self) -> None:
        one = Heard(7, (Interval(-1, 2),), signer="A", signer_before="B", signer_ms=3, doubt="d")
        signed = one.signed("A", "", "list", now_ms=9)
        assert (signed.heard_ms, signed.observed) == (7, (Interval(-1, 2),))
        assert (signed.signer, signed.signer_before, signed.signer_ms) == ("A", "B", 3)
        assert (signed.doubt, signed.checked) == ("", "list")


class TestPublish:
    """A publish was taken: when, and what it tells of the clock."""

    KNOWN = Heard(
        7, (Interval(-9, 9),), signer="A", signer_before="B", signer_ms=3, doubt="d", checked="c"
    )

    def test_it_is_heard_now_and_what_was_known_of_the_key_stays(self) -> None:
        found = self.KNOWN.at(8, None)
        assert (found.heard_ms, found.observed) == (8, (Interval(-9, 9),))
        assert (found.signer, found.signer_before, found.signer_ms) == ("A", "B", 3)
        assert (found.doubt, found.checked) == ("d", "c")

    def test_what_it_tells_of_the_clock_is_added(self) -> None:
        found = self.KNOWN.at(8, Interval(-5, 20))
        assert found.observed == (Interval(-9, 9), Interval(-5, 20))
        assert found.clock == Interval(-5, 9)


def test_what_is_kept_is_one_key_a_line_with_the_bounds_in_one(
    place: tuple[Files, Layout],
) -> None:
    files, layout = place
    one = Heard(7, (Interval(None, 2), Interval(-1, 3)), signer="é", signer_ms=5)
    heard.save(files, layout, "h2", one)
    found = files.read(layout.heard("h2"))
    assert isinstance(found, Content)
    assert found.raw.decode() == (
        '{\n  "checked": "",\n  "doubt": "",\n  "heard_ms": 7,\n  "observed": ":2 -1:3",\n'
        '  "signer": "\\u00e9",\n  "signer_before": "",\n  "signer_ms": 5\n}\n'
    )


@pytest.mark.parametrize(
    ("number", "read"),
    [("0", True), ("-" + "9" * 19, True), ("9" * 20, False), ("--1", False), ("+1", False)],
)
def test_a_bound_has_at_most_19_digits(
    place: tuple[Files, Layout], number: str, read: bool
) -> None:
    files, layout = place
    files.replace(layout.heard("h2"), b'{"observed": "%s:5"}' % number.encode())
    low = (Interval(int(number), 5),) if read else ()
    assert heard.load(files, layout, "h2").observed == low
    files.replace(layout.heard("h2"), b'{"observed": "-5:%s"}' % number.encode())
    assert heard.load(files, layout, "h2").observed == (
        (Interval(-5, int(number)),) if read else ()
    )


def test_who_adds_to_it_hears_of_a_disk_that_fails(place: tuple[Files, Layout]) -> None:
    """What could not be read is not what is not there."""
    files, layout = place
    assert heard.load_certain(files, layout, "h2") == Heard()
    heard.save(files, layout, "h2", Heard(7))
    assert heard.load_certain(files, layout, "h2") == Heard(7)

    class Failing:
        def read(self, path: str, limit: int) -> Unreadable:
            return Unreadable("input/output error", 5)

    failing: Any = Failing()
    assert heard.load(failing, layout, "h2") == Heard()
    with pytest.raises(OSError) as failed:
        heard.load_certain(failing, layout, "h2")
    assert (failed.value.errno, failed.value.filename) == (5, ".st2/h1/heard/h2")
    assert failed.value.strerror == "Input/output error"


@pytest.mark.parametrize(
    ("clock", "skewed"),
    [
        (Interval(5_001, 9_000), True),
        (Interval(5_000, 9_000), False),
        (Interval(-9_000, -5_001), True),
        (Interval(None, 9_000), False),
    ],
)
def test_only_a_certain_skew_is_one(clock: Interval, skewed: bool) -> None:
    assert heard.skew_of(Heard(1, (clock,))) == (clock if skewed else None)
    assert heard.skew_of(Heard(1)) is None
    assert heard.skew_of(None) is None


def test_a_beat_is_put_on_this_clock_by_the_larger_bound() -> None:
    assert heard.here_ms(1_000, None) == 1_000
    assert heard.here_ms(1_000, Interval(-90, -60)) == 940
    assert heard.here_ms(1_000, Interval(60, 90)) == 1_090


def clocked(low_ms: int | None, high_ms: int) -> Heard:
    return Heard(1, (Interval(low_ms, high_ms),))


@pytest.mark.parametrize(
    ("one", "codes"),
    [
        (clocked(60_000, 99_000), []),
        (clocked(60_001, 99_000), ["clock-behind"]),
        (clocked(None, -60_000), []),
        (clocked(None, -60_001), ["clock-ahead"]),
        (Heard(doubt="not signed"), ["signature-doubted"]),
    ],
)
def test_a_reader_is_told_of_a_minute_of_skew_and_of_every_doubt(
    one: Heard, codes: list[str]
) -> None:
    found = heard.findings_of("h2", one, beat_ms=0, now_ms=0)
    assert [each.code for each in found] == codes
    for each in found:
        clock = each.code != "signature-doubted"
        assert each.hint == ("set the clock of h2 or of this host" if clock else "")
        assert clock or each.message == "h2: not signed"


@pytest.mark.parametrize("one", [Heard(), clocked(-20_000, 1_000)])
@pytest.mark.parametrize(("ahead_ms", "codes"), [(60_000, []), (60_001, ["clock-ahead"])])
def test_a_beat_that_lies_ahead_tells_of_the_clock_whatever_was_observed_before(
    one: Heard, ahead_ms: int, codes: list[str]
) -> None:
    found = heard.findings_of("h2", one, beat_ms=5 + ahead_ms, now_ms=5)
    assert [each.code for each in found] == codes


def test_the_sentence_of_a_skew_gives_the_offset_and_the_readings_it_causes() -> None:
    [behind] = heard.findings_of("h2", clocked(570_000, 601_000), beat_ms=None, now_ms=0)
    assert behind.message == (
        "h2: its clock is 570 s to 601 s behind: "
        "its records look older than they are, which is no silence of its agents"
    )
    [ahead] = heard.findings_of("h2", clocked(None, -600_000), beat_ms=None, now_ms=0)
    assert ahead.message == (
        "h2: its clock is at least 600 s ahead: "
        "its records look newer than they are, or read unknown (future)"
    )


class TestAfar:
    """What is worked out once for all agents of a host."""

    @pytest.mark.parametrize(
        ("clock", "skewed", "behind_ms"),
        [
            (Interval(70_000, 90_000), True, 70_000),
            (Interval(-90_000, -70_000), True, -90_000),
            (Interval(None, -70_000), True, -70_000),
            (Interval(-1_000, 1_000), False, 0),
            (None, False, 0),
        ],
    )
    def test_a_certain_skew_tells_how_far_its_clock_is_behind_at_least(
        self, clock: Interval | None, skewed: bool, behind_ms: int
    ) -> None:
        one = Heard(5, () if clock is None else (clock,))
        found = heard.afar("h2", one, beat_ms=None, now_ms=10)
        assert (found.skew, found.behind_ms) == (clock if skewed else None, behind_ms)

    def test_what_a_reader_should_know_is_told_of_each_of_its_agents(self) -> None:
        one = Heard(5, (Interval(70_000, 90_000),), doubt="it is not signed")
        for beat_ms in (None, 200_000):
            told = {"beat_ms": beat_ms, "now_ms": 10}
            found = heard.afar("h2", one, **told)  # type: ignore[arg-type]
            wanted = heard.findings_of("h2", one, **told)  # type: ignore[arg-type]
            assert found.findings == tuple(wanted) and len(wanted) == 2
        ahead = heard.afar("h2", Heard(5), beat_ms=200_000, now_ms=10)
        assert [each.code for each in ahead.findings] == ["clock-ahead"]
