"""``st2 sync --watch`` as people start it: a process, its signals, its lines, its end."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from catalog.layout import Layout
from catalog.system.files import Files
from conftest import Cli
from support.fleet import Fleet, good, put
from support.watcher import PATIENCE_S, QUICK, Watcher
from support.wrapped import is_running, until


def record(one: Cli, host: str, agent: str = "w") -> bytes | None:
    path = one.catalog / f"agents/{host}/{agent}/status"
    return path.read_bytes() if path.exists() else None


def test_a_change_is_seen_on_the_other_host_while_both_watch(
    fleet_of: Callable[..., Cli], watching: Callable[..., Watcher]
) -> None:
    h1, h2 = fleet_of("h1"), fleet_of("h2")
    put(h1, "w", "status", b"busy\nv1 5\n")
    first, second = watching(h1, "--json"), watching(h2)
    until(lambda: record(h2, "h1") == b"busy\nv1 5\n", PATIENCE_S)
    put(h1, "w", "status", b"away\nv1 6\n")
    until(lambda: record(h2, "h1") == b"away\nv1 6\n", PATIENCE_S)
    first.says("published 1 record", 2)
    second.says("collected h1", 2)
    assert first.err.startswith("watching: publishing each 1 s, collecting each 1 s\n")
    assert (first.end(), second.end(signal.SIGINT)) == (0, 130)
    # A round that takes longer than its moment is abandoned: so it is on a busy machine.
    assert first.err.splitlines()[-1].startswith("stopped")
    told = first.events
    assert [told[0]["event"], told[-1]["event"]] == ["began", "stopped"]
    published = [each for each in told if each["event"] == "published"]
    assert published[0]["records"] == 1
    assert list(told[0])[:3] == ["event", "atMs", "host"]
    assert {tuple(each) for each in told} == {tuple(told[0])}
    assert second.events == []


def test_beside_it_another_one_waits_for_a_bounded_time_and_names_the_holder(
    fleet_of: Callable[..., Cli], watching: Callable[..., Watcher]
) -> None:
    one = fleet_of("h1")
    first = watching(one)
    first.says("watching:")
    others = [one.start(*args, stderr=subprocess.PIPE) for args in (QUICK, ("sync",))]
    for other in others:
        _, errors = other.communicate(timeout=PATIENCE_S)
        assert other.returncode == 1
        assert b"held by pid %d for " % first.process.pid in errors
        assert b"hint: one st2 sync a host" in errors
    first.end()
    good(one("sync"))


def test_doctor_takes_its_lock_for_no_fault_but_that_of_one_that_is_stuck(
    fleet_of: Callable[..., Cli], watching: Callable[..., Watcher]
) -> None:
    one = fleet_of("h1")
    files, layout = Files(str(one.catalog)), Layout("", "h1")
    found = watching(one)
    found.says("published")
    long_ago = (1_000_000_000, 1_000_000_000)
    os.utime(one.catalog / layout.publisher_lock(), long_ago)
    assert "lock-held" not in one("doctor", "--json").text
    found.end()
    with files.lock(layout.publisher_lock(), wait_ms=0):
        os.utime(one.catalog / layout.publisher_lock(), long_ago)
        assert "lock-held" in one("doctor", "--json").text


def test_a_wait_for_the_lock_is_ended_by_a_signal_too(
    fleet_of: Callable[..., Cli], watching: Callable[..., Watcher]
) -> None:
    one = fleet_of("h1")
    with Files(str(one.catalog)).lock(Layout("", "h1").publisher_lock(), wait_ms=0):
        found = watching(one)
        until(lambda: is_waiting(found.process.pid), PATIENCE_S)
        assert found.end(signal.SIGINT) == 130
    assert found.err == ""


def is_waiting(pid: int) -> bool:
    """Say whether the command has its lock file open and its signals taken over."""
    try:
        files = {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}
    except FileNotFoundError:
        return False
    return any(each.endswith("/publisher") for each in files)


def test_sighup_reads_the_settings_again_and_broken_ones_are_not_used(
    fleet_of: Callable[..., Cli], watching: Callable[..., Watcher]
) -> None:
    one = fleet_of("h1")
    found = watching(one)
    found.says("published")
    (one.catalog / "catalog.kdl").write_text('signing "maybe"\n')
    found.process.send_signal(signal.SIGHUP)
    found.says("settings read again: publishing each 1 s")
    assert "warning: catalog.kdl: found signing maybe, wanted off, warn, require\n" in found.err
    settings = one.catalog / ".st2/h1/settings"
    kept = settings.read_bytes()
    settings.write_bytes(b"{}\n")
    found.process.send_signal(signal.SIGHUP)
    found.says("warning: settings not used, the old ones stay: remote: none chosen on this host")
    settings.write_bytes(kept)
    put(one, "w", "status", b"busy\nv1 5\n")
    found.says("published 1 record")
    assert found.end() == 0


def test_a_remote_that_is_away_is_told_once_and_once_that_it_is_back(
    fleet_of: Callable[..., Cli], watching: Callable[..., Watcher], fleet: Fleet
) -> None:
    one = fleet_of("h1")
    found = watching(one)
    found.says("published")
    aside = fleet.remote.with_name("aside.git")
    fleet.remote.rename(aside)
    put(one, "w", "status", b"busy\nv1 5\n")
    found.says("no publish: ")
    found.says("no collect: ")
    aside.rename(fleet.remote)
    found.says("publish works again after ")
    found.says("collect works again after ")
    assert found.err.count("no publish: ") == found.err.count("no collect: ") == 1
    found.says("published 1 record")


def test_a_git_that_hangs_is_abandoned_with_all_that_it_started(
    fleet_of: Callable[..., Cli], watching: Callable[..., Watcher], tmp_path: Path
) -> None:
    """TERM gives what runs a moment, then ends the child by its process group."""
    one = fleet_of("h1")
    folder = tmp_path / "slow"
    folder.mkdir()
    pids = folder / "pids"
    script = f'#!/bin/sh\ncase "$*" in *" push "*) sleep 500 & echo $! $$ >> {pids}; wait;; esac\n'
    (folder / "git").write_text(f'{script}exec {real_git()} "$@"\n')
    (folder / "git").chmod(0o755)
    found = watching(one, env={**one.env, "PATH": f"{folder}{os.pathsep}{one.env['PATH']}"})
    until(lambda: pids.exists() and pids.read_text().endswith("\n"), PATIENCE_S)
    assert found.end() == 0
    assert found.err.endswith("stopped, what was running is abandoned\n")
    for pid in pids.read_text().split():
        until(lambda pid=pid: not is_running(int(pid)), PATIENCE_S)  # type: ignore[misc]


def real_git() -> str:
    import shutil

    found = shutil.which("git")
    assert found is not None
    return found


def test_a_service_manager_hears_that_it_is_ready_alive_and_stopping(
    fleet_of: Callable[..., Cli], watching: Callable[..., Watcher], tmp_path: Path
) -> None:
    one = fleet_of("h1")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "n"))
        manager.settimeout(PATIENCE_S)
        told = {"NOTIFY_SOCKET": str(tmp_path / "n"), "WATCHDOG_USEC": "3000000"}
        found = watching(one, env={**one.env, **told})
        words: list[bytes] = []
        # It is alive while its first publish is still under way, too.
        while words.count(b"WATCHDOG=1") < 3 or not any(map(is_published, words)):
            words.append(manager.recv(1_000))
        assert b"READY=1" in words
        found.process.send_signal(signal.SIGTERM)
        while b"STOPPING=1" not in words:
            words.append(manager.recv(1_000))
        assert found.process.wait(PATIENCE_S) == 0


def is_published(word: bytes) -> bool:
    return word.startswith(b"STATUS=published")


def test_a_reader_of_its_lines_that_leaves_ends_it_quietly(
    fleet_of: Callable[..., Cli],
) -> None:
    one = fleet_of("h1")
    process = one.start(*QUICK, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out: IO[bytes] | None = process.stdout
    assert out is not None and process.stderr is not None
    assert json.loads(out.readline())["event"] == "began"
    out.close()
    put(one, "w", "status", b"busy\nv1 5\n")
    assert process.wait(PATIENCE_S) == 0
    errors = process.stderr.read()
    process.stderr.close()
    assert b"Traceback" not in errors and b"unexpected" not in errors


def test_it_ends_with_the_terminal_that_it_was_started_on(fleet_of: Callable[..., Cli]) -> None:
    """There SIGHUP means that nobody reads it any more; elsewhere, that settings are new."""
    one = fleet_of("h1")
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir("/")
        os.execve(one.command, [str(one.command), *QUICK], one.environment())
    said = b""
    while b"published" not in said:
        said += os.read(terminal, 1_000)
    os.close(terminal)
    try:
        until(lambda: not is_running(pid), PATIENCE_S)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    good(one("sync"))


@pytest.mark.slow
def test_events_without_number_while_it_was_stopped_are_made_up_for(
    fleet_of: Callable[..., Cli], watching: Callable[..., Watcher]
) -> None:
    """Case F16: more than the system's queue holds."""
    one, other = fleet_of("h1"), fleet_of("h2")
    put(one, "w", "status", b"busy\nv1 5\n")
    found = watching(one)
    found.says("published 1 record")
    found.process.send_signal(signal.SIGSTOP)
    folder = one.catalog / "agents/h1/w"
    with (folder / "status").open("r+b", 0) as status, (folder / "aside").open("wb", 0) as aside:
        for number in range(10_000, 19_000):
            os.pwrite(status.fileno(), b"away\nv1 %d\n" % number, 0)
            # Two events of one kind about one file would be one.
            os.pwrite(aside.fileno(), b"x", 0)
    for number in range(500):
        put(one, f"n{number}", "status", b"dnd\nv1 5\n")
    found.process.send_signal(signal.SIGCONT)
    found.says("published 501 records")
    good(other("sync"))
    assert record(other, "h1") == b"away\nv1 18999\n"
    assert record(other, "h1", "n499") == b"dnd\nv1 5\n"


def test_polling_is_warned_of_once_and_every_change_is_seen(
    fleet_of: Callable[..., Cli], watching: Callable[..., Watcher]
) -> None:
    """Case F15."""
    one = fleet_of("h1")
    found = watching(one, env={**one.env, "WATCHFILES_FORCE_POLLING": "1"})
    found.says("published 0 records")
    for number in range(3):
        put(one, f"w{number}", "status", b"busy\nv1 5\n")
        found.says(f"published {number + 1} record")
    warning = "warning: looking at the folders instead of waiting for events: "
    assert found.err.count(warning) == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--publish-every", "5"), "--publish-every: found no --watch, wanted it"),
        (("--watch", "--publish-every", "x"), "--publish-every: found 'x', wanted a number of"),
        (("--watch", "--collect-every", "0"), "--collect-every: found '0', wanted a number of"),
        (("--watch", "--publish-every", "nan"), "--publish-every: found 'nan', wanted a number"),
        (
            ("--watch", "--publish-every", "600"),
            "intervals: 300000 + 600000 x 1.2 + 15000 = 1035000 ms, wanted less than 900000 ms",
        ),
    ],
)
def test_intervals_that_cannot_be_are_refused_before_anything_starts(
    fleet_of: Callable[..., Cli], args: tuple[str, ...], message: str
) -> None:
    done = fleet_of("h1")("sync", *args, timeout=PATIENCE_S)
    assert done.code == 2
    assert done.errors.startswith(f"st2: {message}")


def test_a_remote_that_is_named_is_kept_once_it_took_a_publish(
    fleet_of: Callable[..., Cli], watching: Callable[..., Watcher], tmp_path: Path
) -> None:
    one = fleet_of("h1")
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "second.git"], check=True)
    found = watching(one, "--remote", str(tmp_path / "second.git"))
    found.says("published")
    until(lambda: b"second.git" in (one.catalog / ".st2/h1/settings").read_bytes(), PATIENCE_S)
