"""What this host sees of a harness: when silence alone will change it."""

from __future__ import annotations

import os
from errno import EIO
from pathlib import Path

import pytest

from catalog.claim import Claim
from catalog.evidence import ALIVE, GONE, UNKNOWN, Evidence, render_lines
from catalog.layout import Layout
from catalog.reader import Reader
from catalog.system.files import Files
from catalog.windows import LOST_SILENCE_MS
from catalog.witness import Looks, Sight, Witness, other_agent_of
from catalogs import T, agent, claim, record
from fakes import BOOT, FakeClock, FakeProcesses
from test_unread import looks_failing

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


class Round:
    """Looks at h1.a1, one by one and in a round, over the same files."""

    def __init__(self, root: Path) -> None:
        self.files, self.layout = Files(str(root)), Layout(str(root), "h1")
        self.processes = FakeProcesses()
        self.processes.begin(PID)
        self.claim: Claim = claim()
        agent(root, session=self.claim)

    def write(self, *found: Evidence) -> None:
        self.files.replace(self.layout.process("a1"), render_lines(list(found)))

    def witness(self) -> Witness:
        reader = Reader(self.files, self.layout)
        clock = FakeClock(T)
        return Witness(reader, self.processes, now_ms=clock.now_ms)  # type: ignore[arg-type]

    def looks(self) -> Sight:
        """What both say, which is the same."""
        with Looks(self.witness()) as looks:
            seen = [looks.look(self.claim), looks.look(self.claim)]
            assert looks.verdict(self.claim) == seen[0].verdict  # no word hangs on its owner here
        assert seen == [self.witness().look(self.claim)] * 2
        return seen[0]


OURS = Evidence(token="s1", generation=1, pid=PID, start="100", boot=BOOT)


class TestARoundOfLooks:
    """A round of looks says of each claim what a look at it alone says."""

    def test_where_this_host_has_no_folder_nothing_is_known(self, tmp_path: Path) -> None:
        assert Round(tmp_path).looks() == Sight(UNKNOWN, None, False)

    @pytest.mark.parametrize(
        ("found", "verdict", "pid"),
        [
            ((), UNKNOWN, None),
            ((OURS,), ALIVE, PID),
            ((OURS.of("s0", 1),), UNKNOWN, None),
            ((OURS.of("s0", 1), OURS), ALIVE, PID),
            ((OURS.of("s1", 2),), UNKNOWN, None),
        ],
    )
    def test_evidence_counts_for_its_claim_alone(
        self, tmp_path: Path, found: tuple[Evidence, ...], verdict: str, pid: int | None
    ) -> None:
        a_round = Round(tmp_path)
        a_round.write(*found)
        assert a_round.looks() == Sight(verdict, pid, False)

    def test_a_harness_that_is_gone_is_gone(self, tmp_path: Path) -> None:
        a_round = Round(tmp_path)
        a_round.write(OURS)
        a_round.processes.end(PID, 0)
        assert a_round.looks() == Sight(GONE, PID, False)

    @pytest.mark.parametrize("owner", ["held", "left", "a folder", "in no folder"])
    def test_the_owner_runs_where_its_lock_is_held(self, tmp_path: Path, owner: str) -> None:
        a_round = Round(tmp_path)
        a_round.write(OURS)
        path = a_round.layout.owner_lock("a1")
        expected: bool | None = False
        if owner == "a folder":
            (tmp_path / path).mkdir(parents=True)
            expected = None
        elif owner == "in no folder":
            (tmp_path / path).parent.write_bytes(b"")
            expected = None
        else:
            lock = a_round.files.lock(path, wait_ms=0)
            if owner == "held":
                assert a_round.looks() == Sight(ALIVE, PID, True)
            lock.release()
        assert a_round.looks() == Sight(ALIVE, PID, expected)

    def test_a_folder_that_others_write_is_not_used(self, tmp_path: Path) -> None:
        a_round = Round(tmp_path)
        a_round.write(OURS)
        (tmp_path / ".st2").chmod(0o777)
        assert a_round.looks() == Sight(UNKNOWN, None, None)

    def test_what_comes_while_the_round_goes_on_is_seen(self, tmp_path: Path) -> None:
        a_round = Round(tmp_path)
        a_round.files.replace(a_round.layout.local("settings"), b"")
        with Looks(a_round.witness()) as looks:
            assert looks.look(a_round.claim) == Sight(UNKNOWN, None, False)
            a_round.write(OURS)
            with a_round.files.lock(a_round.layout.owner_lock("a1"), wait_ms=0):
                assert looks.look(a_round.claim) == Sight(ALIVE, PID, True)
            assert looks.look(a_round.claim) == Sight(ALIVE, PID, False)

    def test_no_round_leaves_a_descriptor_open(self, tmp_path: Path) -> None:
        a_round = Round(tmp_path)
        a_round.write(OURS)
        a_round.files.lock(a_round.layout.owner_lock("a1"), wait_ms=0).release()
        before = sorted(os.listdir("/proc/self/fd"))
        a_round.looks()
        assert sorted(os.listdir("/proc/self/fd")) == before


class TestAnotherAgent:
    """One process is the session of one agent; what was recorded of a1 is asked for a2."""

    def other(self, root: Path, asked: Evidence, *recorded: Evidence, by_token: bool) -> str | None:
        files, layout = Files(str(root)), Layout(str(root), "h1")
        files.replace(layout.process("a1"), render_lines(list(recorded)))
        return other_agent_of(Reader(files, layout), "a2", asked, by_token=by_token)

    @pytest.mark.parametrize("session", [claim(), b"<<<<<<<", b'{"v": 2}\n'])
    def test_it_has_its_process_whether_its_claim_can_be_read_or_not(
        self, tmp_path: Path, session: Claim | bytes
    ) -> None:
        agent(tmp_path, session=session)
        asked = OURS.of("mine", 1)
        assert self.other(tmp_path, asked, OURS, by_token=False) == "a1"
        for field, value in (("pid", PID + 1), ("start", "101")):
            changed = {name: getattr(OURS, name) for name in OURS.__slots__} | {field: value}
            assert self.other(tmp_path, asked, Evidence(**changed), by_token=True) is None

    @pytest.mark.parametrize("session", [claim(), b"<<<<<<<"])
    def test_it_has_its_token_unless_that_was_chosen_by_hand(
        self, tmp_path: Path, session: Claim | bytes
    ) -> None:
        agent(tmp_path, session=session)
        elsewhere = Evidence(token="s1", generation=0, pid=PID + 1, start="100", boot=BOOT)
        assert self.other(tmp_path, elsewhere, OURS, by_token=True) == "a1"
        assert self.other(tmp_path, elsewhere, OURS, by_token=False) is None

    def test_what_is_over_or_was_replaced_has_nothing(self, tmp_path: Path) -> None:
        asked = OURS.of("mine", 1)
        agent(tmp_path)
        assert self.other(tmp_path, asked, OURS, by_token=True) is None
        agent(tmp_path, session=claim(generation=2, session="s2"))
        assert self.other(tmp_path, asked, OURS, by_token=True) is None
        agent(tmp_path, session=claim(ended_ms=T, end_reason="exited"))
        assert self.other(tmp_path, asked, OURS, by_token=True) is None

    def test_what_the_system_fails_to_read_is_not_what_is_not_there(self, tmp_path: Path) -> None:
        agent(tmp_path, session=claim())
        told = set()
        for found in looks_failing(
            lambda: self.other(tmp_path, OURS.of("mine", 1), OURS, by_token=False), EIO
        ):
            told.add(found if isinstance(found, str) else type(found))
        assert told == {"a1", OSError}
