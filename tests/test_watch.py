"""When time alone changes a row; what counts as a sleep or a set clock."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.heard import Heard, skew_of
from catalog.offset import Interval
from catalog.roster import Row
from catalog.watch import Gap, Moment, gap, held_until_ms, next_change_ms
from catalog.windows import ABANDON_MS, SKEW_MS, STALE_MS, STALL_MS, UNHEARD_MS
from catalog.witness import Sight
from catalogs import T
from watched import Watched

DAY = 86_400_000


def following(watched: Watched) -> int | None:
    return next_change_ms(
        watched.rows(),
        watched.beats(),
        this_host="h1",
        now_ms=watched.now_ms,
        skews={host: skew_of(heard) for host, heard in watched.heard.items()},
    )


def told(row: Row) -> tuple[object, ...]:
    """What a watcher tells of a row."""
    presence, work = row.assessed.presence, row.assessed.activity
    return (presence.state, presence.why, work and (work.state, work.routable))


@pytest.fixture
def watched(catalog_dir: Path) -> Watched:
    return Watched(catalog_dir)


class TestNextChange:
    def test_where_nothing_depends_on_time_there_is_none(self, watched: Watched) -> None:
        watched.put("status", b"no word\n")
        assert following(watched) is None

    @pytest.mark.parametrize("at", [0, STALE_MS - 1])
    def test_a_record_goes_stale(self, watched: Watched, at: int) -> None:
        watched.beat()
        watched.now_ms += at
        assert following(watched) == T + STALE_MS

    def test_a_stale_record_changes_no_more(self, watched: Watched) -> None:
        watched.beat()
        watched.now_ms += STALE_MS
        assert following(watched) is None

    def test_a_stamp_ahead_becomes_present(self, watched: Watched) -> None:
        watched.put("status", b"busy\nv1 %d\n" % (T + DAY))
        assert following(watched) == T + DAY - SKEW_MS

    def test_work_stalls_and_then_idles(self, watched: Watched) -> None:
        watched.claim()
        watched.work()
        assert following(watched) == T + STALL_MS + 1
        watched.now_ms += STALL_MS + 1
        assert following(watched) == T + ABANDON_MS + 1

    def test_the_work_of_an_unheard_host_has_wider_windows(self, watched: Watched) -> None:
        watched.claim(host="h2")
        watched.work(host="h2")
        watched.now_ms += ABANDON_MS + 1
        assert following(watched) == T + ABANDON_MS + UNHEARD_MS + 1

    def test_a_host_is_no_longer_heard(self, watched: Watched) -> None:
        watched.claim(host="h2")
        watched.beat(host="h2")
        watched.work(host="h2")
        watched.now_ms += 100_000
        watched.publish()
        assert following(watched) == T + STALE_MS
        watched.now_ms = T + STALE_MS
        assert following(watched) == T + 100_000 + STALE_MS

    def test_a_host_whose_clock_is_behind_is_given_as_much_more(self, watched: Watched) -> None:
        watched.put("status", b"no word\n", host="h2")
        watched.publish()
        watched.heard["h2"] = Heard(T, (Interval(60_000, 90_000),))
        assert following(watched) == T + STALE_MS
        watched.now_ms += STALE_MS
        assert following(watched) == T + STALE_MS + 60_000
        watched.now_ms += 60_000
        assert following(watched) == T + STALE_MS + 90_000

    def test_a_clock_that_differs_shifts_the_rules_about_its_own_host_alone(
        self, watched: Watched
    ) -> None:
        watched.beat()
        watched.beat(host="h2")
        skew = {"h2": Interval(-9_000, -7_000)}
        [own, other] = watched.rows()
        assert (own.host, other.host) == ("h1", "h2")
        asked = {"this_host": "h1", "now_ms": T - SKEW_MS, "skews": skew}
        assert next_change_ms([own], {"h2": None}, **asked) == T + STALE_MS  # type: ignore[arg-type]
        shifted = next_change_ms([other], {"h2": None}, **asked)  # type: ignore[arg-type]
        assert shifted == T + STALE_MS - 9_000

    def test_a_pid_that_is_gone_counts_after_its_silence(self, watched: Watched) -> None:
        watched.claim()
        watched.sights["a1"] = Sight("unknown", 4711, None, T + 17)
        assert following(watched) == T + 17


words = st.sampled_from(["available", "busy", "dnd", "offline", "nonsense"])
offsets = st.integers(-2 * ABANDON_MS - 300_000, 2 * SKEW_MS)
near = st.sampled_from([STALE_MS, STALL_MS, ABANDON_MS, -SKEW_MS, UNHEARD_MS + STALL_MS])
stamps = st.one_of(offsets, st.builds(lambda edge, by: by - edge, near, st.integers(-3, 3)))


@settings(max_examples=100, suppress_health_check=list(HealthCheck), deadline=None)
@given(
    status=st.tuples(words, stamps),
    work=st.none() | stamps,
    beat=st.none() | stamps,
    began=stamps,
    ended=st.none() | stamps,
    host=st.sampled_from(["h1", "h2"]),
    part=st.floats(0, 1, exclude_max=True),
    clock=st.none() | st.tuples(st.none() | st.integers(-700_000, 700_000), st.integers(0, 90_000)),
)
def test_until_the_next_change_the_same_files_say_the_same(
    status: tuple[str, int],
    work: int | None,
    beat: int | None,
    began: int,
    ended: int | None,
    host: str,
    part: float,
    clock: tuple[int | None, int] | None,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        watched = Watched(Path(folder), T + ABANDON_MS)
        watched.put("status", b"%s\nv1 %d\n" % (status[0].encode(), T + status[1]), host=host)
        over = {} if ended is None else {"ended_ms": T + ended, "end_reason": "exited"}
        watched.claim(host=host, started_ms=T + began, **over)
        if work is not None:
            watched.put("activity", b"running\nv1 %d\n" % (T + work), host=host)
        if beat is not None:
            watched.publish()
            (Path(folder) / "hosts/h2/beat").write_bytes(b"0123456789abcdef\nv1 %d\n" % (T + beat))
        if clock is not None:
            low_ms, width_ms = clock
            watched.heard["h2"] = Heard(T, (Interval(low_ms, (low_ms or -width_ms) + width_ms),))
        watched.now_ms = T
        [now] = watched.rows()
        change_ms = following(watched)
        last_ms = T + 3 * DAY if change_ms is None else change_ms - 1
        for moment in (last_ms, T + int((last_ms - T) * part)):
            [then] = watched.rows(moment)
            assert told(then) == told(now)


def moment(wall: int = 0, boot: int = 0, awake: int = 0) -> Moment:
    return Moment(wall_ms=T + wall, boot_ms=boot, awake_ms=awake)


class TestClocks:
    @pytest.mark.parametrize("passed", [0, 1_000, 30_000, DAY])
    def test_clocks_that_run_alike_show_no_gap(self, passed: int) -> None:
        assert gap(moment(), moment(passed, passed, passed)) is None

    @pytest.mark.parametrize(("slept", "found"), [(1_999, None), (2_000, Gap(2_000, 0))])
    def test_a_sleep_is_the_difference_of_two_clocks(self, slept: int, found: Gap | None) -> None:
        passed = 5_000 + slept
        assert gap(moment(), moment(passed, passed, 5_000)) == found

    @pytest.mark.parametrize(
        ("step", "found"),
        [(4_999, None), (5_000, Gap(0, 5_000)), (-4_999, None), (-5_000, Gap(0, -5_000))],
    )
    def test_a_set_clock_is_one_that_ran_otherwise(self, step: int, found: Gap | None) -> None:
        assert gap(moment(), moment(1_000 + step, 1_000, 1_000)) == found

    def test_a_sleep_in_which_the_clock_was_set_is_both(self) -> None:
        passed = 3_600_000
        assert gap(moment(), moment(passed - 60_000, passed, 10)) == Gap(passed - 10, -60_000)

    def test_what_is_too_small_is_left_out_beside_what_is_not(self) -> None:
        before = moment(50, 7_000, 3_000)
        assert gap(before, moment(1_050 + 5_000, 8_000, 3_001)) == Gap(0, 5_000)
        assert gap(before, moment(9_050 + 4_999, 16_000, 10_000)) == Gap(2_000, 0)

    def test_the_time_to_speak_is_one_refresh_by_the_clock_since_boot(self) -> None:
        assert held_until_ms(moment(wall=5, boot=7, awake=1)) == 300_007
