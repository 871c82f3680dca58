"""drivers/transcript.py: whose transcript it is, and whether it grew."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.windows import STALL_MS, TRANSCRIPT_MS
from drivers.harnesses import DRIVERS
from drivers.transcript import ALONE, FORGET_MS, MADE, OPEN, Place, Transcript, decode, place_of

T = 1_800_000_000_000
ENV = {"HOME": "/h"}


class Holder:
    """A process with a child; the child appends to a file that it keeps open when told a line."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        script = f'(exec 5>>"{path}"; echo ready; while read line; do echo "$line" >&5; echo; done)'
        self.process = subprocess.Popen(
            ["bash", "-c", f"{script}; :"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.pid = self.process.pid
        self._answer()

    def write(self, at_ms: int) -> None:
        """Append one line, at that time."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"x\n")
        self.process.stdin.flush()
        self._answer()
        touch(self.path, at_ms)

    def _answer(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline()

    def close(self) -> None:
        self.process.communicate()


def touch(path: Path, at_ms: int) -> None:
    os.utime(path, ns=(at_ms * 1_000_000,) * 2)


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[Holder]:
    made = Holder(tmp_path / "sessions/2026/11/rollout-1.jsonl")
    touch(made.path, T - 1)
    yield made
    made.close()


def looking(place: Place, pid: int) -> Transcript:
    return Transcript(place, pid, since_ms=T)


class TestPlaces:
    def test_each_harness_has_its_own(self) -> None:
        assert place_of("codex", ENV, "/w") == f"{OPEN} .jsonl /h/.codex/sessions"
        assert place_of("codex", {"CODEX_HOME": "/c d"}, "/w") == f"{OPEN} .jsonl /c d/sessions"
        assert place_of("opencode", ENV, "/w") == f"{ALONE} .db-wal /h/.local/share/opencode"
        assert place_of("opencode", {"XDG_DATA_HOME": "/d"}, "") == f"{ALONE} .db-wal /d/opencode"
        pi = place_of("pi", ENV, "/srv/my work:x")
        assert pi == f"{MADE} .jsonl /h/.pi/agent/sessions/--srv-my work-x--"
        pi = place_of("pi", {**ENV, "PI_CODING_AGENT_DIR": "/p"}, "/X")
        assert pi == f"{MADE} .jsonl /p/sessions/--X--"

    def test_without_a_home_it_is_below_the_root(self) -> None:
        assert place_of("codex", {}, "/w") == f"{OPEN} .jsonl /.codex/sessions"

    @pytest.mark.parametrize("harness", ["claude", "exec", "gemini", "omp", None])
    def test_the_others_name_none(self, harness: str | None) -> None:
        assert place_of(harness, ENV, "/w") == ""

    def test_a_working_directory_that_is_gone_names_none_for_pi(self) -> None:
        assert place_of("pi", ENV, "") == ""

    def test_a_place_survives_the_pipe_to_the_owner(self) -> None:
        place = Place(MADE, "/a b/c", ".jsonl")
        assert decode(place.encode()) == place
        assert decode("") is None

    @pytest.mark.parametrize("harness", sorted(DRIVERS))
    def test_what_a_driver_says_of_its_activity_is_so(self, harness: str) -> None:
        named = DRIVERS[harness].about.activity == "transcript"
        assert bool(place_of(harness, ENV, "/w")) is named


class TestOpen:
    """codex: the harness or a process below it has the file open."""

    def test_it_grows_when_it_is_written_and_not_else(self, holder: Holder, tmp_path: Path) -> None:
        transcript = looking(Place(OPEN, str(tmp_path / "sessions"), ".jsonl"), holder.pid)
        assert not transcript.has_grown(now_ms=T + 10)
        holder.write(T + 20)
        assert transcript.has_grown(now_ms=T + 30)
        assert not transcript.has_grown(now_ms=T + 40)
        holder.write(T + 50)
        assert transcript.has_grown(now_ms=T + 60)

    def test_what_it_wrote_before_the_first_look_counts(
        self, holder: Holder, tmp_path: Path
    ) -> None:
        holder.write(T + 5)
        transcript = looking(Place(OPEN, str(tmp_path / "sessions"), ".jsonl"), holder.pid)
        assert transcript.has_grown(now_ms=T + 10)

    def test_another_s_file_is_not_its_own(self, holder: Holder, tmp_path: Path) -> None:
        other = Holder(tmp_path / "elsewhere")
        try:
            place = Place(OPEN, str(tmp_path / "sessions"), ".jsonl")
            holder.write(T + 5)
            assert not looking(place, other.pid).has_grown(now_ms=T + 10)
            assert looking(place, holder.pid).has_grown(now_ms=T + 10)
        finally:
            other.close()

    def test_it_is_its_own_whoever_else_reads_it(self, holder: Holder, tmp_path: Path) -> None:
        reader = Holder(holder.path)
        try:
            holder.write(T + 5)
            place = Place(OPEN, str(tmp_path / "sessions"), ".jsonl")
            assert looking(place, holder.pid).has_grown(now_ms=T + 10)
        finally:
            reader.close()

    def test_of_two_it_is_neither(self, holder: Holder, tmp_path: Path) -> None:
        place = Place(OPEN, str(tmp_path), ".jsonl")
        script = f'exec 5>>"{tmp_path}/a.jsonl" 6>>"{tmp_path}/b.jsonl"; echo; read x'
        with subprocess.Popen(
            ["bash", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as two:
            assert two.stdout is not None
            two.stdout.readline()
            assert not looking(place, two.pid).has_grown(now_ms=T + 10)

    def test_the_path_is_learnt_once_and_then_it_is_one_stat(
        self, holder: Holder, tmp_path: Path
    ) -> None:
        transcript = looking(Place(OPEN, str(tmp_path / "sessions"), ".jsonl"), holder.pid)
        transcript.has_grown(now_ms=T)
        holder.close()
        with holder.path.open("a") as file:
            file.write("more")
        touch(holder.path, T + 5)
        assert transcript.has_grown(now_ms=T + 10)


class TestMade:
    """pi: the one file of its folder that changed since it began."""

    def place(self, tmp_path: Path) -> Place:
        return Place(MADE, str(tmp_path), ".jsonl")

    def test_a_file_that_comes_later_is_found(self, tmp_path: Path) -> None:
        transcript = looking(self.place(tmp_path), 1)
        old = tmp_path / "old.jsonl"
        old.write_text("x")
        touch(old, T - 1)
        assert not transcript.has_grown(now_ms=T + 10)
        new = tmp_path / "new.jsonl"
        new.write_text("x")
        touch(new, T + 20)
        assert transcript.has_grown(now_ms=T + 30)
        assert not transcript.has_grown(now_ms=T + 40)

    def test_of_two_that_changed_it_is_neither(self, tmp_path: Path) -> None:
        for name in ("a.jsonl", "b.jsonl"):
            (tmp_path / name).write_text("x")
            touch(tmp_path / name, T + 5)
        assert not looking(self.place(tmp_path), 1).has_grown(now_ms=T + 10)
        (tmp_path / "b.jsonl").unlink()
        assert looking(self.place(tmp_path), 1).has_grown(now_ms=T + 10)

    def test_after_a_long_silence_it_is_looked_for_anew(self, tmp_path: Path) -> None:
        one, two = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
        one.write_text("x")
        touch(one, T + 5)
        transcript = looking(self.place(tmp_path), 1)
        assert transcript.has_grown(now_ms=T + 10)
        two.write_text("x")
        touch(two, T + FORGET_MS)
        assert not transcript.has_grown(now_ms=T + 9 + FORGET_MS), "not yet: the old one is asked"
        touch(two, T + 10 + FORGET_MS)
        assert not transcript.has_grown(now_ms=T + 10 + FORGET_MS)
        assert transcript.has_grown(now_ms=T + 20 + FORGET_MS)
        assert FORGET_MS == STALL_MS - 2 * TRANSCRIPT_MS == 300_000

    @pytest.mark.parametrize(
        ("wrote_ms", "now_ms", "grown"),
        [
            (T, T + 10, False),
            (T + 1, T + 10, True),
            (T + 1, T + 30_000, True),
            (T + 1, T + 30_001, False),
            (T + 2, T + 30_001, True),
        ],
    )
    def test_a_first_look_counts_what_was_written_since_it_began_and_in_the_last_30_s(
        self, tmp_path: Path, wrote_ms: int, now_ms: int, grown: bool
    ) -> None:
        path = tmp_path / "a.jsonl"
        path.write_text("x")
        touch(path, wrote_ms)
        transcript = looking(self.place(tmp_path), 1)
        assert transcript.has_grown(now_ms=now_ms) is grown
        assert not transcript.has_grown(now_ms=now_ms + 1)

    def test_more_bytes_are_growth_within_one_tick_of_the_clock_and_fewer_are_none(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "a.jsonl"
        path.write_text("xx")
        touch(path, T + 5)
        transcript = looking(self.place(tmp_path), 1)
        assert transcript.has_grown(now_ms=T + 10)
        for text, grown in (("xxx", True), ("x", False), ("", False), ("x", False), ("xx", True)):
            path.write_text(text)
            touch(path, T + 5)
            assert transcript.has_grown(now_ms=T + 20) is grown, text

    def test_what_it_did_before_a_long_silence_is_not_found_again(self, tmp_path: Path) -> None:
        one, two = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
        one.write_text("x")
        touch(one, T + 10)
        transcript = looking(self.place(tmp_path), 1)
        assert transcript.has_grown(now_ms=T + 10)
        assert not transcript.has_grown(now_ms=T + 10 + FORGET_MS)
        two.write_text("x")
        touch(two, T + 11 + FORGET_MS)
        assert transcript.has_grown(now_ms=T + 20 + FORGET_MS)
        two.unlink()
        touch(one, T + 11)
        assert not transcript.has_grown(now_ms=T + 30 + FORGET_MS), "it is gone"
        touch(one, T + 31 + FORGET_MS)
        assert transcript.has_grown(now_ms=T + 40 + FORGET_MS), "and looked for anew"

    def test_another_silence_is_as_long_as_the_first(self, tmp_path: Path) -> None:
        one, two = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
        one.write_text("x")
        touch(one, T + 5)
        transcript = looking(self.place(tmp_path), 1)
        assert transcript.has_grown(now_ms=T + 10)
        again_ms = T + 10 + FORGET_MS
        assert not transcript.has_grown(now_ms=again_ms)
        touch(one, again_ms)
        assert transcript.has_grown(now_ms=again_ms + 1)
        two.write_text("x")
        touch(two, again_ms + FORGET_MS)
        assert not transcript.has_grown(now_ms=again_ms + FORGET_MS), "not yet"
        assert not transcript.has_grown(now_ms=again_ms + 1 + FORGET_MS)
        assert transcript.has_grown(now_ms=again_ms + 2 + FORGET_MS)

    def test_no_folder_is_no_transcript(self, tmp_path: Path) -> None:
        place = self.place(tmp_path / "none")
        assert not looking(place, 1).has_grown(now_ms=T)

    def test_a_file_that_is_taken_away_is_no_growth(self, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl"
        path.write_text("x")
        touch(path, T + 5)
        transcript = looking(self.place(tmp_path), 1)
        assert transcript.has_grown(now_ms=T + 10)
        path.unlink()
        assert not transcript.has_grown(now_ms=T + 20)


class TestAlone:
    """opencode: a database that all of a user's sessions share."""

    def test_it_counts_only_while_nobody_else_has_it_open(self, tmp_path: Path) -> None:
        path = tmp_path / "opencode.db-wal"
        own = Holder(path)
        place = Place(ALONE, str(tmp_path), ".db-wal")
        try:
            transcript = looking(place, own.pid)
            own.write(T + 5)
            assert transcript.has_grown(now_ms=T + 10)
            other = Holder(path)
            try:
                own.write(T + 20)
                assert not transcript.has_grown(now_ms=T + 30)
            finally:
                other.close()
            own.write(T + 40)
            assert transcript.has_grown(now_ms=T + 50)
        finally:
            own.close()
