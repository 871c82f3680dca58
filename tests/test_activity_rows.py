"""The activity of a row as it is printed, and who may write one."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from catalog.reader import Hold
from catalog.session_errors import Superseded
from catalog.system.files import Files
from catalogs import T, agent, claim, declared, record
from conftest import Cli
from support.agent import Agent

RECORDER = """
import sys
from catalog.layout import Layout
from catalog.store import Hold, Writer
from catalog.system.files import Files
root, now_ms = sys.argv[1], int(sys.argv[2])
writer = Writer(Files(root), Layout(root, "h1"))
for event in range(400):
    now_ms += 145
    if writer.record_activity("a1", Hold("s1", 1), "running", now_ms=now_ms):
        print(now_ms)
"""


def row(cli: Cli, now_ms: int = T) -> dict[str, Any]:
    [found] = json.loads(cli("agents", "--json", "--now", str(now_ms)).out)
    return dict(found)


def made(cli: Cli, age_ms: int | None, *, host: str = "h1", status_ms: int = T) -> Path:
    folder = agent(
        cli.catalog,
        host=host,
        kdl=declared(host=host),
        status=record("available", status_ms),
        session=claim(host=host, started_ms=T - 700_000),
    )
    if age_ms is not None:
        (folder / "activity").write_bytes(record("running", T - age_ms))
    return folder


def test_a_present_agent_may_be_idle(cli: Cli) -> None:
    """Case E5: presence and work are two axes."""
    made(cli, 600_001)
    found = row(cli)
    assert found["status"] == "available"
    assert found["activity"] == {
        "state": "idle",
        "ageMs": 600_001,
        "routable": False,
        "asOfMs": None,
    }


def test_a_stalled_agent_is_present_and_routed_to(cli: Cli) -> None:
    """Case E6."""
    made(cli, 400_000)
    found = row(cli)
    assert (found["status"], found["activity"]["state"]) == ("available", "stalled")
    assert found["activity"]["routable"] is True


def test_neither_held_nor_seen_nor_status_is_work(cli: Cli) -> None:
    folder = made(cli, None)
    before = row(cli)["activity"]
    for name in ("held", "seen"):
        (folder / name).write_bytes(record("s1", T))
    assert (
        row(cli)["activity"]
        == before
        == {
            "state": "idle",
            "ageMs": 700_000,
            "routable": False,
            "asOfMs": None,
        }
    )


def test_without_a_session_there_is_no_activity_to_speak_of(cli: Cli) -> None:
    folder = agent(cli.catalog, kdl=declared(), status=record("busy", T))
    (folder / "activity").write_bytes(record("running", T))
    assert row(cli)["activity"] is None


def test_a_foreign_one_line_presence_is_never_routed_to(cli: Cli) -> None:
    folder = made(cli, 0, host="h2")
    assert row(cli)["activity"]["routable"] is True
    (folder / "status").write_bytes(b"available\n")
    assert row(cli)["activity"]["routable"] is False


@pytest.mark.parametrize(
    ("age_ms", "sentence"),
    [
        (372_500, "stalled: no activity for 372 s; stalled after 360 s, idle after 600 s"),
        (5_000, "progressing: no activity for 5 s; stalled after 360 s, idle after 600 s"),
        (
            None,
            "idle: no activity recorded, session started 700 s (11 min) before; "
            "stalled after 360 s, idle after 600 s",
        ),
    ],
)
def test_why_names_the_clock_and_prints_its_number(
    cli: Cli, age_ms: int | None, sentence: str
) -> None:
    made(cli, age_ms)
    told = json.loads(cli("why", "a1", "--json", "--now", str(T)).out)
    [line] = [each["sentence"] for each in told["evidence"] if each["about"] == "activity"]
    assert line == sentence


def test_why_says_as_of_when_another_host_s_work_is_judged(cli: Cli) -> None:
    made(cli, 400_000, host="h2")
    beat = cli.catalog / "hosts/h2/beat"
    beat.parent.mkdir(parents=True)
    beat.write_bytes(record("0123456789abcdef", T - 50_000))
    told = json.loads(cli("why", "a1", "--json", "--now", str(T)).out)
    [line] = [each["sentence"] for each in told["evidence"] if each["about"] == "activity"]
    assert line == (
        "progressing: no activity for 350 s when its host published, 50 s ago; "
        "stalled after 360 s, idle after 600 s"
    )


class TestWriter:
    """Only the holder records, and only while its session has not ended."""

    @pytest.fixture
    def one(self, tmp_path: Path) -> Agent:
        return Agent(Files(str(tmp_path)), str(tmp_path))

    def recorded(self, one: Agent) -> bytes | None:
        found = one.writer.reader.record("h1", "a1", "activity")
        return getattr(found, "raw", None)

    def test_the_holder_records(self, one: Agent) -> None:
        one.start("s1")
        assert one.writer.record_activity("a1", Hold("s1", 1), "running", now_ms=one.now)
        assert self.recorded(one) == record("running", one.now)

    def test_a_burst_is_written_once_and_takes_no_lock_for_the_rest(self, one: Agent) -> None:
        one.start("s1")
        hold = Hold("s1", 1)
        assert one.writer.record_activity("a1", hold, "running", now_ms=one.now)
        with one.writer.lock("a1"):
            assert not one.writer.record_activity("a1", hold, "running", now_ms=one.now + 5_000)
        assert self.recorded(one) == record("running", one.now)

    def test_two_processes_never_go_back_and_write_once_in_5_000_ms(
        self, one: Agent, tmp_path: Path
    ) -> None:
        """Case E10: each with a clock of its own, 700 ms apart, as fast as they can."""
        one.start("s1")
        told = [
            subprocess.Popen(
                [sys.executable, "-c", RECORDER, str(tmp_path), str(one.now + late)],
                stdout=subprocess.PIPE,
                text=True,
            )
            for late in (0, 700)
        ]
        seen = [0]
        while any(each.poll() is None for each in told):
            raw = self.recorded(one)
            seen.append(int(raw.split()[2]) if raw else 0)
        assert seen == sorted(seen)
        stamps = sorted(int(line) for each in told for line in each.communicate()[0].split())
        assert [each.returncode for each in told] == [0, 0]
        assert len(stamps) > 5, "there was something to write"
        assert all(b - a > 5_000 for a, b in pairwise(stamps))

    def test_a_new_session_starts_without_the_activity_of_the_one_before(self, one: Agent) -> None:
        """Case E17."""
        one.start("s1")
        one.writer.record_activity("a1", Hold("s1", 1), "running", now_ms=one.now)
        one.start("s2", force=True)
        assert self.recorded(one) is None

    @pytest.mark.parametrize("ended", [False, True])
    def test_a_late_event_of_the_old_session_writes_nothing(self, one: Agent, ended: bool) -> None:
        """Case E17."""
        one.start("s1")
        one.end(Hold("s1", 1)) if ended else one.start("s2", force=True)
        with pytest.raises(Superseded):
            one.writer.record_activity("a1", Hold("s1", 1), "success", now_ms=one.now)
        assert self.recorded(one) is None
