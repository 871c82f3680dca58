"""What the harness sees, and what its starter sees, with and without the wrapper."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from support.wrapped import Wrapped, until

OURS = {b"CATALOG", b"ST_AGENT", b"ST2_SESSION", b"ST2_HOST"}
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
with_unshare = pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare")


KEPT = (
    *("Umask", "PPid", "Uid", "Gid", "Groups", "SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt"),
    *("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Threads"),
)


def world(output: bytes) -> list[bytes]:
    """What a process printed of itself, without what two processes never share."""
    lines = output.split(b"\n")
    return [
        line
        for line in lines
        if b":\t" not in line or line.split(b":")[0].decode("ascii", "replace") in KEPT
    ]


def block_sigchld() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})


def ignore_some() -> None:
    for number in (signal.SIGCHLD, signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def own_session() -> None:
    os.setsid()


def odd_masks_and_limits() -> None:
    os.umask(0o137)
    os.nice(3)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, 300))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTTOU})


def odd_descriptors() -> None:
    for number in (3, 7, 50):
        os.dup2(os.open("/dev/zero", os.O_RDWR), number, inheritable=True)


SETTINGS: dict[str, Callable[[], None] | None] = {
    "plain": None,
    "SIGCHLD blocked": block_sigchld,
    "signals ignored": ignore_some,
    "own session": own_session,
    "masks and limits": odd_masks_and_limits,
    "descriptors": odd_descriptors,
}
REPORTS = {
    "status": ["cat", "/proc/self/status", "/proc/self/limits", "/proc/self/cgroup"],
    "more": [
        "cat",
        "/proc/self/personality",
        "/proc/self/oom_score_adj",
        "/proc/self/coredump_filter",
    ],
    "descriptors": ["ls", "/proc/self/fd"],
    "folder": ["readlink", "/proc/self/cwd", "/proc/self/root"],
}


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_harness_finds_itself_as_it_would_without_the_wrapper(
    wrapped: Wrapped, setting: str, report: str
) -> None:
    """Case A10."""

    def run(command: list[str]) -> bytes:
        return subprocess.run(
            command,
            env=wrapped.cli.environment(),
            cwd=wrapped.cli.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            close_fds=False,
            preexec_fn=SETTINGS[setting],
        ).stdout

    argv = REPORTS[report]
    bare = world(run(argv))
    assert world(run(wrapped.command(*argv))) == bare
    assert len(bare) > 1


@pytest.mark.parametrize("locale", [{}, {"LANG": "C"}, {"LC_ALL": "C"}, {"LC_CTYPE": "C.UTF-8"}])
def test_the_environment_is_equal_but_for_the_four_variables(
    wrapped: Wrapped, locale: dict[str, str]
) -> None:
    """Case A10, and ``LANG=C`` of case A13."""
    plain = wrapped.cli.environment({"LANG": None, "CATALOG": None, "ST2_HOST": None})
    environment = {
        **plain,
        **locale,
        "EMPTY": "",
        "BLANK": " x ",
        "BYTES": os.fsdecode(b"\xff\xfe"),
        "A=B": "x",
    }
    environment.pop("A=B")

    def run(command: list[str]) -> dict[bytes, bytes]:
        raw = subprocess.run(
            command, env=environment, cwd=wrapped.cli.home, capture_output=True, check=True
        ).stdout
        pairs = (entry.partition(b"=") for entry in raw.split(b"\0") if entry)
        return {name: value for name, _, value in pairs}

    bare = run(["cat", "/proc/self/environ"])
    verb = wrapped.verb("cat", "/proc/self/environ")
    root = str(wrapped.cli.catalog)
    under = run([str(wrapped.cli.command), "--catalog", root, "--host", "h1", *verb])
    changed = {name for name in bare.keys() | under.keys() if bare.get(name) != under.get(name)}
    assert changed == OURS
    assert under[b"CATALOG"] == os.fsencode(wrapped.cli.catalog)
    assert under[b"ST_AGENT"] == b"h1.w"
    assert under[b"ST2_HOST"] == b"h1"
    assert under[b"ST2_SESSION"] == wrapped.claim()["session"].encode()


def test_the_harness_has_no_child_and_its_owner_is_in_a_session_of_its_own(
    wrapped: Wrapped,
) -> None:
    """Case A10."""
    process = wrapped.running(
        "sleep", "60", popen={"close_fds": False, "preexec_fn": odd_descriptors}
    )
    assert {"7", "50"} <= set(os.listdir(f"/proc/{process.pid}/fd"))
    stats = [path.read_text() for path in Path("/proc").glob("[0-9]*/stat") if path.exists()]
    parents = [int(stat.rpartition(")")[2].split()[1]) for stat in stats]
    assert process.pid not in parents
    owner = wrapped.owner_pid()
    shown = Path(f"/proc/{owner}/stat").read_text().rpartition(")")[2].split()
    assert int(shown[3]) != os.getsid(process.pid)
    assert shown[4] == "0", "it has a terminal"
    assert os.readlink(f"/proc/{owner}/cwd") == "/"
    links = [os.readlink(f"/proc/{owner}/fd/{n}") for n in os.listdir(f"/proc/{owner}/fd")]
    assert len(links) <= 8, links
    held = [link for link in links if link.endswith("/.st2/h1/owner/w")]
    others = {link for link in links if link not in held}
    assert len(held) == 1
    assert others <= {"/dev/null", "anon_inode:[pidfd]", "anon_inode:[timerfd]"} | {
        link for link in others if link.startswith("pidfd:")
    }
    ignored = int(Path(f"/proc/{owner}/status").read_text().split("SigIgn:\t")[1].split()[0], 16)
    for name in ("HUP", "INT", "QUIT", "TERM", "TSTP", "TTIN", "TTOU"):
        assert ignored >> (getattr(signal, f"SIG{name}") - 1) & 1, name


def test_signals_to_the_owner_do_not_end_it(wrapped: Wrapped) -> None:
    wrapped.running("sleep", "60", beat_ms=100)
    owner = wrapped.owner_pid()
    for name in ("HUP", "INT", "QUIT", "TERM", "TSTP"):
        os.kill(owner, getattr(signal, f"SIG{name}"))
    stamp = wrapped.stamp_ms()
    until(lambda: wrapped.stamp_ms() > stamp + 200)


def test_the_owners_command_line_does_not_name_the_harness(wrapped: Wrapped) -> None:
    """``pkill -f`` with the harness's name must find the harness alone."""
    wrapped.running("sleep", "61.25", env={"SECRET": "mark"})
    line = Path(f"/proc/{wrapped.owner_pid()}/cmdline").read_bytes()
    environment = Path(f"/proc/{wrapped.owner_pid()}/environ").read_bytes()
    assert b"61.25" not in line and b"exec-session" not in line and b"h1.w" not in line
    assert b"SECRET" not in environment


@as_root
@with_unshare
def test_as_process_1_the_wrapper_refuses_names_the_way_out_and_writes_nothing(
    wrapped: Wrapped,
) -> None:
    """Case A11."""
    before = sorted(wrapped.cli.catalog.rglob("*"))
    command = ["unshare", "-fp", "--mount-proc", *wrapped.command("true")]
    done = subprocess.run(command, env=wrapped.cli.environment(), capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == (
        "st2: h1.w: the wrapper is process 1, wanted an init above it\n"
        "hint: under an init: sh -c 'st2 run AGENT; rc=$?; sleep 1; exit $rc'\n"
    )
    assert sorted(wrapped.cli.catalog.rglob("*")) == before
    behind = ["unshare", "-fp", "--mount-proc", "sh", "-c", '"$@"; rc=$?; sleep 0.5; exit $rc']
    done = subprocess.run(
        [*behind, "sh", *wrapped.command("sh", "-c", "exit 6")], env=wrapped.cli.environment()
    )
    assert done.returncode == 6
    assert wrapped.claim()["exit"] == "exit 6"
