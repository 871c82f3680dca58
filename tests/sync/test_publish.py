"""Publish: one commit without a parent, a lease, and no fight over a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.sync.exchange import Exchange, Pushed
from catalog.sync.publish import load_last, publish
from catalog.sync_errors import DuplicateHost, SyncFailed
from support.fleet import START_MS, Fleet, Member, a_snapshot

BUSY = b"busy\nv1 5\n"
DAY_MS = 86_400_000


def forget_the_last_publish(member: Member) -> None:
    """Lose the reply of a push: the host's own state is as it was before."""
    (member.root / member.site.layout.published()).unlink()


class TestObjects:
    """One blob, one tree, one commit without a parent."""

    def test_a_publish_is_three_objects_whatever_it_carries(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        for number in range(50):
            h1.put(f"a{number}", "status", BUSY)
        publish(h1.site)
        assert fleet.git("count-objects").split()[0] == "3"
        assert fleet.git("rev-list", "--count", fleet.tip("h1")) == "1"
        assert fleet.git("ls-tree", fleet.tip("h1")).endswith("\tsnapshot")
        assert len(fleet.published("h1").entries) == 50

    def test_author_and_committer_are_not_the_users(self, fleet: Fleet) -> None:
        publish(fleet.host("h1").site)
        lines = fleet.git("cat-file", "commit", fleet.tip("h1")).splitlines()
        when = f"{START_MS // 1000} +0000"
        assert lines[1] == f"author st2 <st2@localhost> {when}"
        assert lines[2] == f"committer st2 <st2@localhost> {when}"

    def test_the_publisher_keeps_no_object_of_an_earlier_publish(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        for _ in range(3):
            publish(h1.site)
        objects = h1.own("publish") / "objects"
        assert sum(path.is_file() for path in objects.rglob("*")) == 3

    def test_the_records_are_the_exact_bytes_of_this_host_alone(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        h1.put("a1", "status", b"\xff\x00\\\t\r\n")
        h1.put("a1", "session.json", b"{\n}\n")
        h1.put("x.orig", "status", BUSY)
        (h1.root / "agents/h2/a1").mkdir(parents=True)
        (h1.root / "agents/h2/a1/status").write_bytes(BUSY)
        (h1.root / "agents/h1/a1/agent.kdl").write_bytes(b"agent\n")
        publish(h1.site)
        assert {e.path: e.raw for e in fleet.published("h1").entries} == {
            "a1/status": b"\xff\x00\\\t\r\n",
            "a1/session.json": b"{\n}\n",
        }

    def test_a_publish_leaves_this_hosts_own_beat_on_the_disk(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        done = publish(h1.site)
        assert h1.read("hosts/h1/beat") == f"{h1.site.node}\nv1 {done.beat_ms}\n".encode()


class TestSequence:
    """It only grows, whatever the clock does, and is kept before anybody can see it."""

    def test_it_is_now_or_one_more_than_the_last(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        first = publish(h1.site)
        assert first.seq == first.beat_ms
        fleet.now_ms -= 3_600_000
        second = publish(h1.site)
        assert second.seq == first.seq + 1
        assert second.beat_ms < first.beat_ms

    def test_it_is_not_used_again_after_a_push_that_failed(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        last = publish(h1.site).seq
        fleet.now_ms = 0
        fleet.remote.rename(fleet.folder / "away")
        with pytest.raises(SyncFailed):
            publish(h1.site)
        (fleet.folder / "away").rename(fleet.remote)
        assert publish(h1.site).seq == last + 2


class TestCaseX3:
    """Two nodes under one name do not fight; the same node finds its own publish again."""

    def test_a_second_node_is_refused_and_both_are_named(self, fleet: Fleet) -> None:
        one, two = fleet.host("h1"), fleet.host("h1", place="clone")
        publish(one.site)
        tip = fleet.tip("h1")
        with pytest.raises(DuplicateHost) as refused:
            publish(two.site)
        assert str(refused.value) == (
            f"host h1: published by node {one.site.node} at {fleet.remote},"
            f" this is node {two.site.node}"
        )
        assert "--replace-node" in refused.value.hint
        assert fleet.tip("h1") == tip
        assert fleet.pauses == []

    def test_a_reply_that_was_lost_is_found_again(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        first = publish(h1.site)
        forget_the_last_publish(h1)
        again = publish(h1.site)
        assert again.tries == 1
        assert again.seq > first.seq
        assert fleet.tip("h1") == again.oid

    def test_the_number_goes_on_from_the_one_found_there(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        first = publish(h1.site)
        forget_the_last_publish(h1)
        fleet.now_ms -= 3_600_000
        assert publish(h1.site).seq > first.seq

    def test_a_new_machine_takes_the_name_over_once_it_says_so(self, fleet: Fleet) -> None:
        old, new = fleet.host("h1"), fleet.host("h1", place="again")
        publish(old.site)
        publish(new.site, replace_node=True)
        assert fleet.published("h1").node == new.site.node
        publish(new.site)
        with pytest.raises(DuplicateHost):
            publish(old.site)

    def test_a_ref_that_is_gone_from_the_remote_is_made_anew(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        publish(h1.site)
        fleet.git("update-ref", "-d", "refs/st2/presence/h1")
        assert publish(h1.site).oid == fleet.tip("h1")

    def test_another_remote_is_a_first_publish(self, fleet: Fleet, tmp_path: Path) -> None:
        publish(fleet.host("h1").site)
        other = Fleet(tmp_path / "elsewhere")
        moved = fleet.host("h1", remote=str(other.remote))
        assert publish(moved.site).oid == other.tip("h1")
        assert load_last(moved.site).remote == str(other.remote)

    def test_something_else_under_our_ref_is_not_written_over(self, fleet: Fleet) -> None:
        tip = fleet.forge("h1", b"hello")
        with pytest.raises(DuplicateHost) as refused:
            publish(fleet.host("h1").site)
        assert "is no snapshot of ours (no blank line after a header)" in str(refused.value)
        assert fleet.tip("h1") == tip


class TestTries:
    """A refusal that has the shape of a race is tried again, any other is told."""

    def block(self, fleet: Fleet) -> Path:
        lock = fleet.remote / "refs/st2/presence/h1.lock"
        lock.parent.mkdir(parents=True)
        lock.touch()
        return lock

    def test_a_lock_at_the_remote_is_tried_again_with_growing_pauses(self, fleet: Fleet) -> None:
        lock = self.block(fleet)
        fleet.on_pause = lambda: lock.unlink() if len(fleet.pauses) == 2 else None
        assert publish(fleet.host("h1").site).tries == 3
        assert fleet.pauses == [1.0, 2.0]

    def test_it_gives_up_after_three_pauses_in_gits_words(self, fleet: Fleet) -> None:
        self.block(fleet)
        with pytest.raises(SyncFailed) as failed:
            publish(fleet.host("h1").site)
        assert fleet.pauses == [1.0, 2.0, 4.0]
        assert str(failed.value).startswith(f"publish to {fleet.remote}: lost 4 races, git says: ")
        assert "cannot lock ref" in str(failed.value)

    def test_every_try_has_a_beat_of_its_own(self, fleet: Fleet) -> None:
        lock = self.block(fleet)

        def later() -> None:
            fleet.now_ms += 1_000
            lock.unlink()

        fleet.on_pause = later
        assert publish(fleet.host("h1").site).beat_ms > START_MS + 1_000

    def test_the_jitter_is_half_of_the_pause_either_way(self, fleet: Fleet) -> None:
        self.block(fleet)
        h1 = fleet.host("h1")
        object.__setattr__(h1.site, "jitter", lambda: 0.0)
        with pytest.raises(SyncFailed):
            publish(h1.site)
        object.__setattr__(h1.site, "jitter", lambda: 1.0)
        with pytest.raises(SyncFailed):
            publish(h1.site)
        assert fleet.pauses == [0.5, 1.0, 2.0, 1.5, 3.0, 6.0]

    @pytest.mark.parametrize("times", [1, 2])
    def test_what_upkeep_swept_from_under_a_push_is_tried_once_more(
        self, fleet: Fleet, monkeypatch: pytest.MonkeyPatch, times: int
    ) -> None:
        """A disk that is full says the same, and is told of at the second time."""
        words = "[remote rejected] (unable to migrate objects to permanent storage); Done"
        swept = [Pushed("0" * 40, False, words)] * times
        push = Exchange.push
        monkeypatch.setattr(
            Exchange, "push", lambda *a, **more: swept.pop() if swept else push(*a, **more)
        )
        if times == 1:
            assert publish(fleet.host("h1").site).tries == 2
        else:
            with pytest.raises(SyncFailed, match="unable to migrate") as told:
                publish(fleet.host("h1").site)
            assert told.value.hint.startswith("the remote could not store it")
        assert fleet.pauses == [1.0]

    def test_a_remote_that_is_not_there_is_told_at_once(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1", remote="/nowhere/at/all.git")
        with pytest.raises(SyncFailed) as failed:
            publish(h1.site)
        assert "does not appear to be a git repository" in str(failed.value)
        assert fleet.pauses == []


def test_a_host_that_is_somebody_elses_by_its_snapshot_does_not_get_adopted(fleet: Fleet) -> None:
    fleet.forge("h1", a_snapshot("h1", node="e" * 16))
    with pytest.raises(DuplicateHost):
        publish(fleet.host("h1").site)


class TestNumber:
    """What a host is told of its own number, before nobody listens to it any more."""

    def codes(self, member: Member) -> list[str]:
        return [each.code for each in publish(member.site).findings]

    @pytest.mark.parametrize(("back_ms", "codes"), [(DAY_MS + 1, []), (DAY_MS + 2, ["seq-ahead"])])
    def test_one_more_than_a_day_ahead_of_its_own_clock_is_said(
        self, fleet: Fleet, back_ms: int, codes: list[str]
    ) -> None:
        h1 = fleet.host("h1")
        last = publish(h1.site)
        # The clock ticks before it is asked, and the number grows by one.
        fleet.now_ms = last.seq + 1 - back_ms
        assert self.codes(h1) == codes

    def test_the_sentence_names_the_number_and_the_way_out(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        last = publish(h1.site)
        fleet.now_ms = last.seq - 2 * DAY_MS
        [found] = publish(h1.site).findings
        assert found.message == (
            f"h1: its number {last.seq + 1} is 172800000 ms ahead of this host's clock:"
            " hosts with that time refuse it"
        )
        assert found.hint == "set the clock, or st2 hosts --replace-node"
        assert publish(fleet.host("h1", place="new").site, replace_node=True).findings == ()

    def test_a_number_that_this_copy_never_offered_is_said_once_to_a_restored_one(
        self, fleet: Fleet
    ) -> None:
        h1 = fleet.host("h1")
        publish(h1.site)
        kept = (h1.root / h1.site.layout.published()).read_bytes()
        second = publish(h1.site)
        (h1.root / h1.site.layout.published()).write_bytes(kept)
        fleet.now_ms = second.seq - 10
        [found] = publish(h1.site).findings
        assert (found.code, str(second.seq) in found.message) == ("node-twice", True)
        assert self.codes(h1) == []

    def test_a_reply_that_was_lost_is_not_strange(self, fleet: Fleet) -> None:
        h1 = fleet.host("h1")
        publish(h1.site)
        state = h1.root / h1.site.layout.published()
        before = load_last(h1.site)
        publish(h1.site)
        after = load_last(h1.site)
        state.write_bytes(state.read_bytes().replace(after.oid.encode(), before.oid.encode()))
        assert self.codes(h1) == []
