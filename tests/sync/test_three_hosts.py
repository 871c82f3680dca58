"""Three hosts under every fault between them: nobody reads what was not, or what was before.

The code is the real one, on real files: Writer, publish and collect. `ThreeHosts` has its remote
in a dictionary, `ThreeHostsOverGit` in a bare repository. `ST2_MACHINE=N` runs N times as many.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from catalog.errors import St2Error
from catalog.snapshot import Snapshot, decode
from catalog.sync.round import Report
from catalog.sync_errors import DuplicateHost
from sync.model import MEMORY
from sync.model.line import FAULTS, Offer
from sync.model.place import DECLARATION, Place
from sync.model.remote import BROKEN, FarEnd, GitRemote, MemoryRemote
from sync.model.witness import Witness, node_of

DAY_MS = 86_400_000
NAMES = {"h1": "h1", "h2": "h2", "h3": "h3", "clone": "h1"}
"""The copies of the catalog, and the host that each says it is: two say h1."""

PLACES, HOSTS = st.sampled_from(sorted(NAMES)), st.sampled_from(("h1", "h2", "h3"))
AGENTS = st.sampled_from(("a", "b"))
STEPS = st.sampled_from(
    (1_000, 60_001, 900_000, 7_200_000, 2 * DAY_MS, -1, -60_001, -3_600_000, -2 * DAY_MS)
)
CRASH = st.integers(0, 12)
ACTS = ("starts", "beats", "ends", "is removed", "busy", "dnd", "offline")
REASONS = ("a replay", "seq ahead", "its ref")
MANY = int(os.environ.get("ST2_MACHINE", "1"))


class ThreeHosts(RuleBasedStateMachine):
    """`self.places` are the copies, `self.sent` every push ever, `self.old` every snapshot."""

    remote: type[FarEnd] = MemoryRemote

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="st2-three-", dir=MEMORY))
        self.far: Any = self.remote(self.folder)  # type: ignore[call-arg]
        self.sent: list[Offer] = []
        self.gone = False
        self.places = {
            place: Place(self.folder, host, place, self.far, self.sent)
            for place, host in NAMES.items()
        }
        for place in self.places.values():
            for host in ("h1", "h2", "h3"):
                place.declare(host, "a")
        self.witness = Witness(list(self.places.values()))

    # What agents do.

    @rule(where=PLACES, agent=AGENTS, act=st.sampled_from(ACTS))
    def an_agent_acts(self, where: str, agent: str, act: str) -> None:
        self.act(where, agent, act)

    @rule(where=PLACES, verdict=st.sampled_from(("gone", "unknown")))
    def its_harnesses_are_looked_at(self, where: str, verdict: str) -> None:
        self.places[where].verdict = verdict

    # What hosts do.

    @rule(order=st.permutations(sorted(NAMES)), agent=AGENTS, act=st.sampled_from(ACTS))
    def all_work_and_sync(self, order: list[str], agent: str, act: str) -> None:
        for where in order:
            self.act(where, agent, act)
            self.sync(where)

    @rule(where=PLACES, ms=STEPS)
    def its_clock_is_set(self, where: str, ms: int) -> None:
        place = self.places[where]
        place.now_ms = max(place.now_ms + ms, 0)

    @rule(where=PLACES, fault=st.sampled_from(FAULTS))
    def it_syncs(self, where: str, fault: str) -> None:
        self.sync(where, fault=fault)

    @rule(where=PLACES, changes=CRASH)
    def it_dies_in_a_round(self, where: str, changes: int) -> None:
        self.sync(where, crash_in=changes)

    @rule(where=PLACES, changes=st.none() | CRASH)
    def it_takes_its_name_over(self, where: str, changes: int | None) -> None:
        self.look(where)
        self.check(where, self.places[where].replace_node(crash_in=changes))

    @rule(where=PLACES, host=HOSTS)
    def a_host_is_forgotten(self, where: str, host: str) -> None:
        self.look(where)
        self.witness.forgotten.add(host)
        self.places[where].forget(host)
        self.check(where, None)

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def a_push_arrives_late_or_again(self, data: st.DataObject) -> None:
        data.draw(st.sampled_from(self.sent)).deliver()

    # What happens to the remote.

    @precondition(lambda self: self.sent and not self.gone)
    @rule(data=st.data())
    def an_old_snapshot_is_pushed_again(self, data: st.DataObject) -> None:
        offer = data.draw(st.sampled_from(self.sent))
        self.far.force(offer.host, offer.raw)

    @precondition(lambda self: len(self.sent) > 3 and not self.gone)
    @rule(where=PLACES, changes=CRASH, back=st.integers(2, 4))
    def it_dies_in_a_round_and_the_remote_goes_back(
        self, where: str, changes: int, back: int
    ) -> None:
        """What was half read is not followed by what was there before."""
        self.sync(where, crash_in=changes)
        for host in {"h1", "h2", "h3"} - {NAMES[where]}:
            sent = [offer for offer in self.sent if offer.host == host]
            if len(sent) >= back:
                self.far.force(host, sent[-back].raw)
        self.sync(where)

    @precondition(lambda self: not self.gone)
    @rule(host=HOSTS, kind=st.sampled_from((*BROKEN, "deleted")))
    def a_ref_breaks(self, host: str, kind: str) -> None:
        if kind == "deleted":
            self.far.delete(host)
        else:
            self.far.damage(host, kind)

    @precondition(lambda self: not self.gone)
    @rule(restore=st.booleans())
    def the_remote_is_backed_up_or_restored(self, restore: bool) -> None:
        (self.far.restore if restore else self.far.backup)()

    @rule(gone=st.booleans())
    def the_remote_goes_or_comes_back(self, gone: bool) -> None:
        self.gone = gone
        self.far.gone(gone)

    # What holds at every moment.

    def act(self, where: str, agent: str, act: str) -> None:
        """One agent does something; what the claim does not allow it leaves."""
        place = self.places[where]
        try:
            if act == "starts":
                place.start(agent)
            elif act == "is removed":
                place.remove(agent)
            elif act in ("beats", "ends") and agent in place.holds:
                (place.beat if act == "beats" else place.end)(agent)
            elif act not in ("beats", "ends"):
                place.set(agent, act)
        except St2Error:  # its publisher has ended it as lost
            place.holds.pop(agent, None)

    def sync(self, where: str, *, fault: str = "none", crash_in: int | None = None) -> None:
        """One round, watched."""
        self.look(where)
        self.check(where, self.places[where].sync(fault=fault, crash_in=crash_in))

    def look(self, where: str) -> None:
        """Remember what the place has of its own, and what it shows of the others."""
        self.witness.looks_at(self.places[where])
        self.own = self.places[where].records(NAMES[where])
        self.ended = {path for path in self.own if path.endswith("/session.json")}
        self.shown = {host: self.of(self.places[where], host) for host in ("h1", "h2", "h3")}

    def of(self, place: Place, host: str) -> tuple[str, set[str]]:
        """Which node a place has of a host, and which records."""
        return node_of(place, host), set(place.records(host))

    def check(self, where: str, report: Report | None) -> None:
        place = self.places[where]
        self.witness.looks_at(place)
        after = place.records(place.host)
        changed = {path for path in after if after[path] != self.own.get(path)}
        assert after.keys() == self.own.keys(), "its own folder gained or lost a record"
        assert changed <= self.ended, "its own publisher writes ends of lost sessions alone"
        self.witness.reads(place)
        for host in {"h1", "h2", "h3"} - {place.host}:
            (node, records), (after_node, after_records) = self.shown[host], self.of(place, host)
            kept = records <= after_records or host in self.witness.forgotten
            assert node == after_node or kept, "another node's records are gone"
        if report is not None and report.uncollected is None:
            refused = dict(report.collected.refused)
            for host in {"h1", "h2", "h3"} - {place.host}:
                self.is_current(place, host, refused.get(host, ""))

    def is_current(self, place: Place, host: str, refused: str) -> None:
        """What is there and not refused stands here; what is refused has one of the reasons."""
        if refused:
            assert any(reason in refused for reason in REASONS), refused
            return
        raw = self.far.peek(host)
        said = decode(raw, host=host) if raw is not None else None
        if isinstance(said, Snapshot):
            here = place.records(host)
            assert {e.path: e.raw for e in said.entries}.items() <= here.items()

    @invariant()
    def a_declaration_is_never_touched(self) -> None:
        wanted = {f"agents/{host}/a/agent.kdl": DECLARATION for host in ("h1", "h2", "h3")}
        for place in self.places.values():
            assert place.others() == wanted

    # What holds in the end.

    def teardown(self) -> None:
        try:
            if hasattr(self, "places"):
                self.repair()
        finally:
            shutil.rmtree(getattr(self, "folder", "/nonexistent"), ignore_errors=True)

    def repair(self) -> None:
        """Set the clocks, mend the remote, let one h1 win: everybody reads what owners wrote."""
        self.far.gone(False)
        right_ms = max(place.now_ms for place in self.places.values()) + 1_000
        for place in self.places.values():
            place.now_ms = right_ms
            if self.far.peek(place.host) is None:
                self.far.delete(place.host)
        alive = [self.places[name] for name in ("h1", "h2", "h3")]
        for place in alive:
            self.look(place.name)
            report = place.sync()
            assert report is not None
            if isinstance(report.unpublished, DuplicateHost) or self.is_told_of_its_number(report):
                report = place.replace_node()
            assert report is not None and report.failed is None, report
            self.check(place.name, report)
        for place in alive:
            self.look(place.name)
            report = place.sync()
            assert report is not None and report.failed is None, report
            assert report.collected.refused == ()
            self.check(place.name, report)
        for reader in alive:
            for owner in alive:
                own, read = owner.records(owner.host), reader.records(owner.host)
                assert own.items() <= read.items()

    def is_told_of_its_number(self, report: Report) -> bool:
        return any(each.code == "seq-ahead" for each in report.findings)


class ThreeHostsOverGit(ThreeHosts):
    """The same over a bare repository."""

    remote = GitRemote


CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

TestThreeHosts = ThreeHosts.TestCase
TestThreeHosts.pytestmark = [pytest.mark.timeout(600)]
TestThreeHosts.settings = settings(
    max_examples=35 * MANY,
    stateful_step_count=30,
    deadline=None,
    derandomize=MANY == 1,
    suppress_health_check=CHECKS,
)

TestThreeHostsOverGit = ThreeHostsOverGit.TestCase
TestThreeHostsOverGit.pytestmark = [pytest.mark.timeout(600)]
TestThreeHostsOverGit.settings = settings(
    max_examples=3 * MANY,
    stateful_step_count=12,
    deadline=None,
    derandomize=MANY == 1,
    suppress_health_check=CHECKS,
)
