"""Two hosts whose clocks differ: one collects, the other publishes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog import claim as claims
from catalog import heard
from catalog.assess import Assessed, assess_agent, host_beat_ms
from catalog.claim import Claim
from catalog.reader import Reader
from catalog.roster import Entry, build
from catalog.survey import survey
from catalog.sync.collect import collect
from catalog.sync.hosts import Host, known_hosts
from catalog.sync.publish import publish
from support.fleet import Fleet, Member

MINUTE_MS = 60_000


@dataclass
class Pair:
    """h1 collects, h2 publishes; h2's clock is off by what a test says."""

    fleet: Fleet
    h1: Member
    h2: Member
    offset_ms: int = 0

    @property
    def now_ms(self) -> int:
        """The time by h1's clock, which is right."""
        return self.fleet.now_ms

    def his_ms(self) -> int:
        """The time by h2's clock: h1's minus the offset."""
        self.fleet.now_ms += 1
        return self.fleet.now_ms - self.offset_ms

    def wait(self, ms: int) -> None:
        self.fleet.now_ms += ms

    def publish(self, word: bytes = b"busy") -> None:
        """h2 beats and publishes, and both are there at once."""
        self.h2.put("a1", "status", word + b"\nv1 %d\n" % self.his_ms())
        publish(self.h2.site)

    def look(self) -> Host:
        """What h1 knows of h2."""
        site = self.h1.site
        found = known_hosts(site.files, site.layout, now_ms=self.now_ms)
        return next(host for host in found if host.name == "h2")

    def row(self) -> Assessed:
        """h2's agent, as a command of h1 reads it now."""
        reader = Reader(self.h1.site.files, self.h1.site.layout)
        return assess_agent(reader, "h2", "a1", look=nobody, now_ms=self.now_ms)

    def rounds(self, total_ms: int, every_ms: int, publish_ms: int = 300_000) -> Iterator[int]:
        """Let time pass: h2 publishes, h1 polls; yield after each poll."""
        for at in range(0, total_ms, every_ms):
            if at % publish_ms < every_ms:
                self.publish()
            self.wait(every_ms)
            collect(self.h1.site)
            yield at


def nobody(claim: Claim) -> None:
    """There is no process to be seen of another host."""


def worked(pair: Pair, before_ms: int) -> Assessed:
    """A session of h2 whose work landed *before_ms* before h2 published, collected by h1."""
    at = pair.his_ms()
    one = Claim(
        agent="a1",
        host="h2",
        node=pair.h2.site.node,
        session="s" * 16,
        generation=1,
        harness="claude",
        runtime="h2.a1",
        registered_by="hook",
        started_ms=at - 2 * before_ms,
        took_over=False,
        ended_ms=None,
        end_reason=None,
        exit=None,
        previous=None,
    )
    pair.h2.put("a1", "session.json", claims.render(one))
    pair.h2.put("a1", "status", b"busy\nv1 %d\n" % at)
    # The beat is stamped when the publish is made: the tick after those that it takes.
    pair.h2.put("a1", "activity", b"running\nv1 %d\n" % (at + 1 - before_ms))
    done = publish(pair.h2.site)
    pair.h2.put("a1", "activity", b"running\nv1 %d\n" % (done.beat_ms + 1 - before_ms))
    again = publish(pair.h2.site)
    assert again.beat_ms == done.beat_ms + 1
    collect(pair.h1.site)
    return rows_of(pair)


def rows_of(pair: Pair) -> Assessed:
    """h2's agent as the roster of h1 has it, its work too."""
    files, layout = pair.h1.site.files, pair.h1.site.layout
    beat_ms = host_beat_ms(files.read(layout.host_beat("h2")))
    entry = Entry()
    [entry.place] = survey(files, layout).places
    [row] = build(
        {("h2", "a1"): entry},
        layout,
        host_beats={"h2": beat_ms},
        look=nobody,  # type: ignore[arg-type]
        now_ms=pair.now_ms,
        heard={"h2": heard.load(files, layout, "h2")},
    )
    return row.assessed
