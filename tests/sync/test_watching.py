"""The loop over fakes: what it does when, what it tells, and that nothing ends it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from catalog import claim as claims
from catalog.snapshot import Snapshot, decode
from catalog.sync import events, latest
from catalog.sync.policy import Policy
from catalog.sync.site import Site
from catalog.sync_errors import BadSettings, DuplicateHost
from support.fleet import a_snapshot
from support.looped import Looped, kinds, looped
from sync.test_gather import a_claim


def published(one: Looped) -> Snapshot:
    found = decode(one.fleet.refs["h1"][1], host="h1")
    assert isinstance(found, Snapshot)
    return found


def test_a_change_is_published_once_its_interval_has_passed_and_at_once_then(
    tmp_path: Path,
) -> None:
    one = looped(tmp_path)
    one.put()
    one.settle()
    one.run(40_000)
    assert one.line.pushes == 1
    one.put("away")
    told = one.run(1_000)
    assert kinds(told) == ["DidPublish"]
    assert published(one).entries[0].raw.startswith(b"away")
    one.put("dnd")
    assert kinds(one.run(20_000)) == []
    assert kinds(one.run(20_000)) == ["DidPublish"]


def test_a_thousand_changes_in_one_interval_are_one_publish_and_few_looks(tmp_path: Path) -> None:
    one = looped(tmp_path)
    one.settle()
    for number in range(1_000):
        one.put("busy" if number % 2 else "away")
        one.run(30)
    assert one.line.pushes <= 3
    assert published(one).entries[0].raw.startswith(b"busy") or one.run(40_000)
    assert published(one).entries[0].raw.startswith(b"busy")


def test_what_no_hint_told_of_is_found_within_half_a_minute(tmp_path: Path) -> None:
    one = looped(tmp_path)
    one.settle()
    one.run(25_000)
    one.member.put("a1", "status", b"busy\nv1 5\n")
    one.run(40_000)
    assert [entry.path for entry in published(one).entries] == ["a1/status"]


def test_activity_alone_waits_a_minute_but_rides_along(tmp_path: Path) -> None:
    one = looped(tmp_path)
    one.put("success", "activity")
    one.settle()
    one.put("failure", "activity")
    one.run(58_000)
    assert one.line.pushes == 1
    one.run(3_000)
    assert one.line.pushes == 2
    one.put("success", "activity")
    one.put("busy")
    one.run(32_000)
    assert one.line.pushes == 3
    assert published(one).entries[0].raw.startswith(b"success")


def test_though_nothing_changes_it_publishes_each_five_minutes_and_collects_each_15_s(
    tmp_path: Path,
) -> None:
    one = looped(tmp_path)
    one.settle()
    one.run(3_000_000)
    assert 1 + 9 <= one.line.pushes <= 1 + 13
    assert 3_000 / 18 <= one.line.fetches <= 3_000 / 12 + 2


def test_a_lost_session_is_ended_and_published_without_any_change_on_the_disk(
    tmp_path: Path,
) -> None:
    """Case A3, in the loop: what was killed writes nothing."""
    one = looped(tmp_path)
    one.member.put("a1", "session.json", claims.render(a_claim()))
    one.settle()
    gone: Site = replace(one.member.site, verdict_of=lambda claim: "gone")
    answers = [(gone, one.policy)]
    one.reread = lambda: answers.pop() if answers else None
    told = one.run(70_000)
    assert b'"lost"' in published(one).entries[0].raw
    assert kinds(told) == ["Reread", "DidPublish"]
    [done] = [each for each in told if isinstance(each, events.DidPublish)]
    assert done.done.ended == ("a1",)


class TestFailures:
    """A failed round ends nothing; an episode is told when it begins and when it is over."""

    def test_an_episode_has_one_line_and_its_end_another(self, tmp_path: Path) -> None:
        one = looped(tmp_path)
        one.settle()
        one.down()
        told = one.run(400_000)
        assert kinds(told) == ["Failed", "Failed"]
        assert sorted(each.what for each in told if isinstance(each, events.Failed)) == [
            "collect",
            "publish",
        ]
        one.up()
        told = one.run(60_000)
        assert sorted(kinds(told)) == ["DidPublish", "Recovered", "Recovered"]

    def test_a_failure_of_another_kind_is_told(self, tmp_path: Path) -> None:
        one = looped(tmp_path)
        one.settle()
        one.put("away")
        one.down()
        one.run(70_000)
        one.down(DuplicateHost("host h1", "published by node x, this is node y"))
        told = one.run(70_000)
        codes = [each.error.code for each in told if isinstance(each, events.Failed)]
        assert codes.count("duplicate-host") == 2

    def test_it_tries_after_1_2_and_4_s_and_then_once_an_interval(self, tmp_path: Path) -> None:
        one = looped(tmp_path)
        one.settle()
        one.run(40_000)
        one.put()
        one.down()
        before = one.line.pushes
        one.run(12_000)
        assert one.line.pushes - before == 4
        one.run(300_000)
        assert 8 <= one.line.pushes - before - 4 <= 13

    def test_a_fault_of_ours_is_a_failure_of_that_round_alone(self, tmp_path: Path) -> None:
        one = looped(tmp_path)
        one.settle()
        one.down(ZeroDivisionError("oh"))
        [told] = one.run(20_000)
        assert isinstance(told, events.Failed)
        assert str(told.error) == "round: ZeroDivisionError: oh"
        one.up()
        assert kinds(one.run(40_000)) == ["Recovered"]

    def test_other_commands_of_the_host_read_that_it_failed_until_it_went_well(
        self, tmp_path: Path
    ) -> None:
        one = looped(tmp_path)
        files, layout = one.member.site.files, one.member.site.layout
        one.settle()
        assert latest.failure(files, layout) is None
        one.down()
        one.run(30_000)
        failed = latest.failure(files, layout)
        assert failed is not None and failed[1] == "remote: did not answer"
        one.up()
        one.run(60_000)
        assert latest.failure(files, layout) is None

    def test_a_folder_that_cannot_be_read_is_not_published_as_empty(self, tmp_path: Path) -> None:
        """A link in its place is as good as no permission, and root has every permission."""
        one = looped(tmp_path)
        one.put()
        one.settle()
        own = one.member.root / "agents/h1"
        own.rename(one.member.root / "aside")
        own.symlink_to(one.member.root / "aside")
        told = one.run(400_000)
        assert set(kinds(told)) == {"Warned", "Failed"}
        assert [entry.path for entry in published(one).entries] == ["a1/status"]

    def test_where_the_catalog_has_gone_nothing_is_published_in_its_place(
        self, tmp_path: Path
    ) -> None:
        """A disk that is not mounted any more leaves an empty folder."""
        one = looped(tmp_path)
        one.put()
        one.settle()
        one.member.root.rename(tmp_path / "aside")
        one.member.root.mkdir()
        told = one.run(400_000)
        assert {str(each.error) for each in told if isinstance(each, events.Failed)} == {
            f".st2/h1/node: not node {one.member.site.node} any more, "
            "wanted the catalog that this began in"
        }
        assert [entry.path for entry in published(one).entries] == ["a1/status"]
        assert list(one.member.root.iterdir()) == []
        one.member.root.rmdir()
        (tmp_path / "aside").rename(one.member.root)
        told = one.run(60_000)
        sent = {each.done.records for each in told if isinstance(each, events.DidPublish)}
        assert ("Recovered" in kinds(told), sent) == (True, {1}), "not what the empty folder held"

    def test_a_remark_is_told_once_for_as_long_as_it_holds(self, tmp_path: Path) -> None:
        one = looped(tmp_path)
        one.settle()
        one.fleet.refs["h2"] = ("1" * 40, b"hello")
        told = one.run(90_000)
        assert told == [events.Warned("h2: no blank line after a header")]
        del one.fleet.refs["h2"]
        one.run(60_000)
        one.fleet.refs["h2"] = ("1" * 40, b"hello")
        assert kinds(one.run(60_000)) == ["Warned"]

    def test_a_remark_whose_numbers_change_is_the_same_remark(self, tmp_path: Path) -> None:
        one = looped(tmp_path)
        one.settle()
        told = []
        for seq in range(1, 5):
            ahead = a_snapshot("h2", seq=seq, beat=one.fleet.now_ms + 600_000 + seq * 10_000)
            one.fleet.refs["h2"] = (f"{seq}" * 40, ahead)
            told += one.run(20_000)
        warned = [each for each in told if isinstance(each, events.Warned)]
        assert [each.sentence.split(": ")[1] for each in warned] == [
            "its clock is at least 609 s ahead",
            "its clock is 619 s to 650 s ahead",
        ]


def test_after_the_machine_slept_there_is_a_round_at_once(tmp_path: Path) -> None:
    one = looped(tmp_path)
    one.settle()
    pushes, fetches = one.line.pushes, one.line.fetches
    one.changes.ms += 3_600_000
    one.slept_ms += 3_600_000
    told = one.run(1)
    assert kinds(told)[0] == "Resumed"
    assert (one.line.pushes, one.line.fetches) == (pushes + 1, fetches + 1)


def test_a_clock_that_is_set_moves_nothing(tmp_path: Path) -> None:
    one = looped(tmp_path)
    one.settle()
    one.fleet.now_ms -= 86_400_000
    one.run(12_000)
    assert one.line.pushes == 1


class TestSettings:
    """SIGHUP: read again, or kept."""

    def test_new_settings_hold_from_then_on(self, tmp_path: Path) -> None:
        one = looped(tmp_path)
        one.settle()
        answers = [(one.member.site, Policy(collect_ms=1_000))]
        one.reread = lambda: answers.pop() if answers else None
        fetches = one.line.fetches
        assert kinds(one.run(30_000)) == ["Reread", "DidPublish"]
        assert one.line.fetches - fetches >= 20

    @pytest.mark.parametrize(
        ("error", "words"),
        [
            (BadSettings("intervals", "too long"), "intervals: too long"),
            (PermissionError(13, "x", "node"), "file: node: permission denied"),
        ],
    )
    def test_broken_ones_are_told_and_the_old_ones_stay(
        self, tmp_path: Path, error: Exception, words: str
    ) -> None:
        one = looped(tmp_path)
        one.settle()
        errors = [error]

        def reread() -> None:
            if errors:
                raise errors.pop()

        one.reread = reread
        [told] = one.run(20_000)
        assert isinstance(told, events.KeptSettings)
        assert str(told.error) == words


def test_polling_is_told_once(tmp_path: Path) -> None:
    """Case F15."""
    one = looped(tmp_path)
    one.settle()
    one.changes.degraded = "a share"
    assert one.run(300_000)[:1] == [events.Degraded("a share")]
    assert kinds(one.told).count("Degraded") == 1


def test_it_ends_when_it_is_told_to(tmp_path: Path) -> None:
    one = looped(tmp_path)
    one.stopping = True
    one.loop.run()
    assert one.line.pushes == 0
