"""The claim protocol under every order of starts, beats, ends, crashes and clock steps.

Beside the store runs a small model of the rules, written from the contract and not from the code.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from catalog.reader import Hold
from catalog.record import Record, parse, render
from catalog.session_errors import ClaimUnreadable, Conflict, Superseded
from support.agent import Agent
from support.memory import Crash, MemoryFiles

FOLDER = "agents/h1/a1"
OWNER = ".st2/h1/owner/a1"
SESSION = f"{FOLDER}/session.json"
STATUS = f"{FOLDER}/status"
TOKENS = st.sampled_from(("A", "B", "C"))
STEPS = st.sampled_from(
    (1, 1_000, 300_000, 899_999, 1_799_999, 1_800_000, -1, -60_001, -3_600_000, 7_200_000)
)
BROKEN = st.sampled_from((b"", b'{"v":2}', b"<<<<<<< ours\n", b'{"v":1}'))


class ClaimMachine(RuleBasedStateMachine):
    """`self.model` is the claim as the contract has it; None is no claim, "?" an unreadable one."""

    @initialize()
    def empty(self) -> None:
        self.files = MemoryFiles()
        self.agent = Agent(self.files)
        self.model: dict[str, Any] | str | None = None
        self.holds: list[Hold] = []
        self.proven = False
        self.declared = False

    # What the contract says.

    def refreshed(self, claim: dict[str, Any]) -> int:
        stamps = [claim["started_ms"], self.stamp("held")]
        stamps += [self.stamp("status")] if OWNER in self.files.held else []
        return max(stamps)

    def stamp(self, name: str) -> int:
        found = self.files.bytes.get(f"{FOLDER}/{name}")
        parsed = parse(found.raw, lambda _: True) if found else None
        return parsed.stamp_ms if isinstance(parsed, Record) else -1

    def live(self, claim: dict[str, Any]) -> bool:
        if claim["ended_ms"] is not None or self.agent.verdict == "gone":
            return False
        young = self.agent.now - self.refreshed(claim) < 1_800_000
        return self.agent.verdict == "alive" or young

    def outcome(self, token: str, force: bool) -> dict[str, Any] | type[Exception] | None:
        """What a start has to do: a new claim, a refusal, or None to keep the claim as it is."""
        old = self.model
        fresh = {"session": token, "started_ms": self.agent.now, "ended_ms": None}
        if old is None or (isinstance(old, str) and force):
            return {**fresh, "generation": 1, "took_over": False, "previous": None}
        if isinstance(old, str):
            return ClaimUnreadable
        same, ended = old["session"] == token, old["ended_ms"] is not None
        if same and not ended:
            return None
        if not same and self.live(old) and not force:
            return Conflict
        taken = not same and not ended
        previous = old["session"] if taken else None
        number = old["generation"] + 1
        return {**fresh, "generation": number, "took_over": taken, "previous": previous}

    # What happens.

    @rule(ms=STEPS)
    def time_passes_or_the_clock_is_set(self, ms: int) -> None:
        self.agent.now = max(self.agent.now + ms, 0)

    @rule(verdict=st.sampled_from(("alive", "gone", "unknown")))
    def the_harness_is_looked_at(self, verdict: str) -> None:
        self.agent.verdict = verdict

    @rule(runs=st.booleans())
    def an_owner_comes_or_goes(self, runs: bool) -> None:
        (self.files.held.add if runs else self.files.held.discard)(OWNER)

    @rule(token=TOKENS, force=st.booleans())
    def start(self, token: str, force: bool) -> None:
        wanted, before = self.outcome(token, force), dict(self.files.bytes)
        try:
            started = self.agent.start(token, force=force)
        except (Conflict, ClaimUnreadable) as error:
            assert wanted is type(error) and self.files.bytes == before
            return
        if wanted is None:
            assert self.files.bytes == before
            return
        assert isinstance(wanted, dict)
        self.model, self.proven = wanted, True
        self.holds.append(Hold(token, started.claim.generation))
        assert self.stamp("held") == -1 and f"{FOLDER}/activity" not in self.files.bytes

    @rule(token=TOKENS, force=st.booleans(), changes=st.integers(0, 5))
    def start_and_die_before_a_change(self, token: str, force: bool, changes: int) -> None:
        """A death leaves the old claim; or the new one, and beside it an old word or lock."""
        wanted, before = self.outcome(token, force), self.files.bytes.get(SESSION)
        self.files.crash_in = changes
        try:
            self.start(token, force)
        except Crash as crash:
            self.files.held.discard(".st2/h1/lock/a1")
            if self.files.bytes.get(SESSION) != before:
                assert str(crash) in (OWNER, STATUS) and isinstance(wanted, dict)
                self.model, self.proven = wanted, True
        finally:
            self.files.crash_in = None

    @precondition(lambda self: self.holds)
    @rule(data=st.data(), first=st.booleans())
    def beat(self, data: st.DataObject, first: bool) -> None:
        hold, before = data.draw(st.sampled_from(self.holds)), dict(self.files.bytes)
        try:
            self.agent.beat(hold, first=first)
            assert self.holds_it(hold)
        except Superseded:
            assert not self.holds_it(hold) and self.files.bytes == before
        except ClaimUnreadable:
            assert self.model == "?" and self.files.bytes == before

    @precondition(lambda self: self.holds)
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        hold, before = data.draw(st.sampled_from(self.holds)), dict(self.files.bytes)
        try:
            self.agent.end(hold)
        except Superseded:
            assert not self.holds_it(hold) and self.files.bytes == before
            return
        except ClaimUnreadable:
            assert self.model == "?" and self.files.bytes == before
            return
        assert self.holds_it(hold) and isinstance(self.model, dict)
        self.model["ended_ms"], self.declared = max(self.agent.now, self.stamp("status")), False

    @rule()
    def the_publisher_looks_for_a_lost_session(self) -> None:
        lost = self.open() and self.agent.verdict == "gone" and OWNER not in self.files.held
        assert self.agent.lose() is lost
        if lost and isinstance(self.model, dict):
            self.model["ended_ms"], self.declared = max(self.agent.now, self.stamp("status")), False

    @precondition(lambda self: self.open())
    @rule()
    def the_holder_refreshes_held(self) -> None:
        assert isinstance(self.model, dict)
        self.files.replace(f"{FOLDER}/held", render(self.model["session"], self.agent.now))

    @rule(word=st.sampled_from(("busy", "dnd", "offline")))
    def somebody_declares_a_word(self, word: str) -> None:
        self.agent.set(word)
        self.declared = True

    @rule(raw=BROKEN)
    def the_claim_is_damaged(self, raw: bytes) -> None:
        self.files.replace(SESSION, raw)
        self.model, self.proven = "?", False

    # What holds at every moment.

    def open(self) -> bool:
        return isinstance(self.model, dict) and self.model["ended_ms"] is None

    def holds_it(self, hold: Hold) -> bool:
        if not isinstance(self.model, dict) or self.model["ended_ms"] is not None:
            return False
        return (self.model["session"], self.model["generation"]) == (hold.token, hold.generation)

    @invariant()
    def the_file_is_what_the_model_says(self) -> None:
        if isinstance(self.model, dict):
            found = json.loads(self.files.bytes[SESSION].raw)
            assert {key: found[key] for key in self.model} == self.model
            assert (found["ended_ms"] is None) == (found["end_reason"] is None)

    @invariant()
    def an_open_claim_can_always_be_proven_gone(self) -> None:
        if self.open() and self.proven and isinstance(self.model, dict):
            hold = Hold(self.model["session"], self.model["generation"])
            assert self.agent.writer.reader.evidence("a1", hold) is not None

    @invariant()
    def the_status_is_whole_and_no_ended_session_says_more_than_it_was_told(self) -> None:
        found = self.files.bytes.get(f"{FOLDER}/status")
        assert found is None or isinstance(parse(found.raw), Record)
        if isinstance(self.model, dict) and not self.open() and not self.declared:
            assert self.agent.row() == "offline"

    @invariant()
    def no_lock_stays_behind(self) -> None:
        assert ".st2/h1/lock/a1" not in self.files.held


TestClaim = ClaimMachine.TestCase
TestClaim.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
