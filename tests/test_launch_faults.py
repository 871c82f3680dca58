"""Each pitfall of becoming another program, as a test of its own (case A13)."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from support.wrapped import Wrapped, is_running, until

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
with_unshare = pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "<&- >&-"])
def test_closed_standard_descriptors_stay_closed_and_the_session_is_recorded(
    wrapped: Wrapped, doll: Path, tmp_path: Path, closed: str
) -> None:
    seen = tmp_path / "seen"

    def run(command: list[str]) -> tuple[int, str]:
        line = [*("sh", "-c", f'"$@" {closed}', "sh"), *command]
        code = subprocess.run(line, env=wrapped.cli.environment()).returncode
        return code, seen.read_text()

    argv = [str(doll), "fds", str(seen)]
    bare = run(argv)
    seen.unlink()
    assert run(wrapped.command(*argv)) == bare
    assert bare[0] == 4 and "-" in bare[1][:3]
    assert wrapped.ended()["exit"] == "exit 4"


def test_a_blocked_sigchld_does_not_stay_pending_in_the_harness(wrapped: Wrapped) -> None:
    done = subprocess.run(
        wrapped.command("grep", "Pnd", "/proc/self/status"),
        env=wrapped.cli.environment(),
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD}),
    )
    assert done.stdout.split() == ["SigPnd:", "0" * 16, "ShdPnd:", "0" * 16]


@as_root
@with_unshare
def test_an_owner_that_dies_before_it_is_ready_is_said_and_the_harness_runs(
    wrapped: Wrapped,
) -> None:
    # The catalog may lie below /dev/shm, which stays.
    bare = "mount --bind /dev/shm /mnt && mount -t tmpfs none /dev && mkdir /dev/shm"
    script = f'{bare} && mount --bind /mnt /dev/shm && exec "$@"'
    bare_dev = ["unshare", "-m", "sh", "-c", script, "sh"]
    done = subprocess.run(
        [*bare_dev, *wrapped.command("sh", "-c", "exit 3")],
        env=wrapped.cli.environment(),
        stdin=subprocess.PIPE,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3
    assert done.stderr == (
        "st2: h1.w: no owner (it ended before it was ready), the program runs without presence\n"
    )
    assert wrapped.status() is None
    assert wrapped.row()["status"] == "offline"
    assert wrapped.run("true").code == 0


@pytest.mark.parametrize(
    ("late_ms", "code", "exit_text", "before_it"),
    [(60_000, 7, "exit 7", True), (200, 0, "exit 0", False), (60_000, 0, None, True)],
)
def test_presence_does_not_wait_for_a_parent_that_reaps_late_or_never(
    wrapped: Wrapped, doll: Path, late_ms: int, code: int, exit_text: str | None, before_it: bool
) -> None:
    command = wrapped.command("sh", "-c", f"sleep 0.5; exit {code}")
    process = subprocess.Popen(
        [doll, "linger", str(late_ms), *command], env=wrapped.cli.environment()
    )
    wrapped.started.append(process)
    until(lambda: wrapped.word() == "available")
    until(lambda: wrapped.word() == "offline")
    assert wrapped.ended()["exit"] == exit_text
    if before_it:
        assert process.poll() is None


def test_a_harness_that_execs_from_a_second_thread_goes_on(wrapped: Wrapped, doll: Path) -> None:
    process = wrapped.running(str(doll), "exec", beat_ms=100)
    stamp = wrapped.stamp_ms()
    until(lambda: wrapped.stamp_ms() > stamp + 200)
    process.terminate()
    assert wrapped.ended()["exit"] == "signal 15"


def test_a_harness_whose_main_thread_has_ended_keeps_its_name(wrapped: Wrapped, doll: Path) -> None:
    """Case A6: state Z and alive."""
    process = wrapped.running(str(doll), "leader", beat_ms=100)
    until(lambda: "\nState:\tZ" in Path(f"/proc/{process.pid}/status").read_text())
    assert wrapped.run("true").code == 1
    stamp = wrapped.stamp_ms()
    until(lambda: wrapped.stamp_ms() > stamp + 200)
    wrapped.kill_owner()
    assert wrapped.run("true").code == 1
    assert wrapped.cli("session", "adopt", "h1.w").code == 0
    process.kill()
    assert wrapped.ended()["exit"] == "signal 9"


def test_an_argument_list_that_our_variables_make_too_long_is_a_launch_error(
    wrapped: Wrapped, tmp_path: Path
) -> None:
    """Case A13: E2BIG."""
    deep = tmp_path / "/".join(["d" * 200] * 15)
    shutil.copytree(wrapped.cli.catalog, deep)

    def small_stack() -> None:
        resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20))

    def run(padding: int) -> subprocess.CompletedProcess[str] | None:
        environment = wrapped.cli.environment({"CATALOG": None})
        filler = {f"FILL{n}": "x" * (padding // 4) for n in range(4)}
        try:
            return subprocess.run(
                [wrapped.cli.command, "--catalog", ".", *wrapped.verb("true")],
                env={**environment, **filler},
                cwd=deep,
                capture_output=True,
                text=True,
                preexec_fn=small_stack,
            )
        except OSError:
            return None

    fits, too_long = 0, 1 << 18
    while too_long - fits > 256:
        middle = (fits + too_long) // 2
        fits, too_long = (middle, too_long) if run(middle) else (fits, middle)
    done = run(fits)
    assert done is not None
    assert done.returncode == 126
    assert done.stderr.startswith("st2: true: argument list too long, wanted a program")


def bad_elf(path: Path) -> Path:
    """A program whose image fails after the kernel's point of no return."""
    header = b"\x7fELF\x02\x01\x01" + b"\0" * 9
    header += b"".join(
        value.to_bytes(size, "little")
        for value, size in [
            *((2, 2), (62, 2), (1, 4), (0x400000, 8), (64, 8), (0, 8), (0, 4), (64, 2)),
            *((56, 2), (1, 2), (0, 2), (0, 2), (0, 2)),
        ]
    )
    segment = b"".join(
        value.to_bytes(size, "little")
        for value, size in [
            *((1, 4), (5, 4), (0, 8), (0x7FFFFFFFF000, 8), (0, 8)),
            *((4_096, 8), (1 << 46, 8), (4_096, 8)),
        ]
    )
    path.write_bytes(header + segment + b"\0" * 8_192)
    path.chmod(0o755)
    return path


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the image is for x86_64")
def test_an_image_that_fails_past_the_point_of_no_return_dies_as_it_would_bare(
    wrapped: Wrapped, tmp_path: Path
) -> None:
    """Case A13: bad ELF."""
    program = str(bad_elf(tmp_path / "bad"))
    bare = subprocess.run([program]).returncode
    assert bare < 0
    for _ in range(5):
        process = wrapped.start(program)
        words = set()
        while process.poll() is None:
            words.add(wrapped.word())
        assert process.returncode == bare
        claim = wrapped.ended()
        assert (claim["end_reason"], claim["exit"]) == ("exited", f"signal {-bare}")
        assert words <= {None, "offline"}
        assert wrapped.word() == "offline"


def test_a_program_that_is_being_written_is_a_launch_error(
    wrapped: Wrapped, tmp_path: Path
) -> None:
    program = tmp_path / "busy"
    shutil.copy("/bin/true", program)
    with program.open("ab"):
        done = wrapped.run(str(program))
    assert done.code == 126
    assert done.errors.startswith(f"st2: {program}: text file busy, wanted")
    assert wrapped.status() is None


def test_a_script_without_an_interpreter_line_runs_in_the_shell(
    wrapped: Wrapped, tmp_path: Path
) -> None:
    script = tmp_path / "script"
    script.write_text('echo "$0 $1"; exit 9\n')
    script.chmod(0o755)
    done = wrapped.run(str(script), "word")
    assert (done.code, done.text) == (9, f"{script} word\n")


def test_a_program_is_found_past_a_file_on_the_path_that_may_not_run(
    wrapped: Wrapped, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    (tmp_path / "one/prog").write_text("not for running")
    path = f"{tmp_path}/none:{tmp_path}/one"
    assert wrapped.run("prog", env={"PATH": path}).code == 126
    (tmp_path / "two/prog").write_text("#!/bin/sh\nexit 8\n")
    (tmp_path / "two/prog").chmod(0o755)
    assert wrapped.run("prog", env={"PATH": f"{path}:{tmp_path}/two"}).code == 8


@as_root
@with_unshare
def test_a_session_of_another_time_namespace_is_not_judged_by_its_ticks(wrapped: Wrapped) -> None:
    """Case A13: inside the namespace the same process has other ticks."""
    command = ["unshare", "-fT", "--boottime", "100000", *wrapped.command("sleep", "60")]
    process = subprocess.Popen(command, env=wrapped.cli.environment(), start_new_session=True)
    wrapped.started.append(process)
    until(lambda: wrapped.word() == "available")
    assert wrapped.row()["status"] == "available"
    assert wrapped.run("true").code == 1
    harness = int((wrapped.cli.catalog / ".st2/h1/process/w").read_text().split()[3])
    wrapped.kill_owner()
    assert is_running(harness)
    os.kill(harness, signal.SIGKILL)
    process.wait()
    assert wrapped.row()["presence"]["why"] == "lost"


def descriptors(pid: int) -> list[str]:
    """What a process has open, without what it closes meanwhile."""
    found = []
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            found.append(os.readlink(each))
    return found


@pytest.mark.parametrize("script", ["exec sleep 60", "exit 7"])
def test_without_pidfds_a_session_is_owned_by_looking(wrapped: Wrapped, script: str) -> None:
    start = Path(__file__).parent / "support" / "start.py"
    command = [sys.executable, start, wrapped.cli.catalog, "h1", "w", "200", "--", "sh", "-c"]
    process = subprocess.Popen([*command, script], env=wrapped.cli.environment())
    wrapped.started.append(process)
    if script.startswith("exec"):
        until(lambda: wrapped.word() == "available")
        stamp = wrapped.stamp_ms()
        until(lambda: wrapped.stamp_ms() > stamp)
        assert not any("[pidfd]" in each for each in descriptors(wrapped.owner_pid()))
        process.kill()
        expected = "signal 9"
    else:
        expected = "exit 7"
    until(lambda: wrapped.word() == "offline" or wrapped.claim().get("ended_ms"))
    claim = wrapped.ended()
    process.wait()
    assert (claim["end_reason"], claim["exit"]) == ("exited", expected)
    assert "no pidfd here" in (wrapped.cli.catalog / ".st2/h1/log").read_text()


@as_root
@with_unshare
def test_a_session_whose_whole_pid_namespace_was_killed_is_lost_and_replaced(
    wrapped: Wrapped,
) -> None:
    """A container that goes at once takes the owner with it; its lock tells."""
    inside = ["unshare", "-fp", "--kill-child", "sh", "-c", '"$@"; exit $?', "sh"]
    process = subprocess.Popen(
        [*inside, *wrapped.command("sleep", "60")], env=wrapped.cli.environment()
    )
    wrapped.started.append(process)
    until(lambda: wrapped.word() == "available")
    assert wrapped.row()["status"] == "available"
    assert wrapped.run("true").code == 1
    process.kill()
    process.wait()
    until(lambda: wrapped.reader.owner_free("w"))
    assert wrapped.row()["presence"]["why"] == "lost"
    started = wrapped.run("sh", "-c", "exit 2")
    assert started.code == 2
    assert "replaced session" in started.errors
    assert wrapped.ended()["exit"] == "exit 2"
