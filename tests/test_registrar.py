"""catalog/registrar.py: the claim's window with its clock in hand, and what each call may write."""

from __future__ import annotations

import inspect

import pytest

from catalog.claim import Claim
from catalog.evidence import Evidence, Living
from catalog.layout import Layout
from catalog.reader import Hold
from catalog.registrar import Registered, Registrar
from catalog.session_errors import Conflict
from catalog.store import Writer
from catalogs import T, record
from support.memory import MemoryFiles

HOUR = 3_600_000
SEEN = Evidence(token="", generation=0, pid=7, start="5", boot="b")


class World:
    """Agent a1, its files in memory, a clock and a verdict that a test turns."""

    def __init__(self) -> None:
        self.files = MemoryFiles()
        self.registrar = Registrar(self.files, Layout("/", "h1"))  # type: ignore[arg-type]
        self.now = T
        self.verdict = "unknown"

    def register(self, token: str, *, force: bool = False, seen: bool = False) -> Registered:
        fields = {"agent": "a1", "host": "h1", "generation": 1, "took_over": False}
        return self.registrar.register(
            Claim(session=token, registered_by="register", started_ms=self.now, **fields),
            evidence=SEEN if seen else None,
            verdict_of=lambda _: self.verdict,
            force=force,
        )

    def beat(self, caller: str | None) -> bool:
        done = self.registrar.beat("a1", caller, runs=lambda _: True, now_ms=self.now)
        return bool(done.renewed)

    def raw(self, name: str) -> bytes | None:
        found = self.files.bytes.get(f"agents/h1/a1/{name}")
        return None if found is None else found.raw


@pytest.fixture
def world() -> World:
    return World()


class TestWindow:
    @pytest.mark.parametrize("beats", [False, True])
    @pytest.mark.parametrize("before_it_ms", [0, 17 * HOUR])
    def test_a_silent_holder_is_live_below_1_800_000_ms(
        self, world: World, before_it_ms: int, beats: bool
    ) -> None:
        """Cases B7 and B8, one ms apart: B beats all along, and that keeps nobody."""
        world.register("A")
        if before_it_ms:
            world.now += before_it_ms
            assert world.beat("A")
        last, session = world.now, world.raw("session.json")
        for _ in range(6 if beats else 0):
            world.now += 299_000
            assert not world.beat("B")
        world.now = last + 1_799_999
        with pytest.raises(Conflict) as refused:
            world.register("B")
        assert (refused.value.existing, refused.value.last_seen_ms) == ("A", last)
        assert world.raw("session.json") == session
        world.now += 1
        done = world.register("B")
        assert (done.created, done.claim.took_over, done.claim.previous) == (True, True, "A")

    def test_a_clock_that_was_set_back_opens_no_takeover(self, world: World) -> None:
        world.register("A")
        for back_ms in (1, 60_000, 60_001, HOUR, 50 * HOUR):
            world.now = T - back_ms
            with pytest.raises(Conflict):
                world.register("B")
            assert world.beat("A")
            with pytest.raises(Conflict):
                world.register("B")

    def test_a_holder_whose_harness_was_seen_alive_is_never_too_silent(self, world: World) -> None:
        world.register("A", seen=True)
        world.now, world.verdict = T + 100 * HOUR, "alive"
        with pytest.raises(Conflict):
            world.register("B")
        world.verdict = "gone"
        world.now = T + 1
        assert world.register("B").claim.took_over


class TestTakeover:
    def test_a_word_of_the_replaced_session_does_not_pass_for_the_new_one_s(
        self, world: World
    ) -> None:
        world.register("A")
        world.registrar.set_status("a1", "busy", allow=lambda: None, clock=lambda: T + 5)
        world.now += 10
        world.register("B", force=True)
        assert world.raw("status") == record("available", T + 11), "offline came between"

    def test_what_was_recorded_of_the_old_process_is_kept_beside_the_new(
        self, world: World
    ) -> None:
        world.register("A", seen=True)
        world.register("B", force=True, seen=True)
        for token, generation in (("A", 1), ("B", 2)):
            assert world.registrar.reader.evidence("a1", Hold(token, generation)) is not None

    def test_without_a_process_of_its_own_the_old_one_s_says_nothing_of_the_new(
        self, world: World
    ) -> None:
        world.register("A", seen=True)
        world.register("B", force=True)
        assert world.registrar.reader.evidence("a1", Hold("B", 2)) is None


def test_seen_is_written_by_a_beat_alone(world: World) -> None:
    world.register("A")
    world.register("A")
    hold = Hold("A", 1)
    world.now += 10_000
    assert world.registrar.hold("a1", hold, proof=Living(7), now_ms=world.now)
    assert world.registrar.record_activity("a1", hold, "running", now_ms=world.now)
    world.registrar.refresh("a1", hold, proof=Living(7), first=True, now_ms=world.now + 1)
    assert world.raw("seen") is None
    world.beat(None)
    assert world.raw("seen") == record("-", world.now)
    world.registrar.stop("a1", allow=lambda: None, now_ms=world.now)
    world.register("B")
    assert world.raw("seen") == record("-", world.now), "nor is it cleared by a new claim"


def test_an_end_is_no_earlier_than_the_session_s_last_word(world: World) -> None:
    world.register("A")
    ended = world.registrar.stop("a1", allow=lambda: None, now_ms=T - HOUR)
    found = world.registrar.reader.claim("h1", "a1")
    assert ended is not None and isinstance(found, Claim)
    assert (found.end_reason, found.ended_ms) == ("stopped", T - HOUR)
    assert world.raw("status") == record("offline", T - HOUR)


def test_a_stop_leaves_a_newer_status_alone(world: World) -> None:
    world.register("A")
    world.files.replace("agents/h1/a1/status", b"busy\nv2 5\n")
    world.registrar.stop("a1", allow=lambda: None, now_ms=T + 1)
    assert world.raw("status") == b"busy\nv2 5\n"
    assert b'"end_reason": "stopped"' in (world.raw("session.json") or b"")


REFRESHES = (
    *(Registrar.beat, Registrar.hold, Registrar.stop, Registrar.finish, Writer.refresh),
    *(Writer.record_activity, Writer.restamp, Writer.offline, Writer.end, Writer.set_status),
)


def test_what_refreshes_has_no_parameter_for_a_holder() -> None:
    """It is told who calls (or which claim it must find), and never whose the name is to be."""
    allowed = {
        *("self", "agent", "caller", "hold", "runs", "proof", "now_ms", "first", "word"),
        *("evidence", "reason", "exit_text", "allow", "clock"),
    }
    for method in REFRESHES:
        taken = inspect.signature(method).parameters
        assert set(taken) <= allowed, method
        kinds = {str(each.annotation) for each in taken.values()}
        # A claim comes in as what a callback is asked about, and in no other way.
        assert not {"Claim", "Claim | None", "claims.Claim"} & kinds, method
    claimed = inspect.signature(Registrar.register).parameters
    assert str(claimed["claim"].annotation) == "Claim", "the look does see one"


def test_nothing_that_refreshes_writes_a_claim() -> None:
    """By behaviour: with a files port that refuses `session.json` all of them work on."""
    world = World()
    world.register("A")

    class NoClaims(MemoryFiles):
        def _change(self, path: str) -> None:
            assert not path.endswith("session.json")
            super()._change(path)

    files = NoClaims()
    files.bytes = world.files.bytes
    registrar = Registrar(files, Layout("/", "h1"))  # type: ignore[arg-type]
    hold, later = Hold("A", 1), world.now + 10_000
    for caller in ("A", "B", None):
        registrar.beat("a1", caller, runs=lambda _: True, now_ms=later)
    registrar.hold("a1", hold, proof=Living(7), now_ms=later)
    registrar.refresh("a1", hold, proof=Living(7), first=False, now_ms=later)
    registrar.record_activity("a1", hold, "running", now_ms=later)
    registrar.set_status("a1", "busy", allow=lambda: None, clock=lambda: later)
    assert len(files.changes) >= 8, "there was something to write"
