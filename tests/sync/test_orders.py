"""Three hosts at work that sync in every order: all read the same, and nothing is lost."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from catalog.record import Record, parse
from catalog.sync.collect import collect
from catalog.sync.publish import publish
from sync.model import MEMORY
from sync.model.line import Offer
from sync.model.place import Place
from sync.model.remote import MemoryRemote
from sync.model.witness import Witness

BEATS = 50
HOSTS = ("h1", "h2", "h3")
ROUNDS = sorted({tuple(order) for order in permutations("112233")})
"""Every order of three hosts' publishes (a digit's first place) and collects (its second)."""


class Hosts:
    """Three hosts around one remote, and the witness of what they write."""

    def __init__(self, folder: Path) -> None:
        self.sent: list[Offer] = []
        self.far = MemoryRemote(folder)
        self.places = [Place(folder, host, host, self.far, self.sent) for host in HOSTS]
        self.witness = Witness(self.places)
        for place in self.places:
            place.start("a")

    def work(self) -> None:
        """One beat and one success on each host, each by its own clock, 6 s further."""
        for place in self.places:
            place.now_ms += 6_000
            place.beat("a")
            self.witness.looks_at(place)

    def sync(self, order: tuple[int, ...]) -> None:
        """One round of each host; nobody is refused, and nobody needs a second try."""
        for index in order:
            report = self.places[index].sync()
            assert report is not None and report.published is not None
            assert (report.published.tries, report.collected.refused) == (1, ())
            self.witness.reads(self.places[index])

    def all_read_the_same(self) -> None:
        """Every host has the very records that each owner wrote last."""
        for owner in self.places:
            own = owner.records(owner.host)
            assert set(own) == {"a/activity", "a/session.json", "a/status"}
            assert all(reader.records(owner.host) == own for reader in self.places)


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    """Three hosts that have a session each."""
    with tempfile.TemporaryDirectory(prefix="st2-orders-", dir=MEMORY) as folder:
        yield Hosts(Path(folder))


class TestCaseX1:
    """3 hosts, each 50 beats and activities, sync in every order."""

    @pytest.mark.parametrize("order", list(permutations(range(3))))
    def test_after_fifty_beats_all_three_read_the_same(
        self, hosts: Hosts, order: tuple[int, ...]
    ) -> None:
        """Case X1."""
        for beat in range(BEATS):
            hosts.work()
            if beat % 10 == 9:
                hosts.sync(order)
        hosts.sync(order)
        hosts.all_read_the_same()
        for place in hosts.places:
            newest = parse(place.records("h1")["a/activity"], lambda word: word == "success")
            assert isinstance(newest, Record)
            assert newest.stamp_ms > 1_800_000_000_000 + BEATS * 6_000

    def test_in_every_order_of_three_publishes_and_three_collects(self, hosts: Hosts) -> None:
        """Case X1. 90 orders, one after the other, so that each begins where another ended."""
        for order in ROUNDS:
            hosts.work()
            self.halves(hosts, order)
            for place in hosts.places:
                collect(place.site)
            hosts.all_read_the_same()

    def halves(self, hosts: Hosts, order: tuple[str, ...]) -> None:
        published: set[str] = set()
        for host in order:
            place = hosts.places[int(host) - 1]
            if host not in published:
                assert publish(place.site).tries == 1
                published.add(host)
            else:
                assert collect(place.site).refused == ()
            hosts.witness.reads(place)
