"""The owner looks at its harness's transcript: work and never life, a wake-up each 30 s at most."""

from __future__ import annotations

import os
from pathlib import Path

from catalogs import record
from drivers import lifecycle
from drivers.job import Job, decode
from support.owned import PID, World
from support.wrapped import Wrapped, until


class Script:
    """A transcript that grows when the test says so; it counts the looks."""

    def __init__(self) -> None:
        self.grown = False
        self.looks: list[int] = []

    def has_grown(self, *, now_ms: int) -> bool:
        self.looks.append(now_ms)
        return self.grown


def world(tmp_path: Path) -> tuple[World, Script]:
    made, script = World(tmp_path), Script()
    made.owner.transcript = script  # type: ignore[assignment]
    made.owner.begin(lifecycle.LAUNCHED)
    return made, script


def activity(made: World) -> bytes | None:
    found = made.files.read("agents/h1/w/activity")
    return getattr(found, "raw", None)


def test_growth_is_work_now_and_no_growth_is_nothing(tmp_path: Path) -> None:
    made, script = world(tmp_path)
    made.owner.wakeups.ms += 3_000  # type: ignore[attr-defined]
    made.owner._look(last=False)
    assert activity(made) is None and len(script.looks) == 1
    script.grown = True
    made.owner.wakeups.ms += 30_000  # type: ignore[attr-defined]
    made.owner._look(last=False)
    assert activity(made) == record("running", made.clock.ms)


def test_a_session_without_work_still_beats(tmp_path: Path) -> None:
    made, _ = world(tmp_path)
    made.steps(2)
    assert activity(made) is None
    assert (made.status() or b"").startswith(b"available\n")
    assert made.writer.asked == ["first", "beat", "beat"]


def test_between_two_beats_it_wakes_once_in_30_s(tmp_path: Path) -> None:
    made, script = world(tmp_path)
    made.steps(1)
    assert len(script.looks) == 10, "in 300 s: at 3 s, then each 30 s"
    assert len(made.wakeups.waits) <= 1 + 11
    (tmp_path / "plain").mkdir()
    plain = World(tmp_path / "plain")
    plain.owner.begin(lifecycle.LAUNCHED)
    plain.steps(1)
    assert len(plain.wakeups.waits) == 2, "without a transcript: the first beat and the next"


def test_the_last_look_comes_with_the_end(tmp_path: Path) -> None:
    made, script = world(tmp_path)
    script.grown = True
    made.end(0)
    made.steps(2)
    assert made.owner.phase == lifecycle.LEFT
    assert activity(made) == record("running", made.clock.ms)
    assert (made.status() or b"").startswith(b"offline\n")


def test_a_superseded_owner_records_nothing_and_leaves(tmp_path: Path) -> None:
    made, script = world(tmp_path)
    made.claim("0f1e2d3c4b5a6978")
    script.grown = True
    made.steps(1)
    assert activity(made) is None and made.owner.phase == lifecycle.LEFT


def test_a_write_that_fails_is_logged_and_the_beats_go_on(tmp_path: Path) -> None:
    made, script = world(tmp_path)
    script.grown = True
    (tmp_path / "agents/h1/w/activity").mkdir()
    made.steps(1)
    assert made.writer.asked == ["first", "beat"]


def test_a_job_tells_where_the_transcript_is() -> None:
    job = Job(
        kind="launch",
        root="/c",
        host="h1",
        agent="w",
        token="t",
        generation=1,
        pid=PID,
        start="5",
        watched=True,
        beat_ms=5,
        transcript="open .jsonl /a b/sessions",
    )
    assert decode(job.encode() + b"x") == (job, b"x")


def test_a_codex_that_writes_its_rollout_is_working(wrapped: Wrapped) -> None:
    """A real owner, a program that looks like codex, without any hook."""
    home = wrapped.cli.home
    folder = home / "codex/sessions/2026/11/29"
    folder.mkdir(parents=True)
    script = f'exec 5>>"{folder}/rollout-1.jsonl"; echo "{{}}" >&5; read x'
    name = "h1.w"
    command = ["driver", "codex", "--identity", name, "--runtime-id", name, "--"]
    reading, writing = os.pipe()
    process = wrapped.cli.start(
        *command, "bash", "-c", script, env={"CODEX_HOME": str(home / "codex")}, stdin=reading
    )
    wrapped.started.append(process)
    try:
        until((wrapped.folder() / "activity").exists)
    finally:
        os.close(reading)
        os.close(writing)
    row = wrapped.row()
    assert row["activity"]["state"] in ("progressing", "unknown")
    assert sorted(p.name for p in wrapped.folder().iterdir() if p.name != "agent.kdl") == [
        *("activity", "session.json", "status"),
    ]
