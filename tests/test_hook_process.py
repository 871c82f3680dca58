"""drivers/hook.py: sessions that are known by their process alone, and the silence of its pid."""

from __future__ import annotations

from pathlib import Path

import pytest

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
