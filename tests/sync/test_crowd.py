"""More refs than a fleet can have: a bounded number is taken, of hosts that were heard first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from catalog.snapshot import Refused
from catalog.sync import collect as collecting
from catalog.sync import crowd, fetched, halves
from catalog.sync.collect import collect
from catalog.sync.crowd import admitted
from catalog.sync.halves import in_halves
from catalog.sync.own import Own
from catalog.sync.publish import publish
from catalog.sync.remote import Remote
from catalog.sync.shape import BRANCH_PREFIX, REF_PREFIX
from catalog.sync_errors import SyncFailed
from catalog.system.git import Git, Ran
from support.fleet import Fleet, Member, a_snapshot

BUSY = rb"a1/status" + b"\tbusy\\nv1 5\\n"
AWAY = rb"a1/status" + b"\taway\\nv1 6\\n"
MOST = 20


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a crowd be a small one."""
    for module in (crowd, fetched, collecting):
        monkeypatch.setattr(module, "MOST", MOST)


def flood(fleet: Fleet, count: int) -> None:
    """Make *count* refs of hosts that nobody knows, before all others by their names."""
    tip = fleet.tip("h1")
    lines = [f"{tip} {REF_PREFIX}a{number:06}\n" for number in range(count)]
    kept = [f"{fleet.tip(host)} {REF_PREFIX}{host}\n" for host in ("h1", "h2")]
    head = "# pack-refs with: peeled fully-peeled sorted \n"
    (fleet.remote / "packed-refs").write_text("".join([head, *lines, *kept]))


@pytest.fixture
def reader(fleet: Fleet) -> Member:
    """A host that has heard two others, whose next records lie at the remote."""
    for host in ("h1", "h2"):
        fleet.forge(host, a_snapshot(host, BUSY, seq=5))
    member = fleet.host("h3")
    collect(member.site)
    for host in ("h1", "h2"):
        fleet.forge(host, a_snapshot(host, AWAY, seq=6))
    return member


def crowded(reader: Member) -> list[str]:
    found = collect(reader.site)
    for host in ("h1", "h2"):
        assert reader.read(f"agents/{host}/a1/status") == b"away\nv1 6\n"
    assert MOST - 3 <= len(found.refused) < MOST
    return [each.message for each in found.findings if each.code == "refs-crowded"]


class TestRefs:
    """What anybody may push in any number costs a reader a bounded time."""

    def test_hosts_that_were_heard_are_current_beside_any_number_of_others(
        self, fleet: Fleet, reader: Member
    ) -> None:
        flood(fleet, MOST)
        told = "presence refs: 3 left at the remote, wanted 20 hosts at most, with those that were"
        assert crowded(reader) == [f"{told} heard here"]
        assert crowded(reader) == [f"{told} heard here"]
        assert len(list((reader.root / "hosts").iterdir())) == 2

    def test_a_fetch_of_all_that_is_given_up_takes_them_by_the_list(
        self, fleet: Fleet, reader: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        flood(fleet, MOST)
        real = fetched._fetch

        def slow(own: Own, remote: Remote, options: tuple[str, ...], refs: list[str]) -> Ran:
            if refs[0].endswith("*"):
                raise SyncFailed("git fetch", "no end after 30 s, wanted an answer")
            return real(own, remote, options, refs)

        monkeypatch.setattr(fetched, "_fetch", slow)
        assert len(crowded(reader)) == 1

    def test_a_host_publishes_among_them_and_once_they_are_gone_nothing_is_told(
        self, fleet: Fleet, reader: Member
    ) -> None:
        flood(fleet, 3 * MOST)
        publish(reader.site)
        crowded(reader)
        publish(reader.site)
        flood(fleet, 0)
        for _ in range(2):
            found = collect(reader.site)
            assert (found.refused, found.findings) == ((), ())

    def test_no_more_of_them_stay_here_than_twice_as_many_as_are_taken(
        self, fleet: Fleet, reader: Member
    ) -> None:
        """Each was a file, and each round that ran alone brought all of them again."""
        flood(fleet, 3 * MOST)
        folder = reader.own("read") / REF_PREFIX
        for _ in range(2):
            crowded(reader)
            assert len(list(folder.iterdir())) == MOST - 1, "this host itself has no ref there"

    def test_a_round_that_runs_alone_asks_by_the_list_where_many_lie_here(
        self, fleet: Fleet, reader: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        flood(fleet, 3 * MOST)
        crowded(reader)
        asked: list[str] = []
        real = fetched._fetch

        def noted(own: Own, remote: Remote, options: tuple[str, ...], refs: list[str]) -> Ran:
            asked.extend(refs)
            return real(own, remote, options, refs)

        monkeypatch.setattr(fetched, "_fetch", noted)
        fleet.forge("h1", a_snapshot("h1", BUSY, seq=7))
        collect(fleet.host("h3").site)
        assert asked == [f"+{REF_PREFIX}h1:{REF_PREFIX}h1"]
        flood(fleet, 0)
        for _ in range(2):
            asked.clear()
            assert collect(fleet.host("h3").site).findings == ()
        assert asked == [f"+{prefix}*:{prefix}*" for prefix in (REF_PREFIX, BRANCH_PREFIX)]

    def test_as_many_as_are_taken_are_no_crowd(self) -> None:
        refs = {f"{REF_PREFIX}a{number}": "1" for number in range(MOST)}
        assert list(admitted(refs, ())) == list(refs)

    def test_of_one_more_a_name_that_is_none_goes_first_and_who_was_heard_comes_first(self) -> None:
        refs = {f"{REF_PREFIX}{name}": "1" for name in ("a/b", "z", *map(str, range(MOST - 1)))}
        taken = list(admitted(refs, {"z"}))
        assert (len(taken), taken[0]) == (MOST, f"{REF_PREFIX}z")
        assert f"{REF_PREFIX}a/b" not in taken

    def test_of_many_hosts_in_both_places_a_bounded_number_is_read(
        self, fleet: Fleet, reader: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(fetched, "_PAIRS", 1)
        for host in ("h1", "h2"):
            fleet.git("update-ref", BRANCH_PREFIX + host, fleet.tip(host))
        asked: list[str] = []
        real = fetched.tips.snapshots

        def noted(git: Git, tips: dict[str, str]) -> Iterator[tuple[str, bytes | Refused]]:
            asked.extend(tips)
            return real(git, tips)

        monkeypatch.setattr(fetched.tips, "snapshots", noted)
        reader.site.exchange.fetch()
        assert asked == ["h1", "h1"]


class Line:
    """A way to a remote by which groups with one of *hang* never end: counts what was asked."""

    def __init__(self, hang: Callable[[str], bool]) -> None:
        self.hang = hang
        self.spent_s = 0.0
        self.asked: list[Sequence[str]] = []

    def fetch(self, group: Sequence[str]) -> str | None:
        self.asked.append(group)
        if not any(map(self.hang, group)):
            return None
        self.spent_s += 10
        return "no end"

    def is_over(self) -> bool:
        return self.spent_s >= halves.BUDGET_S


def never() -> bool:
    return False


class TestHalves:
    """Halves of what failed are tried for a bounded time; what is left waits."""

    def test_a_remote_where_everything_hangs_is_asked_for_so_long_and_no_longer(self) -> None:
        refs = [str(number) for number in range(2_000)]
        line = Line(lambda ref: True)
        found = in_halves(halves.chunks(refs), line.fetch, is_over=line.is_over)
        assert (len(line.asked), line.spent_s) == (3, 30)
        assert (found.answers, found.broken, found.late) == (False, {}, 2_000)

    def test_a_remote_where_everything_fails_is_asked_so_often_and_no_more(self) -> None:
        refs = [str(number) for number in range(2_000)]
        asked: list[str] = []

        def fetch(group: Sequence[str]) -> str:
            asked.append(group[0])
            return "no"

        found = in_halves(halves.chunks(refs), fetch, is_over=never)
        assert len(asked) == halves.TRIES
        assert not found.answers
        assert found.late == len(refs) - len(found.broken)
        assert "0" in found.broken

    def test_what_waits_is_in_the_order_to_go_on_with(self) -> None:
        line = Line(lambda ref: ref == "b")
        found = in_halves(["abcdefgh", "ij"], line.fetch, is_over=line.is_over)
        assert line.asked == ["abcdefgh", "abcd", "ab"]
        assert found.rest == ("a", "b", "cd", "efgh", "ij")

    def test_one_that_cannot_be_had_is_found_among_others_with_the_reason(self) -> None:
        def fetch(group: Sequence[str]) -> str | None:
            return "no" if "c" in group else None

        reason = "its ref cannot be fetched, git says: no"
        found = in_halves([list("abcdefgh")], fetch, is_over=never)
        assert found == halves.Halves({"c": reason}, True, ())

    def test_the_first_ones_are_tried_first(self) -> None:
        asked: list[str] = []

        def fetch(group: Sequence[str]) -> None:
            asked.extend(group)

        refs = [str(number) for number in range(1_200)]
        assert in_halves(halves.chunks(refs), fetch, is_over=never).late == 0
        assert asked == refs


class TestRound:
    """A collect reads and writes so much, and leaves the rest for the next one."""

    def test_what_is_left_is_told_and_taken_by_the_next_one(
        self, reader: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(collecting, "ROUND_BYTES", 1)
        first = collect(reader.site)
        assert len(first.hosts) == 1
        assert [each.message for each in first.findings] == [
            "presence refs: 1 left for the next round, wanted fewer that are slow or large"
        ]
        second = collect(reader.site)
        assert sorted(first.hosts + second.hosts) == ["h1", "h2"]
        assert second.findings == ()

    def test_small_ones_come_first(
        self, fleet: Fleet, reader: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(collecting, "ROUND_BYTES", 1)
        many = [b"a%05d/status\tbusy\\nv1 5\\n" % number for number in range(500)]
        fleet.forge("h0", a_snapshot("h0", *many))
        hosts = [collect(reader.site).hosts for _ in range(3)]
        assert (sorted(hosts[:2]), hosts[2]) == ([("h1",), ("h2",)], ("h0",))
