"""Evidence of real processes in unusual states (case A6, as far as this system can make them)."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from catalog.evidence import Evidence, verdict
from catalog.system import procfs
from catalog.system.processes import Processes
from support.dolls import Doll
from support.wrapped import until

ROOT = Path(__file__).parent.parent
Make = Callable[..., Doll]
PORT = Processes()
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
with_unshare = pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare")

JUDGE = """
import sys
sys.path.insert(0, sys.argv[1])
from catalog.evidence import parse_lines, verdict
from catalog.system.processes import Processes
evidence = parse_lines(sys.argv[2].encode() + b"\\n")[0]
probe = Processes().probe(evidence)
for free in (False, True):
    print(verdict(evidence, probe, token="t0", generation=1, owner_free=free))
"""


@pytest.fixture
def make(doll: Path) -> Iterator[Make]:
    """A function that makes a real process."""
    made: list[Doll] = []

    def one(*words: str) -> Doll:
        made.append(Doll(doll, *words))
        return made[-1]

    yield one
    for doll in made:
        doll.close()


def observed(pid: int) -> Evidence:
    evidence = PORT.observe(pid, token="t0", generation=1)
    assert evidence is not None
    return evidence


def judged(evidence: Evidence) -> str:
    return verdict(evidence, PORT.probe(evidence), token="t0", generation=1, owner_free=False)


def judged_under(evidence: Evidence, *wrapper: str) -> list[str]:
    """Judge *evidence* from inside *wrapper*, with the owner's lock held and free."""
    from catalog.evidence import render_lines

    line = render_lines([evidence]).decode().strip()
    command = [*wrapper, sys.executable, "-I", "-S", "-c", JUDGE, str(ROOT), line]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_program_whose_main_thread_has_ended_is_alive(make: Make) -> None:
    doll = make("leader")
    evidence = observed(doll.pid)
    until(lambda: (shown := procfs.read_stat(doll.pid)) and shown.state == "Z")
    shown = procfs.read_stat(doll.pid)
    assert shown is not None and shown.threads == 2
    assert judged(evidence) == "alive"
    assert PORT.living(doll.pid, None, evidence.start) is not None
    assert not PORT.is_gone(doll.pid, None, evidence.start)
    doll.end()
    assert judged(evidence) == "gone"


@pytest.mark.parametrize("name", [") (", ") Z 1 (", "a b", "(("])
def test_a_process_name_can_hold_anything(make: Make, name: str) -> None:
    doll = make("name", name)
    plain = make("sleep")
    shown = procfs.read_stat(doll.pid)
    other = procfs.read_stat(plain.pid)
    assert shown is not None and other is not None
    assert shown.threads == other.threads == 1
    assert abs(int(shown.start) - int(other.start)) < 1_000
    assert judged(observed(doll.pid)) == "alive"


@pytest.mark.parametrize(
    "raw", [b"", b"1 (x", b"1 (x) S 1", b"1 (x) " + b"S " * 60, b"\xff\xfe) " + b"0 " * 60]
)
def test_a_stat_line_in_another_form_never_raises(raw: bytes) -> None:
    found = procfs.parse_stat(raw)
    assert found is None or found.start == "0"


def test_exec_from_a_second_thread_keeps_the_process_the_same(make: Make) -> None:
    evidence = observed(make("exec").pid)
    assert judged(evidence) == "alive"
    pidfd = PORT.open(evidence.pid)
    assert pidfd is not None
    assert not PORT.is_gone(evidence.pid, pidfd, evidence.start)
    os.close(pidfd)


def test_evidence_stays_true_across_exec(doll: Path) -> None:
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.write(ready[1], b"r")
        os.read(go[0], 1)
        os.execv(doll, ["doll", "sleep"])
    os.read(ready[0], 1)
    evidence = observed(child)
    os.write(go[1], b"g")
    while not os.readlink(f"/proc/{child}/exe").endswith("doll"):
        time.sleep(0.01)
    assert judged(evidence) == "alive"
    assert observed(child) == evidence
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert judged(evidence) == "gone"
    for fd in (*ready, *go):
        os.close(fd)


def test_a_reused_number_is_told_from_the_process_that_had_it(make: Make) -> None:
    """Case A5: whoever has the number now is not looked at as the harness."""
    evidence = observed(make("sleep").pid)
    forged = Evidence(
        token="t0",
        generation=1,
        pid=evidence.pid,
        start=str(int(evidence.start) - 1),
        boot=evidence.boot,
        pid_ns=evidence.pid_ns,
        time_ns=evidence.time_ns,
        pidfd=evidence.pidfd,
    )
    assert judged(forged) == "gone"


def test_two_processes_of_one_tick_have_different_pidfd_inodes(make: Make) -> None:
    one, other = observed(make("sleep").pid), observed(make("sleep").pid)
    if one.pidfd:
        assert one.pidfd != other.pidfd
        assert observed(one.pid).pidfd == one.pidfd


@as_root
@with_unshare
def test_from_another_pid_namespace_nothing_is_told_while_the_owner_holds_its_lock(
    make: Make,
) -> None:
    evidence = observed(make("sleep").pid)
    inside = judged_under(evidence, "unshare", "-fp", "--mount-proc")
    assert inside == ["unknown", "gone"]


@as_root
@with_unshare
def test_from_another_time_namespace_nothing_is_told_while_the_owner_holds_its_lock(
    make: Make,
) -> None:
    evidence = observed(make("sleep").pid)
    inside = judged_under(evidence, "unshare", "-fT", "--boottime", "100000")
    assert inside == ["unknown", "gone"]


@as_root
@with_unshare
@pytest.mark.parametrize("hide", ["mount -t tmpfs none /proc", "mount -t tmpfs none /proc/$1"])
def test_where_proc_is_covered_a_living_process_is_unknown(make: Make, hide: str) -> None:
    doll = make("sleep")
    evidence = observed(doll.pid)
    covered = ["unshare", "-m", "sh", "-c", f'{hide} && shift && exec "$@"', "sh", str(doll.pid)]
    assert judged_under(evidence, *covered) == ["unknown", "unknown"]


@as_root
def test_a_process_of_another_user_is_seen_without_any_permission(make: Make) -> None:
    """A kill that says EPERM says that the process is there."""
    evidence = observed(make("sleep").pid)
    child = os.fork()
    if child == 0:
        os.setgid(65534)
        os.setuid(65534)
        os._exit(0 if judged(evidence) == "alive" else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user can look into."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@as_root
@with_unshare
def test_a_process_that_hidepid_hides_is_unknown(make: Make, open_folder: Path) -> None:
    """Kill says EPERM, ``/proc`` shows nothing: nobody is evicted."""
    evidence = observed(make("sleep").pid)
    hidden = [
        *("unshare", "-m", "sh", "-c"),
        "mount -t proc -o hidepid=2 none /proc && "
        'exec setpriv --clear-groups --reuid 65534 --regid 65534 "$@"',
        "sh",
    ]
    copy = open_folder / "st2"
    shutil.copytree(ROOT / "catalog", copy / "catalog")
    from catalog.evidence import render_lines

    line = render_lines([evidence]).decode().strip()
    python = "/usr/bin/python3"
    if not os.path.exists(python):
        pytest.skip("needs an interpreter that any user can run")
    command = [*hidden, python, "-I", "-S", "-c", JUDGE, str(copy), line]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.split() == ["unknown", "unknown"], done.stderr


@pytest.mark.parametrize("late", [True, False])
def test_the_exit_status_is_known_while_unreaped_and_after(make: Make, late: bool) -> None:
    doll = make("sleep")
    evidence, pidfd = observed(doll.pid), PORT.open(doll.pid)
    assert pidfd is not None
    doll.end()
    if late:
        doll.reap()
    assert PORT.exit_status(doll.pid, pidfd, evidence.start, wait_ms=100) == signal.SIGKILL
    os.close(pidfd)


def test_a_zero_is_not_believed_before_the_parent_has_reaped() -> None:
    """Field 52 is 0 both for ``exit 0`` and for "not permitted"."""
    child = subprocess.Popen(["sh", "-c", "read x"], stdin=subprocess.PIPE)
    evidence, pidfd = observed(child.pid), PORT.open(child.pid)
    assert pidfd is not None and child.stdin is not None
    child.stdin.close()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    status = PORT.exit_status(child.pid, pidfd, evidence.start, wait_ms=50)
    assert status in (None, 1 << 8)
    child.wait()
    assert PORT.exit_status(child.pid, pidfd, evidence.start, wait_ms=50) == 1 << 8
    os.close(pidfd)
