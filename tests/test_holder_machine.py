"""Sessions that nobody wraps, under every order of what two callers and a clock may do.

The model is who holds the name, as the contract has it. Whatever refreshes may not change that.
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from catalog.claim import Claim
from catalog.evidence import Evidence, Living
from catalog.layout import Layout
from catalog.reader import Hold
from catalog.record import Record, parse
from catalog.registrar import Registrar
from catalog.session_errors import Conflict, NoSession, NotHolder, SessionOpen, Superseded
from catalog.succession import Held, decide
from support.memory import Crash, MemoryFiles

FOLDER = "agents/h1/a1"
SESSION = f"{FOLDER}/session.json"
CALLERS = st.sampled_from(("A", "B"))
ANYBODY = st.sampled_from(("A", "B", None))
FORWARD = st.sampled_from((1, 4_999, 5_001, 300_000, 899_999, 1_799_999, 1_800_000, 7_200_000))
BACK = st.sampled_from((1, 5_001, 60_000, 60_001, 1_800_000, 7_200_000))
SEEN_AT = Evidence(token="", generation=0, pid=7, start="5", boot="b")


class HolderMachine(RuleBasedStateMachine):
    """`self.holder` is who holds the name: a token, or None where nobody ever did."""

    @initialize()
    def empty(self) -> None:
        self.files = MemoryFiles()
        self.registrar = Registrar(self.files, Layout("/", "h1"))  # type: ignore[arg-type]
        self.now = 1_800_000_000_000
        self.verdict = "unknown"
        self.runs = True
        self.holder: str | None = None
        self.generation = 0
        self.ended = False
        self.seen: bytes | None = None

    def raw(self, name: str) -> bytes | None:
        found = self.files.bytes.get(f"{FOLDER}/{name}")
        return None if found is None else found.raw

    def records(self) -> dict[str, bytes | None]:
        names = ("activity", "held", "session.json", "status", "seen")
        return {name: self.raw(name) for name in names}

    def only_changed(self, before: dict[str, bytes | None], *names: str) -> None:
        after = self.records()
        changed = {name for name in before if before[name] != after[name]}
        assert changed <= set(names), changed

    def is_open(self) -> bool:
        return self.holder is not None and not self.ended

    def claim(self) -> Claim | None:
        found = self.registrar.reader.claim("h1", "a1")
        assert found is None or isinstance(found, Claim)
        return found

    def would_get_the_name(self, token: str) -> bool:
        """Whether the rules let another token in now. Reads; writes nothing."""
        current = self.claim()
        decided = decide(
            current,
            token,
            verdict=self.verdict,
            refreshed_ms=current and self.registrar.reader.own_refresh_ms(current),
            force=False,
            now_ms=self.now,
        )
        return not isinstance(decided, Held)

    # What happens.

    @rule(ms=FORWARD)
    def time_passes(self, ms: int) -> None:
        self.now += ms

    @rule(ms=BACK)
    def the_clock_is_set_back(self, ms: int) -> None:
        open_before = self.would_get_the_name("C")
        self.now = max(self.now - ms, 0)
        assert open_before or not self.would_get_the_name("C"), "a takeover was opened again"

    @rule(verdict=st.sampled_from(("alive", "gone", "unknown")), runs=st.booleans())
    def the_harness_is_looked_at(self, verdict: str, runs: bool) -> None:
        self.verdict, self.runs = verdict, runs and verdict != "gone"

    @rule(token=CALLERS, force=st.booleans(), seen=st.booleans())
    def register(self, token: str, force: bool, seen: bool) -> None:
        before, free = self.records(), self.would_get_the_name(token)
        same = self.holder == token and not self.ended
        claim = Claim(
            agent="a1",
            host="h1",
            session=token,
            generation=1,
            registered_by="register",
            started_ms=self.now,
            took_over=False,
        )
        try:
            done = self.registrar.register(
                claim,
                evidence=SEEN_AT if seen else None,
                verdict_of=lambda _: self.verdict,
                force=force,
            )
        except Conflict as conflict:
            assert conflict.existing == self.holder and not free and not force
            self.only_changed(before)
            return
        assert free or force
        assert done.created is not same
        if same:
            # Without ``held`` it is the second attempt after one that died before the first beat.
            self.only_changed(before, "held", *(["status"] if before["held"] is None else []))
            return
        replaced = self.holder if self.is_open() and self.holder != token else None
        assert done.claim.took_over is (replaced is not None)
        assert done.claim.previous == replaced
        assert self.raw("activity") is None
        self.holder, self.ended = token, False
        self.generation += 1

    @rule(token=CALLERS, force=st.booleans(), changes=st.integers(0, 5))
    def register_and_die_before_a_change(self, token: str, force: bool, changes: int) -> None:
        """A death leaves the old claim or the new one, whole; the next step finds either."""
        self.files.crash_in = changes
        try:
            self.register(token, force, False)
        except Crash:
            self.files.held.clear()
            found = self.claim()
            if found is not None:
                self.holder, self.ended = found.session, found.ended
                self.generation = found.generation
        finally:
            self.files.crash_in = None

    @rule(caller=ANYBODY)
    def beat(self, caller: str | None) -> None:
        before = self.records()
        try:
            done = self.registrar.beat("a1", caller, runs=lambda _: self.runs, now_ms=self.now)
        except NoSession:
            assert not self.is_open()
            self.only_changed(before)
            return
        assert self.is_open()
        self.seen = b"%s\nv1 %d\n" % ((caller or "-").encode(), self.now)
        ours = caller == self.holder and self.runs
        assert done.renewed is ours
        self.only_changed(before, *(("seen", "held", "status") if ours else ("seen",)))
        if ours:
            assert self.verdict == "gone" or not self.would_get_the_name("C")

    @rule(caller=CALLERS, generation=st.integers(1, 4))
    def a_hook_beats(self, caller: str, generation: int) -> None:
        before, hold = self.records(), Hold(caller, generation)
        try:
            self.registrar.hold("a1", hold, proof=Living(7), now_ms=self.now)
        except Superseded:
            assert not self.holds(hold)
            self.only_changed(before)
            return
        assert self.holds(hold)
        self.only_changed(before, "held", "status")

    @rule(
        caller=CALLERS,
        generation=st.integers(1, 4),
        word=st.sampled_from(("running", "success", "failure")),
    )
    def work_lands(self, caller: str, generation: int, word: str) -> None:
        before, hold = self.records(), Hold(caller, generation)
        old = parse(before["activity"] or b"", lambda _: True)
        try:
            self.registrar.record_activity("a1", hold, word, now_ms=self.now)
        except Superseded:
            assert not self.holds(hold)
            self.only_changed(before)
            return
        assert self.holds(hold)
        self.only_changed(before, "activity")
        new = parse(self.raw("activity") or b"", lambda _: True)
        if isinstance(old, Record) and isinstance(new, Record) and word == "running":
            assert new.stamp_ms >= old.stamp_ms or old.stamp_ms > self.now + 60_000

    @rule(caller=ANYBODY)
    def end(self, caller: str | None) -> None:
        def allow() -> None:
            if self.is_open() and caller not in (None, self.holder):
                raise NotHolder("h1.a1", "held by another session")

        before = self.records()
        try:
            done = self.registrar.stop("a1", allow=allow, now_ms=self.now)
        except (NoSession, NotHolder) as error:
            assert (self.holder is None) is isinstance(error, NoSession)
            self.only_changed(before)
            return
        assert (done is None) is self.ended
        self.only_changed(before, *(() if self.ended else ("session.json", "status")))
        self.ended = True

    @rule()
    def forget(self) -> None:
        before = self.records()
        try:
            self.registrar.forget("a1", verdict_of=lambda _: self.verdict)
        except SessionOpen:
            assert self.is_open() and self.verdict != "gone"
            self.only_changed(before)
            return
        assert not self.is_open() or self.verdict == "gone"
        assert not any(self.records().values())
        self.holder, self.generation, self.ended, self.seen = None, 0, False, None

    # What holds at every moment.

    def holds(self, hold: Hold) -> bool:
        return self.is_open() and (hold.token, hold.generation) == (self.holder, self.generation)

    @invariant()
    def the_name_is_whose_it_was_given_to(self) -> None:
        found = self.claim()
        if found is None:
            assert self.holder is None
        else:
            model = (self.holder, self.generation, self.ended)
            assert (found.session, found.generation, found.ended) == model

    @invariant()
    def held_speaks_of_the_holder_and_seen_is_a_beat_s_alone(self) -> None:
        held = parse(self.raw("held") or b"", lambda _: True)
        if self.is_open() and isinstance(held, Record):
            assert held.word == self.holder
        assert self.raw("seen") == self.seen

    @invariant()
    def no_lock_stays_behind(self) -> None:
        assert self.files.held == set()


TestHolder = HolderMachine.TestCase
TestHolder.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)
