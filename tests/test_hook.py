"""drivers/hook.py, catalog/registrar.py and the silence of hook-learnt pids, over fakes."""

from __future__ import annotations

import pytest

from catalog.claim import Claim, UnreadableClaim
from catalog.evidence import Evidence, Living
from catalog.layout import Layout
from catalog.reader import Hold
from catalog.registrar import Registrar
from catalog.session_errors import ClaimUnreadable, Conflict, Superseded
from catalog.system.ancestry import Ancestor
from catalog.system.files import Files
from catalog.witness import Witness
from catalogs import record
from drivers.hook import Call, Hook, HookRefused
from fakes import BOOT, FakeClock, FakeProcesses
from support.memory import Crash, MemoryFiles

PID = 4711


class World:
    """Agent w, a claude with pid 4711 above the hook, and files in memory or on the disk."""

    def __init__(self, files: Files | MemoryFiles) -> None:
        self.files = files
        self.layout = Layout("/", "h1")
        self.registrar = Registrar(files, self.layout)  # type: ignore[arg-type]
        self.clock = FakeClock()
        self.processes = FakeProcesses()
        self.processes.begin(PID)
        self.above = (Ancestor(3, "9", ("sh",)), Ancestor(PID, "100", ("claude",)))
        self.hook = Hook(
            self.registrar,
            self.processes,  # type: ignore[arg-type]
            self.clock,  # type: ignore[arg-type]
            lambda: self.above,
        )

    def call(
        self,
        event: str,
        session: object = "s-1",
        *,
        wrapper: str | None = None,
        harness: str = "claude",
        **payload: object,
    ) -> None:
        self.hook.serve(
            Call(
                agent="w",
                harness=harness,
                event=event,
                payload={"session_id": session, **payload},
                session=wrapper,
                node=lambda: "0123456789abcdef",
            )
        )

    def begin(self, registered_by: str, pid: int = PID, agent: str = "w") -> None:
        """Claim the name for session ``tok``, whose process is *pid*, as a start would."""
        evidence = Evidence(token="tok", generation=1, pid=pid, start="100", boot=BOOT)
        claim = Claim(
            agent=agent,
            host="h1",
            session="tok",
            generation=1,
            registered_by=registered_by,
            started_ms=self.clock.ms,
            took_over=False,
        )
        self.registrar.start(
            agent, claim=claim, evidence=evidence, verdict_of=lambda _: "unknown", force=False
        )

    def raw(self, name: str) -> bytes | None:
        return getattr(self.files.read(f"agents/h1/w/{name}", 4096), "raw", None)

    def claim(self) -> Claim:
        found = self.registrar.reader.claim("h1", "w")
        assert isinstance(found, Claim)
        return found

    def verdict(self) -> str:
        witness = Witness(
            self.registrar.reader,
            self.processes,  # type: ignore[arg-type]
            now_ms=self.clock.now_ms,
        )
        return witness.verdict(self.claim())


@pytest.fixture
def world() -> World:
    return World(MemoryFiles())


class TestRegistering:
    def test_the_claim_says_whose_session_it_is_and_since_when(self, world: World) -> None:
        world.call("SessionStart")
        assert world.claim() == Claim(
            agent="w",
            host="h1",
            node="0123456789abcdef",
            session="s-1",
            generation=1,
            harness="claude",
            runtime="h1.w",
            registered_by="hook",
            started_ms=world.clock.ms,
            took_over=False,
        )
        kept = world.registrar.reader.evidence("w", Hold("s-1", 1))
        assert kept is not None and (kept.pid, kept.start) == (PID, "100")

    def test_a_kill_between_two_writes_leaves_the_old_claim_or_the_new(self) -> None:
        for crash_in in range(8):
            world = World(files := MemoryFiles())
            world.call("SessionStart")
            world.call("Stop")
            world.processes.end(PID, 0)
            world.clock.ms += 700_000
            world.processes.begin(5000)
            world.above = (Ancestor(5000, "100", ("claude",)),)
            files.crash_in = crash_in
            try:
                world.call("SessionStart", "s-2")
            except Crash:
                files.crash_in = None
                files.held.clear()
            claim = world.claim()
            if claim.session == "s-1":
                assert world.verdict() == "gone", crash_in
            else:
                assert claim.previous == "s-1" and claim.took_over
                assert world.raw("activity") is None

    def test_registering_again_refreshes_held_and_evidence_and_nothing_else(
        self, world: World
    ) -> None:
        world.call("SessionStart")
        before = {name: world.raw(name) for name in ("session.json", "status")}
        world.clock.ms += 3
        world.processes.begin(6000)
        world.above = (Ancestor(6000, "100", ("claude",)),)
        world.call("SessionStart")
        assert {name: world.raw(name) for name in before} == before
        assert world.raw("held") == record("s-1", world.clock.ms)
        kept = world.registrar.reader.evidence("w", Hold("s-1", 1))
        assert kept is not None and kept.pid == 6000

    def test_a_session_that_ended_and_is_resumed_is_a_new_claim(self, world: World) -> None:
        world.call("SessionStart")
        world.call("SessionEnd")
        world.clock.ms += 10
        world.call("SessionStart")
        claim = world.claim()
        assert (claim.generation, claim.took_over, claim.ended_ms) == (2, False, None)
        assert world.raw("activity") is None
        assert world.raw("status") == record("available", world.clock.ms)

    def test_another_token_is_refused_while_the_first_one_s_harness_lives(
        self, world: World
    ) -> None:
        world.call("SessionStart")
        world.clock.ms += 10_000_000
        before = dict(world.files.bytes)  # type: ignore[union-attr]
        with pytest.raises(Conflict):
            world.call("SessionStart", "s-2")
        assert world.files.bytes == before  # type: ignore[union-attr]

    def test_an_unreadable_claim_is_left_alone(self, world: World) -> None:
        world.files.replace("agents/h1/w/session.json", b'{"v":2}')
        with pytest.raises(ClaimUnreadable):
            world.call("SessionStart")
        assert isinstance(world.registrar.reader.claim("h1", "w"), UnreadableClaim)

    def test_a_process_whose_number_was_reused_is_not_registered(self, world: World) -> None:
        world.processes.start[PID] = "999"
        with pytest.raises(HookRefused, match=r"^w: claude pid 4711 cannot be seen to live$"):
            world.call("SessionStart")
        assert world.raw("session.json") is None


class TestBeating:
    def test_a_beat_renews_held_and_status_once_in_5_000_ms(self, world: World) -> None:
        world.call("SessionStart")
        started = world.clock.ms
        for later, stamp in ((5_000, started), (5_001, started + 5_001)):
            world.clock.ms = started + later
            world.call("Notification")
            assert world.raw("held") == record("s-1", stamp)
            assert world.raw("status") == record("available", stamp)

    def test_a_beat_keeps_a_declared_word_and_renews_no_dnd(self, world: World) -> None:
        world.call("SessionStart")
        world.files.replace("agents/h1/w/status", record("dnd", world.clock.ms))
        world.clock.ms += 6_000
        world.call("Stop")
        assert world.raw("status") == record("dnd", world.clock.ms - 6_000)
        assert world.raw("held") == record("s-1", world.clock.ms)

    def test_a_stopped_harness_is_not_beaten_for(self, world: World) -> None:
        world.call("SessionStart")
        held = world.raw("held")
        world.clock.ms += 6_000
        world.processes.stop(PID)
        world.call("Notification")
        assert world.raw("held") == held
        world.processes.resume(PID)
        world.call("Notification")
        assert world.raw("held") != held

    def test_the_evidence_follows_a_pid_that_rotates(self, world: World) -> None:
        world.call("SessionStart")
        world.processes.begin(6000)
        world.above = (Ancestor(6000, "100", ("claude",)),)
        world.call("Stop")
        kept = world.registrar.reader.evidence("w", Hold("s-1", 1))
        assert kept is not None and kept.pid == 6000

    def test_the_evidence_of_a_pid_that_stays_is_not_written_again(self, world: World) -> None:
        world.call("SessionStart")
        world.clock.ms += 6_000
        before = len(world.files.changes)  # type: ignore[union-attr]
        world.call("Notification")
        assert world.layout.process("w") not in world.files.changes[before:]  # type: ignore[union-attr]
        assert world.raw("held") == record("s-1", world.clock.ms)

    @pytest.mark.parametrize(
        "seen", [None, Evidence(token="x", generation=0, pid=6000, start="9", boot=BOOT)]
    )
    def test_a_pid_that_went_meanwhile_leaves_the_evidence_as_it_was(
        self, world: World, seen: Evidence | None
    ) -> None:
        world.call("SessionStart")
        world.processes.begin(6000)
        world.above = (Ancestor(6000, "100", ("claude",)),)
        world.processes.observe = lambda pid, **_: seen  # type: ignore[method-assign]
        world.call("Notification")
        kept = world.registrar.reader.evidence("w", Hold("s-1", 1))
        assert kept is not None and kept.pid == PID

    def test_nothing_registered_and_nothing_written(self, world: World) -> None:
        for event in ("Stop", "SessionEnd", "Notification"):
            with pytest.raises(
                HookRefused, match=r"^w: no session was registered that could be read$"
            ):
                world.call(event)
        assert world.files.bytes == {}  # type: ignore[union-attr]

    def test_a_hold_that_is_another_s_writes_nothing(self, world: World) -> None:
        world.call("SessionStart")
        held = world.raw("held")
        world.clock.ms += 6_000
        for hold in (Hold("s-2", 1), Hold("s-1", 2)):
            with pytest.raises(Superseded):
                world.registrar.hold("w", hold, proof=Living(PID), now_ms=world.clock.ms)
            with pytest.raises(Superseded):
                world.registrar.finish("w", hold, now_ms=world.clock.ms)
        assert world.raw("held") == held

    def test_a_clock_that_was_set_back_does_not_silence_beats(self, world: World) -> None:
        world.call("SessionStart")
        world.clock.ms -= 60_001
        world.call("Notification")
        assert world.raw("held") == record("s-1", world.clock.ms)


class TestWrapped:
    """With a wrapper's token in the environment only activity is ever written."""

    def test_only_activity_is_written(self, world: World) -> None:
        world.begin("wrapper")
        before = set(world.files.bytes)  # type: ignore[union-attr]
        for event in ("SessionStart", "Notification", "StopFailure"):
            world.call(event, wrapper="tok")
        assert set(world.files.bytes) == before  # type: ignore[union-attr]
        world.call("PreToolUse", wrapper="tok")
        world.call("SessionEnd", wrapper="tok")
        assert set(world.files.bytes) - before == {"agents/h1/w/activity"}  # type: ignore[union-attr]
        assert world.raw("activity") == record("success", world.clock.ms)
        assert world.claim().ended_ms is None

    @pytest.mark.parametrize("start", ["101", "100"])
    def test_the_harness_is_known_by_pid_and_start(self, world: World, start: str) -> None:
        world.begin("wrapper")
        world.above = (Ancestor(PID, start, ("bash",)),)
        if start == "100":
            world.call("Stop", wrapper="tok")
            return
        with pytest.raises(HookRefused) as refused:
            world.call("Stop", wrapper="tok")
        assert str(refused.value) == (
            "w: harness pid 4711 is not among the processes above this hook"
        )
        assert world.raw("activity") is None
