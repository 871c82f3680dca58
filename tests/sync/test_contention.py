"""Thirty-two hosts that publish at the same moment, to one bare repository."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from catalog.sync.collect import collect
from catalog.sync.publish import Published, publish
from support.fleet import Fleet, Member

PUBLISHERS, ROUNDS, READERS = 32, 3, 3


def busy(number: int) -> bytes:
    return b"busy\nv1 %d\n" % number


@pytest.mark.slow
@pytest.mark.timeout(600)
class TestCaseX2:
    """32 publishers at once, 3 rounds."""

    def test_96_publishes_are_taken_and_every_reader_sees_each_hosts_newest(
        self, fleet: Fleet
    ) -> None:
        """Case X2."""
        members = [fleet.host(f"h{n}", limit_s=300.0) for n in range(PUBLISHERS)]
        barrier = Barrier(PUBLISHERS)
        taken: list[Published] = []
        with ThreadPoolExecutor(PUBLISHERS) as threads:
            for round_ in range(ROUNDS):
                for number, member in enumerate(members):
                    member.put("a1", "status", busy(1_000 * round_ + number))
                taken += threads.map(lambda member: self.at_once(barrier, member), members)
                self.everybody_reads(members[:READERS], round_)
        assert len(taken) == PUBLISHERS * ROUNDS
        assert sum(each.tries for each in taken) <= 1.1 * len(taken)
        refs = fleet.git("for-each-ref", "--format=%(objectname)", "refs/st2/").split()
        assert refs and set(refs) == {each.oid for each in taken[-PUBLISHERS:]}

    def at_once(self, barrier: Barrier, member: Member) -> Published:
        barrier.wait(timeout=300)
        return publish(member.site)

    def everybody_reads(self, readers: list[Member], round_: int) -> None:
        for reader in readers:
            assert collect(reader.site).refused == ()
            for number in range(PUBLISHERS):
                assert reader.read(f"agents/h{number}/a1/status") == busy(1_000 * round_ + number)
