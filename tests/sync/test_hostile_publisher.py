"""A publisher that lies, over many rounds: what a reader shows of others stays what they said.

h1 reads, h2 is honest, h3 lies under its own ref and under names that nobody has. A twin of h1
sees the same remote without h3: of h1 and h2 both show the same rows, always. `ST2_MACHINE=N`
runs N times as many.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from catalog import claim as claims
from catalog.claim import Claim
from catalog.gathered import gathered
from catalog.layout import RECORDS
from catalog.roster import Row
from catalog.snapshot import Refused, Snapshot, apart, decode, encode, entry
from catalog.sync import held
from catalog.sync.collect import collect
from catalog.sync.hosts import known_hosts
from catalog.witness import Sight
from catalogs import claim
from support.fleet import START_MS, Fleet, Member, SharedRefs, a_snapshot
from support.mortal import Crash
from sync.model import MEMORY
from sync.model.lies import DAY_MS, HOUR_MS, LIVE, NODES, VOUCHING, sessions, stamped, words_at

MANY = int(os.environ.get("ST2_MACHINE", "1"))
ALLOWED = re.compile(
    r"agents/h3[a-z0-9-]*/[A-Za-z0-9][A-Za-z0-9._-]{0,127}/(activity|held|seen|session.json|status)"
    r"|hosts/h3[a-z0-9-]*/beat"
)
"""Where anything of h3's may stand in the catalog."""

OWN_REFS = ("h3", "h3-b")
LYING_REFS = (*OWN_REFS, "h1", "H3", "h3/x", "../h2", "h2 ", "h\u0131", "a" * 64)
SOUND = st.sampled_from(("w", "W", "a", "A", "a.b", "x" * 128, "h2"))
ODD = SOUND | st.sampled_from(("a.orig", "..", "a/b", "\u0131"))
STEPS = (1_000, 15_000, 300_000, 900_000, HOUR_MS, -HOUR_MS, DAY_MS, -DAY_MS)


class HostilePublisher(RuleBasedStateMachine):
    """`self.said` has every record that h3 ever put into a snapshot of a sound form."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="st2-hostile-", dir=MEMORY))
        self.fleet = Fleet(self.folder / "in", in_memory=True)
        self.now_ms = START_MS
        (self.folder / "outside").write_bytes(b"mine\n")
        self.reader = self.member("reader", self.fleet.refs)
        self.honest: dict[str, tuple[str, bytes]] = {}
        self.twin = self.member("twin", self.honest)
        self.said: dict[str, set[bytes]] = {}
        self.seqs: dict[tuple[str, str], int] = {}
        self.seq = START_MS
        self.h2_publishes("busy", 0)
        self.own_session_beats()

    def member(self, place: str, refs: dict[str, tuple[str, bytes]]) -> Member:
        made = self.fleet.host("h1", place=place)
        exchange: Any = SharedRefs(refs, "h1", made.site.exchange.remote)
        site = replace(made.site, exchange=exchange, now_ms=lambda: self.now_ms)
        return Member(site, made.root)

    # What honest hosts do.

    @rule(word=st.sampled_from(VOUCHING), ahead_ms=st.sampled_from((0, -HOUR_MS)))
    def h2_publishes(self, word: str, ahead_ms: int) -> None:
        self.seq += 1
        at = self.now_ms + ahead_ms
        line = b"a/status\t%s\\nv1 %d\\n" % (word.encode(), at)
        raw = a_snapshot("h2", line, node="2" * 16, seq=self.seq, beat=self.now_ms)
        for refs in (self.fleet.refs, self.honest):
            refs["h2"] = (hashlib.sha1(raw).hexdigest(), raw)

    @rule()
    def own_session_beats(self) -> None:
        one = claim(agent="w", session=LIVE, started_ms=START_MS)
        for member in (self.reader, self.twin):
            member.put("w", "session.json", claims.render(one), 1_000)
            member.put("w", "status", b"busy\nv1 %d\n" % self.now_ms, 1_000)

    @rule(ms=st.sampled_from(STEPS))
    def the_readers_clock_goes_on_or_is_set(self, ms: int) -> None:
        self.now_ms += ms

    # What h3 does.

    @rule(data=st.data(), refs=st.lists(st.sampled_from(OWN_REFS), min_size=1, max_size=4))
    def h3_publishes_and_is_heard(self, data: st.DataObject, refs: list[str]) -> None:
        for ref in refs:
            self.h3_publishes(data, ref, again=False)
            self.it_collects()

    @rule(data=st.data(), ref=st.sampled_from(OWN_REFS), again=st.booleans())
    def h3_publishes(self, data: st.DataObject, ref: str, again: bool) -> None:
        node = data.draw(st.sampled_from(NODES))
        now_ms, last = self.now_ms, self.seqs.get((ref, node), self.now_ms)
        agents = data.draw(st.sampled_from((SOUND, SOUND, SOUND, ODD)))
        keys = st.tuples(agents, st.sampled_from(RECORDS))
        entries = data.draw(st.dictionaries(keys, words_at(now_ms), max_size=5))
        for agent in data.draw(st.lists(agents, max_size=2)):
            entries[agent, "session.json"] = data.draw(sessions(now_ms, ref, agent))
        near = (last + 1, last + 1, last, max(last - 1, 0), max(now_ms, last + 1))
        seq = data.draw(st.sampled_from(near) | stamped(now_ms))
        made = Snapshot(
            host=ref,
            node=node,
            seq=seq,
            beat_ms=data.draw(stamped(now_ms)),
            entries=tuple(
                entry(agent, kind, raw, mtime_ms=data.draw(stamped(now_ms)))
                for (agent, kind), raw in entries.items()
            ),
            forgotten=data.draw(st.sampled_from((0, 0, 0, 0, 0, 1, seq, seq + 1))),
        )
        self.push(ref, encode(made), "x" if again else str(now_ms))

    @rule(data=st.data(), ref=st.sampled_from(LYING_REFS), name=st.sampled_from(("h1", "h2", "h3")))
    def h3_publishes_as_somebody_else_or_under_no_name(
        self, data: st.DataObject, ref: str, name: str
    ) -> None:
        status = data.draw(words_at(self.now_ms))
        made = entry("a", "status", status, mtime_ms=self.now_ms)
        node, seq = data.draw(st.sampled_from(("2" * 16, *NODES))), self.now_ms + 1
        one = Snapshot(host=name, node=node, seq=seq, beat_ms=self.now_ms, entries=(made,))
        self.push(ref, encode(one), "y")

    @rule(ref=st.sampled_from(OWN_REFS), at=st.integers(0, 400), byte=st.binary(max_size=3))
    def h3_breaks_its_snapshot(self, ref: str, at: int, byte: bytes) -> None:
        raw = self.fleet.refs.get(ref, ("", a_snapshot(ref)))[1]
        self.push(ref, raw[:at] + byte + raw[at + 1 :], "z")

    @rule(ref=st.sampled_from(LYING_REFS))
    def its_ref_vanishes(self, ref: str) -> None:
        self.fleet.refs.pop(ref, None)

    def push(self, ref: str, raw: bytes, salt: str) -> None:
        self.fleet.refs[ref] = (hashlib.sha1(raw + salt.encode()).hexdigest(), raw)
        found = decode(raw, host=ref)
        if isinstance(found, Snapshot):
            for each in found.entries:
                self.said.setdefault(f"agents/{ref}/{each.path}", set()).add(each.raw)

    # What the reader does.

    @rule()
    def it_collects(self) -> None:
        before, own = self.files(), self.own()
        self.taken = {ref: self.held(ref).oid for ref in OWN_REFS}
        done = collect(self.reader.site)
        collect(self.twin.site)
        assert self.own() == own
        refused = dict(done.refused)
        assert refused.keys() >= {
            ref for ref in self.fleet.refs if ref not in (*OWN_REFS, "h1", "h2")
        }
        for ref in OWN_REFS:
            now = {path: raw for path, raw in self.files().items() if f"/{ref}/" in path}
            was = {path: raw for path, raw in before.items() if f"/{ref}/" in path}
            if ref in refused or ref not in self.fleet.refs:
                assert now == was, f"{ref} was refused: {refused.get(ref)}"
            else:
                self.is_what_it_says(ref, now, was)

    def is_what_it_says(self, ref: str, now: dict[str, bytes], was: dict[str, bytes]) -> None:
        value = decode(self.fleet.refs[ref][1], host=ref)
        assert not isinstance(value, Refused)
        assert value.seq <= self.now_ms + DAY_MS or self.fleet.refs[ref][0] == self.taken[ref]
        kept, _ = apart(value)
        told = {f"agents/{ref}/{each.path}": each.raw for each in kept}
        here = {path: raw for path, raw in now.items() if path.startswith("agents/")}
        assert told.items() <= here.items()
        assert all(was.get(path) == raw for path, raw in here.items() if path not in told)

    @rule(changes=st.integers(0, 6))
    def it_dies_in_a_collect(self, changes: int) -> None:
        own, files = self.own(), self.reader.site.files
        files.crash_in = changes  # type: ignore[attr-defined]
        try:
            collect(self.reader.site)
        except Crash:
            pass
        finally:
            files.crash_in = None  # type: ignore[attr-defined]
        assert self.own() == own
        self.it_collects()

    # What holds at every moment.

    def held(self, ref: str) -> held.Held:
        return held.load(self.reader.site.files, self.reader.site.layout, ref)

    def files(self) -> dict[str, bytes]:
        return self.reader.records()

    def own(self) -> dict[str, bytes]:
        found = self.files()
        return {path: raw for path, raw in found.items() if path.startswith("agents/h1/")}

    def rows(self, member: Member) -> list[Row]:
        site = member.site
        return gathered(site.files, site.layout).rows(now_ms=self.now_ms, look=self.look)

    def look(self, one: Claim) -> Sight:
        """See the session that lives here; nobody asks about another host's."""
        assert one.host == "h1", "a claim of another host was looked at"
        return Sight("alive", 7, True)

    @invariant()
    def nothing_is_written_but_records_of_the_ref_that_has_them(self) -> None:
        for path, raw in self.files().items():
            if path.startswith(("agents/h1/", "agents/h2/", "hosts/h2/")):
                continue
            assert ALLOWED.fullmatch(path), path
            assert path.startswith("hosts/") or raw in self.said[path], path
        top = {path.name for path in self.reader.root.iterdir()}
        assert top <= {"agents", "hosts", ".st2"}
        assert {path.name for path in self.folder.iterdir()} == {"in", "outside"}
        assert {path.name for path in (self.folder / "in").iterdir()} == {"reader", "twin"}

    @invariant()
    def numbers_of_a_node_never_go_back(self) -> None:
        for ref in OWN_REFS:
            for node, seq in self.held(ref).seqs.items():
                assert seq >= self.seqs.get((ref, node), 0)
                self.seqs[ref, node] = seq

    @invariant()
    def rows_of_others_are_those_of_a_reader_that_never_heard_of_it(self) -> None:
        def told(member: Member) -> list[tuple[object, ...]]:
            rows = [row for row in self.rows(member) if row.host in ("h1", "h2")]
            return [(r.identity, r.state, r.assessed.presence.why, r.routable) for r in rows]

        assert told(self.reader) == told(self.twin)

    @invariant()
    def no_row_says_more_than_its_record(self) -> None:
        for row in self.rows(self.reader):
            if row.host in ("h1", "h2"):
                continue
            raw = self.reader.read(f"agents/{row.host}/{row.agent}/status") or b""
            age_ms = row.assessed.presence.age_ms
            if row.state in VOUCHING:
                assert raw.split(b"\n")[0] == row.state.encode()
                assert age_ms is not None and 0 <= age_ms < 900_000
                if stamp := re.fullmatch(rb"[a-z]+\nv1 (\d+)\n", raw):
                    assert -60_000 <= self.now_ms - int(stamp[1]) < 900_000
            if row.routable:
                assert row.state in VOUCHING
            assert row.assessed.sight is None

    @invariant()
    def the_hosts_can_be_listed(self) -> None:
        site = self.reader.site
        known_hosts(site.files, site.layout, now_ms=self.now_ms)

    def teardown(self) -> None:
        """Once h3 says nothing any more, of the others nobody reads what it said."""
        try:
            if hasattr(self, "twin"):
                for member in (self.reader, self.twin):
                    collect(member.site)
                mine, his = (
                    [(r.identity, r.state, r.assessed.presence.why) for r in self.rows(member)]
                    for member in (self.reader, self.twin)
                )
                assert [each for each in mine if not each[0].startswith("h3")] == his
        finally:
            shutil.rmtree(getattr(self, "folder", "/nonexistent"), ignore_errors=True)


TestHostilePublisher = HostilePublisher.TestCase
TestHostilePublisher.pytestmark = [pytest.mark.timeout(600)]
TestHostilePublisher.settings = settings(
    max_examples=40 * MANY,
    stateful_step_count=30,
    deadline=None,
    derandomize=MANY == 1,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
)
