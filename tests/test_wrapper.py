"""Whole sessions under the installed wrapper, with real processes (cases A, B, D and F)."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator

import pytest
from conftest import Cli
from support.wrapped import Wrapped, is_running, until


@pytest.fixture
def wrapped(cli: Cli) -> Iterator[Wrapped]:
    """A catalog with agent w, and an end for everything that was started in it."""
    made = Wrapped(cli)
    yield made
    made.close()


def adopt(wrapped: Wrapped, *options: str) -> tuple[int, str]:
    done = wrapped.cli("session", "adopt", "h1.w", *options)
    return done.code, done.text + done.errors


def test_the_wrapper_becomes_the_harness_with_the_same_pid(wrapped: Wrapped) -> None:
    process = wrapped.running("sleep", "60")
    with open(f"/proc/{process.pid}/cmdline", "rb") as line:
        assert line.read() == b"sleep\x0060\x00"


def test_a_harness_whose_owner_was_killed_is_never_called_offline(wrapped: Wrapped) -> None:
    """Case A1."""
    process = wrapped.running("sleep", "60")
    wrapped.kill_owner()
    row = wrapped.row()
    assert row["status"] == "available"
    (finding,) = [f for f in row["findings"] if f["code"] == "owner-lost"]
    assert f"owner gone, harness pid {process.pid} alive" in finding["message"]
    assert "st2 session adopt w" in wrapped.cli("why", "h1.w").text
    before = wrapped.claim()
    refused = wrapped.run("true")
    assert refused.code == 1
    assert f"harness pid {process.pid}" in refused.errors
    assert wrapped.claim() == before


def test_an_adopted_harness_is_beaten_for_again_under_its_old_claim(wrapped: Wrapped) -> None:
    """Case A1."""
    process = wrapped.running("sleep", "60")
    wrapped.kill_owner()
    claim, stamp_ms = wrapped.claim(), wrapped.stamp_ms()
    code, said = adopt(wrapped, "--beat", "200")
    assert (code, str(process.pid) in said) == (0, True), said
    assert wrapped.stamp_ms() > stamp_ms
    first_ms = wrapped.stamp_ms()
    until(lambda: wrapped.stamp_ms() >= first_ms + 200)
    assert wrapped.claim() == claim
    process.send_signal(signal.SIGTERM)
    assert wrapped.ended()["exit"] == "signal 15"


def test_a_second_adopt_is_refused_while_an_owner_holds_the_lock(wrapped: Wrapped) -> None:
    """Case A1."""
    wrapped.running("sleep", "60")
    code, said = adopt(wrapped)
    assert code == 1
    assert "an owner runs already" in said
    wrapped.kill_owner()
    assert adopt(wrapped)[0] == 0
    assert adopt(wrapped)[0] == 1


def test_of_two_adopts_at_once_one_owner_comes_out(wrapped: Wrapped) -> None:
    wrapped.running("sleep", "60")
    for _ in range(5):
        wrapped.kill_owner()
        racers = [
            wrapped.cli.start("session", "adopt", "h1.w", stderr=subprocess.PIPE) for _ in range(4)
        ]
        codes = sorted(racer.wait() for racer in racers)
        for racer in racers:
            racer.communicate()
        assert codes == [0, 1, 1, 1]


def test_a_killed_harness_is_ended_by_signal_9_within_a_second(wrapped: Wrapped) -> None:
    """Case A2."""
    process = wrapped.running("sleep", "60")
    owner = wrapped.owner_pid()
    process.kill()
    until(lambda: wrapped.claim().get("ended_ms"), timeout=1)
    claim = wrapped.claim()
    assert (claim["end_reason"], claim["exit"]) == ("exited", "signal 9")
    assert wrapped.word() == "offline"
    until(lambda: not is_running(owner), timeout=1)
    assert wrapped.row()["presence"]["why"] == "ended"


def test_when_both_are_killed_every_command_says_lost_at_once(wrapped: Wrapped) -> None:
    """Case A3, on this host."""
    process = wrapped.running("sleep", "60")
    wrapped.kill_owner()
    process.kill()
    process.wait()
    row = wrapped.row()
    assert (row["status"], row["presence"]["why"]) == ("offline", "lost")
    assert wrapped.cli("status", "h1.w").text == "offline\n"
    assert "lost" in wrapped.cli("why", "h1.w").text
    assert wrapped.cli("agents", "--status", "offline").text.startswith("h1.w\t")


def test_reading_a_lost_session_fifty_times_writes_nothing(
    wrapped: Wrapped, tree_hash: object
) -> None:
    """Case D5."""
    process = wrapped.running("sleep", "60")
    wrapped.kill_owner()
    process.kill()
    process.wait()
    before = tree_hash(mtimes=True)  # type: ignore[operator]
    for _ in range(17):
        wrapped.cli("agents")
        wrapped.cli("why", "h1.w")
        wrapped.cli("status", "h1.w")
    assert tree_hash(mtimes=True) == before  # type: ignore[operator]
    wrapped.cli("status", "h1.w", "--set", "busy")
    assert tree_hash(mtimes=True) != before  # type: ignore[operator]


def test_a_stopped_harness_is_not_refreshed_and_beats_once_when_it_runs_again(
    wrapped: Wrapped,
) -> None:
    """Case A4."""
    process = wrapped.running("sleep", "60", beat_ms=300)
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    time.sleep(0.4)
    stopped = wrapped.stamp_ms()
    time.sleep(1.2)
    assert wrapped.stamp_ms() == stopped
    process.send_signal(signal.SIGCONT)
    until(lambda: wrapped.stamp_ms() > stopped, timeout=1.5)
    resumed = wrapped.stamp_ms()
    time.sleep(0.15)
    assert wrapped.stamp_ms() == resumed


def test_a_silent_harness_stays_available_through_three_windows(wrapped: Wrapped) -> None:
    """Case A8: nothing calls us; the owner alone renews the record."""
    wrapped.running("sleep", "60", beat_ms=100)
    stamps = set()
    for _ in range(12):
        assert wrapped.row()["presence"]["record"] == "available"
        stamps.add(wrapped.stamp_ms())
    assert len(stamps) > 5


def test_a_start_over_a_proven_dead_session_says_what_it_replaced(wrapped: Wrapped) -> None:
    """Case B12."""
    process = wrapped.running("sleep", "60")
    old = wrapped.claim()["session"]
    wrapped.kill_owner()
    process.kill()
    process.wait()
    started = wrapped.run("true")
    assert started.code == 0
    assert started.errors == (
        f"st2: h1.w: replaced session {old[:8]}, whose harness pid {process.pid} is gone\n"
    )
    claim = wrapped.ended()
    assert (claim["took_over"], claim["previous"], claim["generation"]) == (True, old, 2)


def test_a_superseded_owner_leaves_at_its_next_beat_and_writes_nothing(wrapped: Wrapped) -> None:
    """Cases B15 and D7."""
    old = wrapped.running("sleep", "60", beat_ms=600)
    old_owner = wrapped.owner_pid()
    old_token = wrapped.claim()["session"]
    wrapped.start("sleep", "60", force=True)
    until(lambda: wrapped.claim()["session"] != old_token)
    until(lambda: not wrapped.reader.owner_free("w") and wrapped.owner_pid() != old_owner)
    until(lambda: not is_running(old_owner))
    claim, status = wrapped.claim(), wrapped.status()
    assert (claim["took_over"], claim["previous"]) == (True, old_token)
    assert is_running(old.pid)
    old.kill()
    old.wait()
    time.sleep(0.3)
    assert (wrapped.claim(), wrapped.status()) == (claim, status)
    refused = wrapped.cli(
        "status", "--set", "busy", env={"ST_AGENT": "h1.w", "ST2_SESSION": old_token}
    )
    assert refused.code == 1
    assert f"held by session {claim['session'][:8]}" in refused.errors
    assert wrapped.status() == status


def test_the_new_owner_holds_the_lock_while_the_old_one_still_sleeps(wrapped: Wrapped) -> None:
    """Case D7: the old owner holds a lock that no path leads to any more."""
    old = wrapped.running("sleep", "60")
    sleeping = wrapped.owner_pid()
    new = wrapped.running("sleep", "60", force=True)
    assert wrapped.owner_pid() != sleeping
    assert is_running(sleeping)
    before = (wrapped.claim(), wrapped.status())
    old.kill()
    until(lambda: not is_running(sleeping))
    assert (wrapped.claim(), wrapped.status()) == before
    new.kill()
    assert wrapped.ended()["exit"] == "signal 9"


@pytest.mark.slow
def test_fifty_restarts_in_a_loop_are_fifty_clean_ends_and_take_nothing_over(
    wrapped: Wrapped,
) -> None:
    """Case B17."""
    line = shlex.join(wrapped.command("sh", "-c", "exit 3"))
    seen = {}
    loop = subprocess.Popen(
        ["sh", "-c", f"i=0; while [ $i -lt 50 ]; do {line}; i=$((i+1)); done"],
        env=wrapped.cli.environment(),
        stderr=subprocess.PIPE,
    )
    while loop.poll() is None:
        claim = wrapped.claim()
        if claim.get("ended_ms"):
            seen[claim["generation"]] = (claim["end_reason"], claim["exit"], claim["took_over"])
        assert not claim.get("took_over")
        time.sleep(0.002)
    assert loop.communicate()[1] == b""
    claim = wrapped.ended()
    seen[claim["generation"]] = (claim["end_reason"], claim["exit"], claim["took_over"])
    assert claim["generation"] == 50
    assert set(seen.values()) == {("exited", "exit 3", False)}
    assert len(seen) > 25


@pytest.mark.parametrize(
    ("make", "code", "found"),
    [
        (lambda path: "./nonesuch", 127, "not found"),
        (lambda path: "nonesuch-program", 127, "not found"),
        (lambda path: str(path / "plain"), 126, "permission denied"),
        (lambda path: str(path), 126, "permission denied"),
        (lambda path: str(path / "orphan"), 127, "not found"),
        (lambda path: "", 127, "not found"),
    ],
)
def test_a_program_that_cannot_be_started_is_a_launch_error_and_was_never_available(
    wrapped: Wrapped, tmp_path: object, make: object, code: int, found: str
) -> None:
    """Case D2."""
    from pathlib import Path

    folder = Path(str(tmp_path)) / "programs"
    folder.mkdir()
    (folder / "plain").write_text("text")
    (folder / "orphan").write_text("#!/nonesuch/interpreter\n")
    (folder / "orphan").chmod(0o755)
    program = make(folder)  # type: ignore[operator]
    done = wrapped.run(program)
    assert done.code == code
    assert done.errors.startswith(f"st2: {program}: {found}, wanted a program")
    claim = wrapped.claim()
    assert (claim["end_reason"], claim["exit"]) == ("launch-error", None)
    assert wrapped.status() is None
    assert wrapped.row()["status"] == "offline"


def test_a_harness_that_exits_at_once_never_ends_as_available(wrapped: Wrapped) -> None:
    """Case D3."""
    for _ in range(10):
        assert wrapped.run("sh", "-c", "exit 7").code == 7
        assert wrapped.ended()["exit"] == "exit 7"
        assert wrapped.word() == "offline"


def test_a_clean_exit_writes_each_record_once_and_then_nothing_more(wrapped: Wrapped) -> None:
    """Case D4."""
    process = wrapped.running("sleep", "60", beat_ms=100)
    owner = wrapped.owner_pid()
    trace = wrapped.cli.home / "trace"
    watcher = subprocess.Popen(
        ["strace", "-f", "-qq", "-e", "trace=rename,renameat,renameat2", "-o", trace]
        + ["-p", str(owner)],
        stderr=subprocess.PIPE,
    )
    until(lambda: trace.exists() and b"status" in trace.read_bytes())
    process.send_signal(signal.SIGTERM)
    watcher.wait()
    watcher.communicate()
    renames = [line for line in trace.read_text().splitlines() if "rename" in line]
    assert '"session.json"' in renames[-1]
    assert '"status"' in renames[-2]
    assert sum('"session.json"' in line for line in renames) == 1
    assert wrapped.word() == "offline"


def test_a_second_wrapper_is_refused_and_the_record_does_not_alternate(wrapped: Wrapped) -> None:
    """Case F4."""
    process = wrapped.running("sleep", "60", beat_ms=100)
    token = wrapped.claim()["session"]
    for _ in range(3):
        refused = wrapped.run("sleep", "60")
        assert refused.code == 1
        assert f"harness pid {process.pid}" in refused.errors
        assert wrapped.claim()["session"] == token
    assert wrapped.word() == "available"


def test_of_eight_starts_at_once_one_wins(wrapped: Wrapped) -> None:
    racers = [wrapped.start("sleep", "60") for _ in range(8)]
    until(lambda: sum(racer.poll() is None for racer in racers) == 1, timeout=20)
    assert sorted(racer.poll() or 0 for racer in racers) == [0, 1, 1, 1, 1, 1, 1, 1]
    assert wrapped.claim()["generation"] == 1


@pytest.mark.parametrize(
    ("content", "named"),
    [(b"pid 999999\n", None), (b"pid 0\n", None), (b"garbage \x1b\n", None), (None, "directory")],
)
@pytest.mark.parametrize("place", ["lock", "owner", "process"])
def test_whatever_lies_in_the_place_of_a_local_file_every_wait_is_bounded(
    wrapped: Wrapped, content: bytes | None, named: str | None, place: str
) -> None:
    """Case F9."""
    path = wrapped.cli.catalog / ".st2" / "h1" / place / "w"
    path.parent.mkdir(parents=True, mode=0o700)
    (wrapped.cli.catalog / ".st2").chmod(0o700)
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    began = time.monotonic()
    done = wrapped.run("sh", "-c", "exit 5", timeout=20)
    assert time.monotonic() - began < 5
    if content is not None:
        assert done.code == 5
        assert wrapped.ended()["exit"] == "exit 5"
    elif place == "owner":
        assert done.code == 5
        assert "no owner (.st2/h1/owner/w: found a directory, wanted a lock file)" in done.errors
    else:
        assert done.code in (1, 3)
        assert named is not None and named in done.errors


def test_a_lock_that_is_held_for_ever_is_named_with_its_holder_and_age(wrapped: Wrapped) -> None:
    """Case F9."""
    with wrapped.files.lock(wrapped.layout.lock("w"), wait_ms=0):
        done = wrapped.run("true", timeout=20)
    assert done.code == 1
    assert f"held by pid {os.getpid()} for " in done.errors
    assert wrapped.claim() == {}
