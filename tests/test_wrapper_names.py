"""Who holds a name when wrappers compete (cases B12, B15, B17, D7, F4, F9)."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from pathlib import Path

import pytest

from catalog.names import shown_token
from support.wrapped import Wrapped, is_running, until


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
        f"st2: h1.w: replaced session {shown_token(old)}, whose harness pid {process.pid} is gone\n"
    )
    claim = wrapped.ended()
    assert (claim["took_over"], claim["previous"], claim["generation"]) == (True, old, 2)


def test_whoever_has_the_number_of_a_dead_harness_is_left_alone(
    wrapped: Wrapped, doll: Path
) -> None:
    """Case A5."""
    bystander = subprocess.Popen([doll, "sleep"], stdout=subprocess.DEVNULL)
    wrapped.started.append(bystander)
    process = wrapped.running("sleep", "60")
    wrapped.kill_owner()
    process.kill()
    process.wait()
    evidence = wrapped.cli.catalog / ".st2/h1/process/w"
    evidence.write_text(evidence.read_text().replace(f" {process.pid} ", f" {bystander.pid} "))
    assert wrapped.row()["presence"]["why"] == "lost"
    refused = wrapped.cli("session", "adopt", "h1.w")
    assert refused.code == 1
    assert f"harness pid {bystander.pid} is gone" in refused.errors
    assert wrapped.run("true").code == 0
    assert wrapped.ended()["generation"] == 2
    assert bystander.poll() is None
    assert is_running(bystander.pid)


def test_a_superseded_owner_leaves_at_its_next_beat_and_writes_nothing(wrapped: Wrapped) -> None:
    """Cases B15 and D7."""
    old = wrapped.running("sleep", "60", beat_ms=600)
    old_owner = wrapped.owner_pid()
    old_token = wrapped.claim()["session"]
    wrapped.running("sleep", "60", force=True)
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
    assert f"held by session {shown_token(claim['session'])}" in refused.errors
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
    assert len(seen) > 10  # it was looked at often enough


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
    until(lambda: sum(racer.poll() is None for racer in racers) == 1)
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
    done = wrapped.run("sh", "-c", "exit 5")
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
        done = wrapped.run("true")
    assert done.code == 1
    assert f"held by pid {os.getpid()} for " in done.errors
    assert wrapped.claim() == {}
