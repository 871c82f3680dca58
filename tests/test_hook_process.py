"""drivers/hook.py: sessions that are known by their process alone, and the silence of its pid."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.reader import Hold
from catalog.session_errors import Conflict
from catalog.system.ancestry import Ancestor
from catalog.system.files import Files
from catalog.witness import Witness
from catalogs import record
from drivers.hook import HookRefused
from support.memory import MemoryFiles
from test_hook import PID, World


@pytest.fixture
def world() -> World:
    """As in test_hook."""
    return World(MemoryFiles())


class TestAdopted:
    """A process that was adopted by its pid: it has no token in its environment."""

    def test_its_hooks_record_work_and_nothing_else(self, world: World) -> None:
        world.begin("adopt")
        before = set(world.files.bytes)  # type: ignore[union-attr]
        for event in ("SessionStart", "Notification"):
            world.call(event)
        assert set(world.files.bytes) == before  # type: ignore[union-attr]
        world.call("PreToolUse")
        world.call("SessionEnd")
        assert set(world.files.bytes) - before == {"agents/h1/w/activity"}  # type: ignore[union-attr]
        assert world.raw("activity") == record("success", world.clock.ms)
        assert (world.claim().session, world.claim().ended_ms) == ("tok", None)

    def test_a_hook_that_is_not_below_it_writes_nothing(self, world: World) -> None:
        world.begin("adopt", pid=PID + 1)
        with pytest.raises(HookRefused, match=r"held by session tok, called by s-1"):
            world.call("PreToolUse")
        assert world.raw("activity") is None

    @pytest.mark.parametrize(("pid", "start"), [(PID, "101"), (PID + 1, "100")])
    def test_it_is_known_by_pid_and_start(self, world: World, pid: int, start: str) -> None:
        world.begin("adopt")
        world.above = (Ancestor(pid, start, ("claude",)),)
        with pytest.raises(HookRefused, match=r"held by session tok, called by s-1"):
            world.call("PreToolUse")

    @pytest.mark.parametrize("how", ["ended", "without evidence"])
    def test_without_an_open_session_and_its_process_it_is_as_any_other(
        self, world: World, how: str
    ) -> None:
        world.begin("adopt")
        if how == "ended":
            world.registrar.finish("w", Hold("tok", 1), now_ms=world.clock.ms)
        else:
            world.files.remove(world.layout.process("w"))
        with pytest.raises(HookRefused, match="held by session tok, called by s-1"):
            world.call("PreToolUse")
        assert world.raw("activity") is None


class TestThreads:
    """Codex's notice comes from any of its threads: the session is the process that they share."""

    def notice(self, world: World, thread: object, *, type: str = "agent-turn-complete") -> None:
        world.call("notify", harness="codex", type=type, **{"thread-id": thread})

    @pytest.fixture(autouse=True)
    def codex(self, world: World) -> None:
        world.above = (Ancestor(PID, "100", ("codex",)),)

    def test_the_first_notice_registers_its_thread_and_counts_as_work(self, world: World) -> None:
        self.notice(world, "t-1")
        assert (world.claim().session, world.claim().harness) == ("t-1", "codex")
        assert world.raw("activity") == record("running", world.clock.ms)

    @pytest.mark.parametrize("by", [None, "hook", "register"])
    def test_another_thread_works_for_the_session_of_its_process(
        self, world: World, by: str | None
    ) -> None:
        if by is None:
            self.notice(world, "t-1")
        else:
            world.begin(by)
        session = world.claim().session
        world.clock.ms += 6_000
        self.notice(world, "t-2")
        assert world.claim().session == session
        assert world.raw("activity") == record("running", world.clock.ms)
        assert world.raw("held") == record(session, world.clock.ms)

    def test_another_process_is_another_session(self, world: World) -> None:
        self.notice(world, "t-1")
        world.processes.begin(6000)
        world.above = (Ancestor(6000, "100", ("codex",)),)
        before = dict(world.files.bytes)  # type: ignore[union-attr]
        with pytest.raises(Conflict):
            self.notice(world, "t-2")
        assert world.files.bytes == before  # type: ignore[union-attr]

    def test_a_wrapper_s_session_is_no_thread_s(self, world: World) -> None:
        world.begin("wrapper")
        with pytest.raises(Conflict):
            self.notice(world, "t-1")

    def test_a_notice_of_another_kind_is_ignored(self, world: World) -> None:
        self.notice(world, "t-1", type="approval-requested")
        assert world.files.bytes == {}  # type: ignore[union-attr]

    def test_a_notice_without_a_thread_says_so(self, world: World) -> None:
        with pytest.raises(HookRefused) as refused:
            self.notice(world, None)
        assert str(refused.value) == "w: no session id in the payload of notify"


class TestRefusals:
    """What may not write says why, and has written nothing."""

    @pytest.mark.parametrize(
        ("event", "session", "wrapper", "sentence"),
        [
            ("Unheard", "s-1", None, "Unheard: no event of claude that is known"),
            ("Stop", None, None, "w: no session id in the payload of Stop"),
            ("Stop", 7, None, "w: no session id in the payload of Stop"),
            ("Stop", "a b", None, "w: no session id in the payload of Stop"),
            ("Stop", "s-2", None, "w: held by session tok, called by s-2"),
            ("Stop", "s-1", "s-3", "w: held by session tok, called by s-3"),
        ],
    )
    def test_a_call_that_is_not_the_holder_s(
        self, world: World, event: str, session: object, wrapper: str | None, sentence: str
    ) -> None:
        world.begin("register")
        before = dict(world.files.bytes)  # type: ignore[union-attr]
        with pytest.raises(HookRefused) as refused:
            world.call(event, session, wrapper=wrapper)
        assert str(refused.value) == sentence
        assert world.files.bytes == before  # type: ignore[union-attr]

    @pytest.mark.parametrize(("wrapper", "session"), [("tok", "x"), (None, "tok")])
    def test_a_session_that_has_ended(
        self, world: World, wrapper: str | None, session: str
    ) -> None:
        world.begin("register")
        world.registrar.finish("w", Hold("tok", 1), now_ms=world.clock.ms)
        with pytest.raises(HookRefused) as refused:
            world.call("Stop", session, wrapper=wrapper)
        assert str(refused.value) == "w: session tok has ended"

    def test_a_holder_of_which_no_process_is_known(self, world: World) -> None:
        world.begin("wrapper")
        world.files.remove(world.layout.process("w"))
        with pytest.raises(HookRefused) as refused:
            world.call("Stop", wrapper="tok")
        assert str(refused.value) == "w: no process is recorded for its session"

    def test_a_hook_without_its_harness_above_it(self, world: World) -> None:
        world.above = (Ancestor(3, "9", ("sh",)), Ancestor(PID, "100", ("codex",)))
        with pytest.raises(HookRefused) as refused:
            world.call("SessionStart")
        assert str(refused.value) == "w: no claude among the processes above this hook"

    def test_a_process_that_is_another_agent_s_session(self, world: World) -> None:
        world.begin("register", agent="v")
        with pytest.raises(HookRefused) as refused:
            world.call("SessionStart")
        assert str(refused.value) == f"w: pid {PID} is v's session already"

    def test_a_token_that_is_another_agent_s_session(self, world: World) -> None:
        world.begin("register", pid=PID + 1, agent="v")
        with pytest.raises(HookRefused) as refused:
            world.call("SessionStart", "tok")
        assert str(refused.value) == f"w: pid {PID} is v's session already"

    def test_of_a_long_token_both_ends_are_told(self, world: World) -> None:
        """Two of a harness whose tokens begin with the time are told apart."""
        ours, theirs = "019a3f2c-7d41-7cc1-9e1c", "019a3f2c-80aa-7b02-77d0"
        world.call("SessionStart", ours)
        with pytest.raises(HookRefused) as held:
            world.call("Stop", theirs)
        assert str(held.value) == "w: held by session 019a3f2c...9e1c, called by 019a3f2c...77d0"
        world.call("SessionEnd", ours)
        with pytest.raises(HookRefused) as ended:
            world.call("Stop", ours)
        assert str(ended.value) == "w: session 019a3f2c...9e1c has ended"

    def test_a_subagent_s_event_is_no_refusal_and_writes_nothing(self, world: World) -> None:
        world.call("SessionStart")
        before = dict(world.files.bytes)  # type: ignore[union-attr]
        world.clock.ms += 6_000
        world.call("PreToolUse", agent_id="a-1")
        assert world.files.bytes == before  # type: ignore[union-attr]


class TestEnding:
    def test_an_end_is_a_success_and_ends_the_session(self, world: World) -> None:
        world.call("SessionStart")
        world.clock.ms += 7_000
        world.call("SessionEnd")
        claim = world.claim()
        assert claim.ended and claim.end_reason == "exited"
        assert world.raw("activity") == record("success", world.clock.ms)
        assert (world.raw("status") or b"").startswith(b"offline\n")

    def test_any_other_event_ends_nothing(self, world: World) -> None:
        world.call("SessionStart")
        for event in ("Stop", "StopFailure", "Notification"):
            world.call(event)
        assert world.claim().ended_ms is None


class TestSilence:
    """Case A7: such pids rotate, so gone counts after more than 600 000 ms of silence."""

    @pytest.mark.parametrize(
        ("silent_ms", "verdict"), [(0, "unknown"), (600_000, "unknown"), (600_001, "gone")]
    )
    @pytest.mark.parametrize("name", ["held", "activity", None])
    def test_a_hook_s_pid_is_lost_after_600_000_ms_of_silence(
        self, world: World, name: str | None, silent_ms: int, verdict: str
    ) -> None:
        world.call("SessionStart")
        if name is not None:
            world.clock.ms += 100_000
            world.files.replace(f"agents/h1/w/{name}", record("s-1", world.clock.ms))
        assert world.verdict() == "alive"
        world.processes.end(PID, 0)
        world.clock.ms += silent_ms
        assert world.verdict() == verdict

    @pytest.mark.parametrize("by", ["wrapper", "adopt"])
    def test_a_harness_that_we_started_is_gone_at_once(self, world: World, by: str) -> None:
        world.call("SessionStart")
        path = "agents/h1/w/session.json"
        raw = (world.raw("session.json") or b"").replace(b'"hook"', b'"%s"' % by.encode())
        world.files.replace(path, raw)
        world.processes.end(PID, 0)
        assert world.verdict() == "gone"

    def test_a_session_without_an_owner_has_none_to_lose(self, tmp_path: Path) -> None:
        from catalog.assess import assess_agent

        world = World(Files(str(tmp_path)))
        world.call("SessionStart")
        witness = Witness(
            world.registrar.reader,
            world.processes,  # type: ignore[arg-type]
            now_ms=world.clock.now_ms,
        )
        found = assess_agent(
            world.registrar.reader, "h1", "w", look=witness.look, now_ms=world.clock.ms
        )
        assert found.sight is not None and found.sight.owner_running is False
        assert found.findings == ()
