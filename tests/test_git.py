"""The git runner: what a child inherits, what ends it, what comes back."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.sync_errors import SyncFailed
from catalog.system import program
from catalog.system.git import Git, Ran, far_end
from catalog.system.program import number, run_program

ALL_BYTES = bytes(range(256))


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """A repository of st2's own."""
    repository = Git(str(tmp_path / "own.git"))
    repository.run("init", "-q", "--bare", "--template=")
    return repository


def shell(git: Git, script: str) -> Ran:
    """Run a shell script as a child of git, where hooks and helpers would run."""
    return git.run("-c", f"alias.x=!{script}", "x")


def test_bytes_go_in_and_come_out_unchanged(git: Git) -> None:
    blob = git.run("hash-object", "-w", "--stdin", stdin=ALL_BYTES + b"\n").out.decode().strip()
    assert git.run("cat-file", "blob", blob) == Ran(0, ALL_BYTES + b"\n", "")


def test_a_command_that_fails_is_a_result_and_not_an_error(git: Git) -> None:
    ran = git.run("cat-file", "-e", "0" * 40)
    assert ran.code != 0


def test_a_child_sees_no_git_variable_but_ours(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_SSH", "GIT_EXTERNAL_DIFF"):
        monkeypatch.setenv(name, "/nowhere")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "/evil")
    monkeypatch.setenv("GIT_ASKPASS", "/evil")
    lines = shell(git, "env").out.decode().splitlines()
    found = {line.partition("=")[0]: line.partition("=")[2] for line in lines if line[:4] == "GIT_"}
    by_git_itself = {"GIT_DIR", "GIT_PREFIX", "GIT_CONFIG_PARAMETERS", "GIT_EXEC_PATH"}
    assert set(found) - by_git_itself == {
        "GIT_ALLOW_PROTOCOL",
        "GIT_ASKPASS",
        "GIT_NO_LAZY_FETCH",
        "GIT_OPTIONAL_LOCKS",
        "GIT_SSH_COMMAND",
        "GIT_TERMINAL_PROMPT",
    }
    assert (found["GIT_ASKPASS"], found["GIT_TERMINAL_PROMPT"]) == ("", "0")
    assert found["GIT_ALLOW_PROTOCOL"] == "file:ssh:https:git"
    assert found["GIT_DIR"] == git.repository


def test_a_child_leads_a_session_of_its_own_and_has_no_terminal_to_ask_on(git: Git) -> None:
    ran = shell(git, f"{sys.executable} -c 'import os; print(os.getsid(0))'")
    assert int(ran.out) != os.getsid(0)


def test_the_time_limit_ends_the_whole_group(
    git: Git, tmp_path: Path, eventually: Callable[..., object]
) -> None:
    pids = tmp_path / "pids"
    git.limit_s = 0.5
    before = time.monotonic()
    with pytest.raises(SyncFailed) as failed:
        shell(git, f"sleep 300 & echo $$ $! > {pids}; wait")
    assert str(failed.value) == "git -c: no end after 0.5 s, wanted an answer"
    assert time.monotonic() - before < 100
    for pid in pids.read_text().split():
        eventually(lambda pid=pid: is_gone(int(pid)))


def test_a_leader_that_left_its_child_behind_does_not_keep_us(
    git: Git, tmp_path: Path, eventually: Callable[..., object]
) -> None:
    pids = tmp_path / "pids"
    git.limit_s = 0.5
    with pytest.raises(SyncFailed):
        shell(git, f"sleep 300 & echo $! > {pids}")
    eventually(lambda: is_gone(int(pids.read_text())))


def test_an_interrupt_ends_the_group_too(
    git: Git, tmp_path: Path, eventually: Callable[..., object]
) -> None:
    pids = tmp_path / "pids"

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            shell(git, f"echo $$ > {pids}; exec sleep 300")
    finally:
        signal.signal(signal.SIGALRM, before)
    eventually(lambda: is_gone(int(pids.read_text())))


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has reaped counts."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.parametrize("path", ["/nowhere", ""])
def test_a_host_without_git_is_told_so(
    git: Git, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setenv("PATH", path)
    with pytest.raises(SyncFailed) as failed:
        git.run("version")
    assert str(failed.value) == "git: not found, wanted git on PATH"


def test_a_line_of_git_ends_at_a_line_feed_and_at_nothing_else() -> None:
    ran = Ran(0, "a\u2028b\x85\x0c\rc\n\nd\n".encode(), "")
    assert ran.lines() == ["a\u2028b\x85\x0c\rc", "", "d"]
    assert Ran(0, b"", "").lines() == [] and Ran(0, b"a", "").lines() == ["a"]
    assert Ran(0, b"\xff\n", "").lines() == ["\udcff"]
    assert Ran(0, b"\xff\n", "").lines("replace") == ["\ufffd"]


def test_a_number_of_git_is_of_plain_digits() -> None:
    assert [number(text) for text in ("0", "017", "9" * 19)] == [0, 17, int("9" * 19)]
    for text in ("", "-1", "+1", " 1", "1 ", "²", "٣", "1_0", "9" * 20):
        assert number(text) is None


def test_what_git_said_is_one_line_without_hints_or_control_characters() -> None:
    ran = Ran(1, b"! rejected\n", "error: \x1b[31mno\u202e\nhint: try it\n\nfatal: end")
    assert ran.words == "error: \\x1b[31mno\\u202e; fatal: end; ! rejected"
    assert Ran(7, b"", "").words == "exit 7"
    assert Ran(1, b"", "x" * 601).words == "x" * 600 + "..."


def test_the_far_end_runs_without_hooks_monitor_checkout_or_a_third_repository() -> None:
    words = far_end("receive-pack").split()
    assert words[:3] == ["GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "git"]
    assert words[-1] == "receive-pack"
    wanted = {"core.hooksPath=/dev/null", "core.fsmonitor=false"}
    assert wanted | {"receive.denyCurrentBranch=refuse"} <= set(words)


class TestRepository:
    """A repository of ours is made of folders, and dropped whole."""

    def test_folders_and_a_head_make_one_that_holds_objects(self, tmp_path: Path) -> None:
        git = Git(str(tmp_path / "bare"))
        git.make_folders()
        git.make_folders()
        (tmp_path / "bare" / "HEAD").write_text("ref: refs/heads/none\n")
        assert git.run("hash-object", "-w", "--stdin", stdin=b"x").code == 0
        git.drop_objects()
        assert not (tmp_path / "bare" / "objects").exists()
        git.drop()
        git.drop()
        assert not (tmp_path / "bare").exists()

    @pytest.mark.parametrize(("loose", "grown"), [(2_000, False), (2_001, True)])
    def test_it_is_grown_above_its_limit(self, tmp_path: Path, loose: int, grown: bool) -> None:
        folder = tmp_path / "bare" / "objects" / "ab"
        folder.mkdir(parents=True)
        for made in range(loose):
            (folder / f"{made}").touch()
        assert Git(str(tmp_path / "bare")).is_grown() is grown


def test_what_is_ended_may_put_its_lock_away_first(
    git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "GRACE_S", 60.0)
    lock = tmp_path / "lock"
    git.limit_s = 1.0
    with pytest.raises(SyncFailed):
        shell(git, f"trap 'rm {lock}; exit' TERM; touch {lock}; while :; do sleep 0.05; done")
    assert not lock.exists()


def test_one_that_closed_its_output_before_is_ended_all_the_same() -> None:
    with pytest.raises(SyncFailed, match="no end after 1 s"):
        run_program(["sh", "-c", "exec >&-; sleep 300"], {}, "sh", limit_s=1.0)


@pytest.mark.parametrize("stream", [1, 2])
def test_one_that_talks_without_end_is_given_up_and_not_kept(
    stream: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "OUT_BYTES", 300_000)
    monkeypatch.setattr(program, "ERR_BYTES", 300_000)
    before = peak_kb()
    with pytest.raises(SyncFailed, match=r"sh: \d+ bytes and no end, wanted an answer"):
        run_program(["sh", "-c", f"exec yes on and on >&{stream}"], {}, "sh", limit_s=600.0)
    assert peak_kb() - before < 65_536


def test_of_much_talk_that_ends_the_first_words_are_told_and_all_output_is_read() -> None:
    script = "head -c 3000000 /dev/zero | tr '\\0' x >&2; cat; exit 3"
    given = bytes(range(256)) * 8_000
    ran = run_program(["sh", "-c", script], {}, "sh", stdin=given)
    assert (ran.code, ran.out, ran.err) == (3, given, "x" * 65_536)


def test_one_that_reads_nothing_of_what_it_is_given() -> None:
    ran = run_program(["sh", "-c", "exec <&-; echo done"], {}, "sh", stdin=b"x" * 1_000_000)
    assert (ran.code, ran.out) == (0, b"done\n")


def peak_kb() -> int:
    """Return the most memory that this process has had."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // 1024 if sys.platform == "darwin" else most
