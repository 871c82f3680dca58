"""A remote that is filled, over many rounds: hosts that were heard stay current, all is bounded."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

from catalog.finding import Finding
from catalog.layout import Layout
from catalog.snapshot import SNAPSHOT_BYTES
from catalog.sync import collect as collecting
from catalog.sync import crowd, fetched, held
from catalog.sync.collect import collect
from catalog.sync.halves import BUDGET_S
from catalog.sync.own import Own
from catalog.sync.remarks import FEW, MOST_TOLD, of_collect
from catalog.sync.remote import Remote
from catalog.sync.turns import Raw, in_turn
from catalog.sync_errors import SyncFailed
from catalog.system import git as systems_git
from catalog.system.git import Git, Ran
from support.filled import NOWHERE, Filled
from support.fleet import Fleet, Member, a_snapshot
from support.memory import MemoryFiles

KNOWN = ("h1", "h2")
MOST = 20


@pytest.fixture
def filled(fleet: Fleet) -> Filled:
    return Filled(fleet.remote)


@pytest.fixture
def reader(fleet: Fleet, filled: Filled) -> Member:
    """A host that has heard two others."""
    filled.sound(KNOWN, seq=5)
    member = fleet.host("h3")
    collect(member.site)
    return member


def stamp(number: int) -> bytes:
    return b"a1/status\tbusy\\nv1 %d\\n" % number


def current(reader: Member, number: int, hosts: Iterable[str] = KNOWN) -> bool:
    want = b"busy\nv1 %d\n" % number
    return all(reader.read(f"agents/{host}/a1/status") == want for host in hosts)


def names(count: int, salt: str = "a") -> list[str]:
    return [f"{salt}{number:05}" for number in range(count)]


@dataclass
class Hanging:
    """A remote where no pack with one of ``hosts`` ends; its time is counted and not waited for."""

    hosts: set[str]
    spent_s: list[float] = field(default_factory=list)

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        real = fetched._fetch

        def fetch(own: Own, remote: Remote, options: tuple[str, ...], refs: list[str]) -> Ran:
            asked = {ref.rpartition("/")[2] for ref in refs}
            if "*" in asked or asked & self.hosts:
                self.spent_s.append(own.git.limit_s)
                own.git.spent_s += own.git.limit_s
                raise SyncFailed("git fetch", f"no end after {own.git.limit_s:g} s, wanted one")
            return real(own, remote, options, refs)

        monkeypatch.setattr(fetched, "_fetch", fetch)


class TestHangs:
    """The remote hangs for any number of refs."""

    def test_hosts_that_were_heard_are_current_in_each_round_which_takes_a_bounded_time(
        self, filled: Filled, reader: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """900 of them, fewer than are taken, kept every host out that came after them by name."""
        line = Hanging(set(names(900)))
        line.install(monkeypatch)
        filled.point(line.hosts, filled.refs()["refs/st2/presence/h1"])
        for number in range(6, 19):
            filled.sound(KNOWN, stamp(number), seq=number)
            line.spent_s.clear()
            found = collect(reader.site)
            assert current(reader, number)
            assert sum(line.spent_s) <= 30 + BUDGET_S
            assert {each.code for each in found.findings} >= {"collect-late"}

    def test_a_new_host_among_them_is_found_in_the_end(
        self, filled: Filled, reader: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        line = Hanging(set(names(16)))
        line.install(monkeypatch)
        filled.point(line.hosts, filled.refs()["refs/st2/presence/h1"])
        filled.sound(["a00003-new"], seq=5)
        for number in range(6, 20):
            filled.sound(KNOWN, seq=number)
            found = collect(reader.site)
        assert current(reader, 5, ["a00003-new"])
        assert {host for host, _ in found.refused} == line.hosts
        assert found.findings == ()

    def test_one_that_was_heard_and_hangs_now_keeps_no_other_one(
        self, filled: Filled, reader: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        line = Hanging({"h1"})
        line.install(monkeypatch)
        for number in range(6, 9):
            filled.sound(KNOWN, stamp(number), seq=number)
            found = collect(reader.site)
            assert current(reader, number, ["h2"])
            assert [host for host, _ in found.refused] == ["h1"]
        assert current(reader, 5, ["h1"])


class TestOtherNames:
    """Refs come and go, and come again under other names."""

    @pytest.fixture(autouse=True)
    def _few(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let a crowd be a small one."""
        for module in (crowd, fetched, collecting):
            monkeypatch.setattr(module, "MOST", MOST)

    def test_no_more_hosts_are_taken_than_may_be_there_at_once(
        self, filled: Filled, reader: Member
    ) -> None:
        """Each round had as many hosts written as a remote may have, and none was ever removed."""
        for turn in range(6):
            filled.drop(names(15, f"a{turn - 1}"))
            filled.sound(names(15, f"a{turn}"), seq=5)
            filled.sound(KNOWN, stamp(6 + turn), seq=6 + turn)
            found = collect(reader.site)
            assert current(reader, 6 + turn)
            # This host itself counts, whose beat nobody has taken here.
            assert len(list((reader.root / "hosts").iterdir())) < MOST
            assert len(list((reader.root / ".st2/h3/collected").iterdir())) < MOST
        assert [each.message.partition(" left")[0] for each in found.findings] == [
            "presence refs: 15"
        ]

    def test_of_refs_that_could_not_be_had_nothing_stays_once_they_are_gone(
        self, filled: Filled, reader: Member
    ) -> None:
        for turn in range(4):
            filled.drop(names(15, f"a{turn - 1}"))
            filled.point(names(15, f"a{turn}"), NOWHERE)
            assert len(collect(reader.site).refused) == 15
            assert len(list((reader.root / ".st2/h3/collected").iterdir())) == 17
        filled.drop(names(15, "a3"))
        assert collect(reader.site).refused == ()
        assert {each.name for each in (reader.root / ".st2/h3/collected").iterdir()} == set(KNOWN)

    def test_what_was_refused_of_a_host_that_was_heard_stays_known(
        self, filled: Filled, reader: Member
    ) -> None:
        filled.point(["h1"], NOWHERE)
        assert [host for host, _ in collect(reader.site).refused] == ["h1"]
        filled.drop(["h1"])
        collect(reader.site)
        known = held.load(reader.site.files, reader.site.layout, "h1")
        assert (known.node, known.seq) == ("f" * 16, 5)
        filled.sound(["h1"], stamp(4), seq=5)
        assert "a replay" in collect(reader.site).refused[0][1]


class TestTurns:
    """Of what a round has no time for, nobody waits for ever."""

    def test_a_large_one_beside_many_small_ones_that_always_change_has_its_turn(self) -> None:
        sizes = {f"a{number:03}": 100 for number in range(100)} | {"large": 900}
        heard = dict.fromkeys(sizes, 1)

        def read(tips: dict[str, str]) -> Iterable[tuple[str, Raw]]:
            return ((name, b"") for name in sorted(tips, key=lambda name: (sizes[name], name)))

        def take(name: str, _: Raw) -> int:
            heard[name] = turn
            return sizes[name]

        waits = dict.fromkeys(sizes, 0)
        for turn in range(2, 22):
            done = in_turn(
                dict.fromkeys(sizes, ""),
                read=read,  # type: ignore[arg-type]
                take=take,
                heard_ms=heard.__getitem__,
                most=4_000,
            )
            assert sum(map(sizes.__getitem__, done)) <= 4_000 + 900 + 100
            for name in sizes:
                waits[name] = 0 if name in done else waits[name] + 1
            assert max(waits.values()) <= 5, turn

    def test_of_those_that_wait_one_that_was_never_heard_comes_last(self) -> None:
        order: list[str] = []

        def take(name: str, _: Raw) -> int:
            order.append(name)
            return 3

        in_turn(
            dict.fromkeys("abcd", ""),
            read=lambda tips: ((name, b"") for name in tips),  # type: ignore[return-value]
            take=take,
            heard_ms={"b": 0, "c": 9, "d": 2}.__getitem__,
            most=4,
        )
        assert order == ["a", "d"]


class TestTold:
    """What is told is bounded, whoever decides how much there is to tell."""

    def test_hosts_that_were_never_heard_are_counted_and_few_are_named(self) -> None:
        refused = [(name, "no") for name in names(900)] + [("h1", "no")]
        told = of_collect(refused, ["h1"], [Finding("refs-crowded", "too many")])
        assert told[:2] == ["too many", "h1: no; its last good records stay"]
        assert told[2:-1] == [f"{name}: no" for name in names(FEW)]
        assert told[-1] == "895 more remarks about hosts: st2 hosts has those of each"

    def test_as_many_as_a_fleet_has_are_all_told(self) -> None:
        refused = [(name, "no") for name in names(MOST_TOLD)]
        assert len(of_collect(refused, names(MOST_TOLD), [])) == MOST_TOLD
        refused.append(("h1", "no"))
        told = of_collect(refused, [name for name, _ in refused], [])
        assert told[-1] == "1 more remarks about hosts: st2 hosts has those of each"
        assert len(told) == MOST_TOLD + 1


def test_what_is_held_of_the_largest_snapshot_can_be_read_again() -> None:
    """It was cut, counted as none, and the numbers that may not come again were forgotten."""
    files, layout = MemoryFiles(), Layout("", "h1")
    count = SNAPSHOT_BYTES // (128 + len("/held\t\t0\n"))
    paths = [tuple(f"{salt}{n:0127}/held" for n in range(count)) for salt in "ab"]
    largest = held.Held(node="f" * 16, seq=9, records=(*paths[0], *paths[1]), seqs={"f" * 16: 9})
    held.save(files, layout, "h2", largest)  # type: ignore[arg-type]
    assert held.load(files, layout, "h2") == largest  # type: ignore[arg-type]


@pytest.mark.parametrize(("more", "is_grown"), [(0, False), (1, True)])
def test_a_cache_that_is_larger_than_two_rounds_read_is_made_anew(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch, more: int, is_grown: bool
) -> None:
    monkeypatch.setattr(systems_git, "PACKED_BYTES", 1_000)
    pack = fleet.folder / "own/objects/pack"
    pack.mkdir(parents=True)
    for number in range(2):
        (pack / f"pack-{number}.pack").write_bytes(bytes(500 + more * number))
    assert Git(str(fleet.folder / "own")).is_grown() is is_grown


def test_what_a_host_replaces_at_each_round_does_not_pile_up(
    fleet: Fleet, reader: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(systems_git, "PACKED_BYTES", 100_000)
    sizes = []
    for number in range(6, 14):
        lines = [b"a%05d/status\t%s\t0" % (n, os.urandom(120).hex().encode()) for n in range(300)]
        fleet.forge("h1", a_snapshot("h1", *lines, seq=number))
        assert collect(reader.site).hosts == ("h1",)
        pack = reader.own("read") / "objects/pack"
        sizes.append(sum(path.stat().st_size for path in pack.iterdir()))
    assert max(sizes) < 100_000 + 2 * min(sizes)
