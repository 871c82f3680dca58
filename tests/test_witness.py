"""What this host sees of a harness: when silence alone will change it."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.claim import Claim
from catalog.evidence import GONE, UNKNOWN, Evidence, render_lines
from catalog.layout import Layout
from catalog.reader import Reader
from catalog.system.files import Files
from catalog.windows import LOST_SILENCE_MS
from catalog.witness import Sight, Witness
from catalogs import T, agent, claim, record
from fakes import BOOT, FakeClock, FakeProcesses

PID = 4711


class Seen:
    """A session of h1.a1 whose harness is gone, and a clock."""

    def __init__(self, root: Path, registered_by: str) -> None:
        self.files, self.layout = Files(str(root)), Layout(str(root), "h1")
        self.clock = FakeClock(T)
        self.claim: Claim = claim(registered_by=registered_by)
        self.folder = agent(root, session=self.claim)
        found = Evidence(token="s1", generation=1, pid=PID, start="100", boot=BOOT)
        self.files.replace(self.layout.process("a1"), render_lines([found]))

    def at(self, age_ms: int) -> Sight:
        self.clock.ms = T + age_ms
        reader = Reader(self.files, self.layout)
        processes = FakeProcesses()
        witness = Witness(reader, processes, now_ms=self.clock.now_ms)  # type: ignore[arg-type]
        return witness.look(self.claim)


@pytest.mark.parametrize(
    ("age_ms", "verdict", "until_ms"),
    [
        (0, UNKNOWN, T + LOST_SILENCE_MS + 1),
        (LOST_SILENCE_MS, UNKNOWN, T + LOST_SILENCE_MS + 1),
        (LOST_SILENCE_MS + 1, GONE, None),
    ],
)
def test_a_pid_that_was_learnt_from_a_hook_says_when_its_silence_will_count(
    tmp_path: Path, age_ms: int, verdict: str, until_ms: int | None
) -> None:
    """Case A7, as it is watched."""
    sight = Seen(tmp_path, "hook").at(age_ms)
    assert (sight.verdict, sight.until_ms) == (verdict, until_ms)


@pytest.mark.parametrize("name", ["held", "activity"])
def test_whatever_it_said_last_counts(tmp_path: Path, name: str) -> None:
    seen = Seen(tmp_path, "hook")
    word = "s1" if name == "held" else "running"
    (seen.folder / name).write_bytes(record(word, T + 5_000))
    sight = seen.at(LOST_SILENCE_MS + 1)
    assert (sight.verdict, sight.until_ms) == (UNKNOWN, T + 5_000 + LOST_SILENCE_MS + 1)


def test_what_another_session_holds_is_no_sign_of_life_of_this_one(tmp_path: Path) -> None:
    seen = Seen(tmp_path, "hook")
    (seen.folder / "held").write_bytes(record("s2", T + 5_000))
    assert seen.at(LOST_SILENCE_MS + 1) == Sight(GONE, PID, False)


def test_of_a_session_with_an_owner_no_silence_is_asked(tmp_path: Path) -> None:
    sight = Seen(tmp_path, "wrapper").at(0)
    assert (sight.verdict, sight.until_ms) == (GONE, None)
