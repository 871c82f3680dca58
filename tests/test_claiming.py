"""Whose name it is: what whoever claims it is told of the holder, and of whom he replaced."""

from __future__ import annotations

import pytest

from catalog.claim import Claim
from catalog.evidence import Evidence, Probe
from catalog.layout import Layout
from catalog.session_errors import ClaimUnreadable, Conflict
from catalog.store import Writer
from catalog.succession import Started
from catalog.witness import Witness
from drivers.claiming import claim_name, name_holder, tell_replaced
from fakes import BOOT, FakeClock, FakeProcesses
from support.memory import MemoryFiles

PID = 4711
LONG = "b" * 13 + "cdef"


class World:
    """Agent w of h1, in memory."""

    def __init__(self) -> None:
        self.files = MemoryFiles()
        self.writer = Writer(self.files, Layout("/", "h1"))  # type: ignore[arg-type]
        self.clock = FakeClock()
        self.processes = FakeProcesses()
        self.witness = Witness(
            self.writer.reader,
            self.processes,  # type: ignore[arg-type]
            now_ms=self.clock.now_ms,
        )
        self.said: list[str] = []

    def claim(self, token: str, pid: int, *, force: bool = False) -> Started:
        """Claim the name for *token*, whose harness is the process *pid*."""
        claim = Claim(
            agent="w",
            host="h1",
            session=token,
            generation=1,
            registered_by="wrapper",
            started_ms=self.clock.ms,
            took_over=False,
        )
        seen = Evidence(token=token, generation=0, pid=pid, start="100", boot=BOOT)
        return claim_name(claim, seen, self.writer, self.witness, force=force)

    def tell(self, started: Started) -> list[str]:
        tell_replaced(started, self.witness, self.said.append)
        return self.said


@pytest.fixture
def world() -> World:
    made = World()
    made.processes.begin(PID)
    return made


def held(token: str, harness: str) -> str:
    return f"h1.w: held by session {token} ({harness}), wanted a free name"


class TestClaim:
    def test_a_free_name_is_claimed_and_its_process_recorded(self, world: World) -> None:
        started = world.claim("A", PID)
        assert started.replaced is None
        assert world.writer.reader.claim("h1", "w") == started.claim
        found = world.witness.evidence(started.claim)
        assert found is not None and (found.pid, found.token) == (PID, "A")

    @pytest.mark.parametrize(
        ("later_ms", "seconds"), [(-5_000, 0), (0, 0), (999, 0), (1_000, 1), (61_999, 61)]
    )
    def test_a_conflict_names_the_holder_s_process_and_its_age_in_whole_seconds(
        self, world: World, later_ms: int, seconds: int
    ) -> None:
        started = world.claim(LONG, PID)
        world.clock.ms += later_ms
        with pytest.raises(Conflict) as refused:
            world.claim("B", 5000)
        assert str(refused.value) == held("bbbbbbbb...cdef", f"harness pid {PID}, {seconds} s old")
        assert (refused.value.existing, refused.value.last_seen_ms) == (
            LONG,
            started.claim.started_ms,
        )
        assert refused.value.__suppress_context__
        assert world.writer.reader.claim("h1", "w") == started.claim

    def test_by_force_it_is_taken_from_whoever_lives(self, world: World) -> None:
        world.claim("A", PID)
        started = world.claim("B", 5000, force=True)
        assert started.replaced is not None and started.replaced.session == "A"
        assert (started.claim.took_over, started.claim.previous) == (True, "A")

    def test_it_is_free_once_the_holder_s_process_is_gone(self, world: World) -> None:
        world.claim("A", PID)
        world.processes.reap(PID)
        assert world.claim("B", 5000).claim.previous == "A"

    def test_another_refusal_is_told_as_it_is(self, world: World) -> None:
        world.files.replace("agents/h1/w/session.json", b"{")
        with pytest.raises(ClaimUnreadable):
            world.claim("A", PID)


class TestHolder:
    """A conflict as it stands, where nothing more is known of the holder."""

    def conflict(self) -> Conflict:
        return Conflict("h1.w", "held", existing="A", last_seen_ms=5)

    def named(self, world: World, agent: str = "w") -> tuple[Conflict, Conflict]:
        known = self.conflict()
        now_ms = world.clock.ms
        return known, name_holder(known, agent, world.writer, world.witness, now_ms=now_ms)

    def test_a_recorded_process_is_told_and_what_was_known_is_kept(self, world: World) -> None:
        world.claim("A", PID)
        _, found = self.named(world)
        assert str(found) == held("A", f"harness pid {PID}, 0 s old")
        assert (found.existing, found.last_seen_ms) == ("A", 5)

    def test_without_a_claim_it_stays_as_it_is(self, world: World) -> None:
        known, found = self.named(world)
        assert found is known

    def test_with_a_claim_that_cannot_be_read_it_does_too(self, world: World) -> None:
        world.files.replace("agents/h1/w/session.json", b"{")
        known, found = self.named(world)
        assert found is known

    def test_without_a_process_it_does_too(self, world: World) -> None:
        world.claim("A", PID)
        world.files.remove(world.writer.layout.process("w"))
        known, found = self.named(world)
        assert found is known


class TestReplaced:
    """Whoever took a name over says from whom, where that session's end was not written."""

    def test_the_first_session_replaced_nobody(self, world: World) -> None:
        assert world.tell(world.claim("A", PID)) == []

    def test_one_that_had_ended_is_not_told(self, world: World) -> None:
        old = world.claim("A", PID).claim
        old.ended_ms = world.clock.ms
        assert world.tell(Started(world.claim("A", PID).claim, old)) == []

    @pytest.mark.parametrize(
        ("fate", "told"),
        [
            ("gone", f"whose harness pid {PID} is gone"),
            ("alive", f"whose harness pid {PID} still runs"),
            ("unknown", f"whose harness pid {PID} cannot be told to live or not"),
            ("none", "of which no process was recorded"),
        ],
    )
    def test_what_became_of_its_process_is_told(self, world: World, fate: str, told: str) -> None:
        world.claim(LONG, PID)
        started = world.claim("B", 5000, force=True)
        if fate == "gone":
            world.processes.reap(PID)
        elif fate == "unknown":
            world.processes.probe = lambda _: Probe(boot="")  # type: ignore[method-assign]
        elif fate == "none":
            world.files.remove(world.writer.layout.process("w"))
        assert world.tell(started) == [f"h1.w: replaced session bbbbbbbb...cdef, {told}"]
