"""The owner's loop on fake ports: which beats and ends it writes, and when."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.windows import FALLBACK_LOOK_MS, REFRESH_MS, STOPPED_LOOK_MS
from drivers import lifecycle as life
from drivers.job import ADOPT
from drivers.owner import HOPELESS_MS, RETRY_MS, exit_text
from support.owned import PID, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_the_first_beat_comes_at_once_and_the_next_one_an_interval_after(world: World) -> None:
    world.owner.begin(life.LAUNCHED)
    assert world.status() == b"available\nv1 %d\n" % world.clock.ms
    world.steps(3)
    assert world.writer.asked == ["first", "beat", "beat", "beat"]
    assert world.wakeups.waits == [0, REFRESH_MS, REFRESH_MS, REFRESH_MS]


def test_a_harness_that_ends_is_offline_first_and_ended_once_with_its_exit(world: World) -> None:
    world.owner.begin(life.LAUNCHED)
    world.end(7 << 8)
    world.owner.run()
    assert world.writer.asked == ["first", "offline", "exited exit 7"]
    assert (world.session().end_reason, world.session().exit) == ("exited", "exit 7")
    assert world.status() == b"offline\nv1 %d\n" % (world.clock.ms + 1)


def test_a_harness_that_ended_before_its_first_beat_never_gets_one(world: World) -> None:
    world.end(9)
    world.owner.begin(life.LAUNCHED)
    world.owner.run()
    assert world.writer.asked == ["offline", "exited signal 9"]


@pytest.mark.parametrize("event", [life.EXEC_FAILED, life.ABANDONED])
def test_a_harness_that_never_ran_is_a_launch_error_and_has_no_status(
    world: World, event: str
) -> None:
    world.owner.begin(event)
    world.owner.run()
    assert world.writer.asked == ["launch-error None"]
    assert world.session().end_reason == "launch-error"
    assert world.status() is None


def test_an_adopter_that_was_killed_leaves_the_session_as_it_was(tmp_path: Path) -> None:
    world = World(tmp_path, kind=ADOPT)
    world.owner.begin(life.ABANDONED)
    world.owner.run()
    assert world.writer.asked == []
    assert not world.session().ended


def test_an_adopted_session_gets_an_ordinary_beat(tmp_path: Path) -> None:
    world = World(tmp_path, kind=ADOPT)
    world.files.replace("agents/h1/w/status", b"busy\nv1 5\n")
    world.owner.begin(life.LAUNCHED)
    assert world.status() == b"busy\nv1 %d\n" % world.clock.ms


def test_a_stopped_harness_is_looked_at_each_second_and_beaten_for_once_it_runs(
    world: World,
) -> None:
    world.owner.begin(life.LAUNCHED)
    world.processes.stop(PID)
    world.steps(5)
    assert world.writer.asked == ["first"]
    assert world.wakeups.waits == [0, REFRESH_MS] + [STOPPED_LOOK_MS] * 4
    world.processes.resume(PID)
    world.steps(2)
    assert world.writer.asked == ["first", "beat", "beat"]
    assert world.wakeups.waits[-2:] == [STOPPED_LOOK_MS, REFRESH_MS]


def test_after_a_long_sleep_there_is_one_beat_and_no_burst(world: World) -> None:
    world.owner.begin(life.LAUNCHED)
    world.wakeups.ms += 10 * REFRESH_MS
    world.steps(2)
    assert world.writer.asked == ["first", "beat", "beat"]
    assert world.wakeups.waits[-1] == REFRESH_MS


def test_a_superseded_owner_leaves_at_its_next_beat_and_writes_nothing(world: World) -> None:
    world.owner.begin(life.LAUNCHED)
    world.claim("another")
    before = world.status()
    world.owner.run()
    assert world.owner.phase == life.LEFT
    assert world.status() == before
    assert not world.session().ended


def test_the_owner_of_a_stopped_harness_notices_that_it_was_replaced(world: World) -> None:
    world.owner.begin(life.LAUNCHED)
    world.processes.stop(PID)
    world.steps(2)
    world.claim("another")
    world.steps(1)
    assert world.owner.phase == life.LEFT


def test_a_superseded_owner_does_not_write_the_end_of_its_old_harness(world: World) -> None:
    world.owner.begin(life.LAUNCHED)
    world.claim("another")
    before = world.status()
    world.end(0)
    world.owner.run()
    assert not world.session().ended
    assert world.status() == before


def test_a_full_disk_is_logged_and_the_next_beat_lands(world: World) -> None:
    world.owner.begin(life.LAUNCHED)
    before = world.status()
    world.writer.full = True
    world.steps(2)
    assert world.status() == before
    world.writer.full = False
    world.clock.ms += 1
    world.steps(1)
    assert world.status() == b"available\nv1 %d\n" % world.clock.ms
    log = world.files.read(world.layout.log(), 4_096)
    assert b"owner of h1.w: beat not written: no space left" in log.raw  # type: ignore[union-attr]


def test_a_first_beat_that_failed_is_still_a_first_beat_when_it_lands(world: World) -> None:
    world.files.replace("agents/h1/w/status", b"\0" * 30)
    world.writer.full = True
    world.owner.begin(life.LAUNCHED)
    world.writer.full = False
    world.steps(1)
    assert world.writer.asked == ["first", "first"]
    assert world.status() == b"available\nv1 %d\n" % world.clock.ms


def test_an_end_that_could_not_be_written_is_tried_each_second_until_it_is(world: World) -> None:
    world.owner.begin(life.LAUNCHED)
    world.writer.full = True
    world.end(0)
    world.steps(3)
    assert world.wakeups.waits[-2:] == [RETRY_MS] * 2
    world.writer.full = False
    world.owner.run()
    assert world.session().exit == "exit 0"


def test_an_end_that_can_never_be_written_is_given_up_after_ten_minutes(world: World) -> None:
    world.owner.begin(life.LAUNCHED)
    began_ms = world.wakeups.ms
    world.writer.full = True
    world.end(0)
    world.owner.run()
    assert HOPELESS_MS <= world.wakeups.ms - began_ms <= HOPELESS_MS + 2 * RETRY_MS


def test_an_end_is_given_up_at_once_where_the_catalog_was_removed(world: World) -> None:
    world.owner.begin(life.LAUNCHED)
    began_ms = world.wakeups.ms
    world.writer.full = True
    world.end(0)
    world.owner.is_removed = lambda: world.wakeups.ms - began_ms >= 5 * RETRY_MS
    world.owner.run()
    assert 5 * RETRY_MS <= world.wakeups.ms - began_ms <= 6 * RETRY_MS


def test_a_busy_lock_is_a_failed_write_and_not_the_end_of_the_owner(world: World) -> None:
    world.owner.begin(life.LAUNCHED)
    world.writer.busy = True
    world.steps(1)
    world.writer.busy = False
    world.clock.ms += 1
    world.steps(1)
    assert world.status() == b"available\nv1 %d\n" % world.clock.ms


def test_without_a_pidfd_the_harness_is_looked_at_every_two_seconds(tmp_path: Path) -> None:
    world = World(tmp_path, sees_end=False)
    world.owner.begin(life.LAUNCHED)
    world.processes.end(PID, 256)
    world.owner.run()
    assert world.wakeups.waits == [0, FALLBACK_LOOK_MS]
    assert world.session().exit == "exit 1"
    log = Path(world.layout.absolute(world.layout.log())).read_text()
    assert log.count("owner of h1.w: no pidfd here, its harness is looked at every 2000 ms") == 1


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (0, "exit 0"),
        (7 << 8, "exit 7"),
        (255 << 8, "exit 255"),
        (9, "signal 9"),
        (139, "signal 11"),
    ],
)
def test_a_wait_status_is_said_as_exit_or_signal(status: int, text: str) -> None:
    assert exit_text(status) == text


def test_what_could_not_be_logged_is_kept_until_it_can_be(world: World) -> None:
    """A disk that refuses the record refuses the log, too."""
    world.owner.begin(life.LAUNCHED)
    log = Path(world.layout.absolute(world.layout.log()))
    log.mkdir()
    world.writer.full = True
    world.steps(30)
    log.rmdir()
    world.writer.full = False
    world.clock.ms += 1
    world.steps(1)
    assert log.read_bytes().count(b"beat not written") == 20
