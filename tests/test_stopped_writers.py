"""A writer that is stopped at any call of the system, taken over from, and let go on.

It is a process of its own (SIGSTOP, SIGCONT). Either it holds the lock, and then nobody else
writes and its name is told, or it writes nothing more over what came meanwhile.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from catalog import node
from catalog.claim import Claim
from catalog.errors import St2Error
from catalog.evidence import Living
from catalog.layout import Layout
from catalog.reader import Hold, Reader
from catalog.registrar import Registrar
from catalog.sync import settings
from catalog.system.files import Files
from support.faulty_files import LOOKING, STOPPED, Kernel, under
from support.writes import NOW, SEEN, alive, at, claim, held_by_a

A, B = Hold("A", 1), Hold("B", 2)
LATER = NOW + 1_000
Act = Callable[[Path], object]


def is_a(root: Path) -> None:
    """What a command asks, under the lock, before it writes for session A."""
    found = Reader(*local(root)).claim("h1", "a1")
    if not isinstance(found, Claim) or found.session != "A":
        raise St2Error("a1", "another session's, wanted A's")


def local(root: Path) -> tuple[Files, Layout]:
    return Files(str(root)), Layout(str(root), "h1")


WRITES_OF_A: dict[str, Act] = {
    "beat as the owner": lambda root: at(root).refresh(
        "a1", A, proof=Living(7), first=False, now_ms=NOW
    ),
    "say offline": lambda root: at(root).offline("a1", A, now_ms=NOW),
    "end": lambda root: at(root).end("a1", A, "exited", "exit 0", now_ms=NOW),
    "record activity": lambda root: at(root).record_activity("a1", A, "success", now_ms=NOW),
    "record evidence anew": lambda root: at(root).restamp("a1", A, SEEN),
    "hold": lambda root: at(root).hold("a1", A, proof=Living(7), now_ms=NOW),
    "beat as the holder": lambda root: at(root).beat("a1", "A", runs=lambda _: True, now_ms=NOW),
    "finish": lambda root: at(root).finish("a1", A, now_ms=NOW),
    "stop": lambda root: at(root).stop("a1", allow=lambda: is_a(root), now_ms=NOW),
    "set a status": lambda root: at(root).set_status(
        "a1", "busy", allow=lambda: is_a(root), clock=lambda: NOW
    ),
}


@contextmanager
def stopped(act: Act, root: Path, number: int) -> Iterator[int]:
    """Do *act* in a process that stops before its call *number*; let it go on afterwards.

    It has to end by itself then, and without a fault of ours.
    """
    pid = os.fork()
    if pid == 0:
        try:
            with under(Kernel(number, STOPPED)):
                act(root)
            os._exit(0)
        except St2Error:
            os._exit(1)
        finally:
            os._exit(3)
    assert os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1])
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGCONT)
        ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert ended in (0, 1), f"call {number}: exit {ended}"


def moments(act: Act, root: Path) -> list[int]:
    """Do *act*; return where to stop it: to stop at a look is to stop at the next act."""
    with under(Kernel()) as kernel:
        act(root)
    return [number for number, kind in enumerate(kernel.calls) if kind not in LOOKING]


def records(root: Path) -> dict[str, bytes]:
    """What is said of the agent; ``seen`` tells of anybody's beat."""
    paths = [*(root / "agents/h1/a1").iterdir(), root / ".st2/h1/process/a1"]
    told = [path for path in paths if path.name != "seen" and ".tmp-" not in path.name]
    return {path.name: path.read_bytes() for path in told}


def made_at(root: Path) -> None:
    """A's session, in a catalog that no disk is waited for."""
    root.mkdir()
    with under(Kernel()):
        held_by_a(root)


def take_over(root: Path) -> dict[str, bytes]:
    one: Registrar = at(root)
    with under(Kernel()):
        one.register(claim("B", LATER), evidence=SEEN, verdict_of=alive, force=True)
        one.beat("a1", "B", runs=lambda _: True, now_ms=LATER)
        one.record_activity("a1", B, "running", now_ms=LATER)
    return records(root)


@pytest.mark.parametrize("name", WRITES_OF_A)
def test_a_writer_stopped_at_any_call_writes_nothing_over_who_took_its_name(
    name: str, tmp_path: Path
) -> None:
    act, behind = WRITES_OF_A[name], 0
    first = tmp_path / "first"
    made_at(first)
    before, made = records(first), moments(act, first)
    after = records(first)
    for number in made:
        root = tmp_path / str(number)
        made_at(root)
        taken = None
        with stopped(act, root, number) as pid:
            holder = Files(str(root)).lock_holder(Layout(str(root), "h1").lock("a1"))
            if holder is None:
                taken = take_over(root)
                behind += 1
            else:
                # A holder has the lock before its name is in it.
                assert holder.pid in (pid, os.getpid(), None)
                told = records(root)
                assert all(told.get(each) in (before.get(each), after.get(each)) for each in told)
        assert records(root) == (taken or after), f"call {number}"
        if taken is None:
            taken = take_over(root)
            assert records(root) == taken
        assert not list(root.rglob("*.tmp-*")), f"call {number}"
    assert 0 < behind < len(made)


def chooses_a_remote(root: Path) -> None:
    settings.choose_remote(*local(root), "m", "/srv/other.git")


def chooses_a_policy(root: Path) -> None:
    settings.choose_signing(*local(root), "m", policy="require")


def chooses_intervals(root: Path) -> None:
    settings.choose_intervals(*local(root), "m", {"publish_ms": 40_000})


def keeps_a_node(root: Path) -> None:
    node.ensure(*local(root), machine="m")


def chosen(root: Path) -> list[object]:
    """What was chosen by all of them."""
    remote = settings.remote_of(*local(root), "m")
    policy = settings.signing_of(*local(root), "m")
    return [remote, policy, settings.policy_of(*local(root), "m").policy.publish_ms]


@pytest.mark.parametrize(
    ("act", "meanwhile"),
    [
        (chooses_a_remote, chooses_a_policy),
        (chooses_a_policy, chooses_intervals),
        (chooses_intervals, chooses_a_remote),
    ],
)
def test_a_stopped_choice_takes_back_no_other_one(act: Act, meanwhile: Act, tmp_path: Path) -> None:
    lock = Layout("/", "h1").local("settings.lock")
    [before] = {chooses_a_remote, chooses_a_policy, chooses_intervals} - {act, meanwhile}
    (tmp_path / "first").mkdir()
    before(tmp_path / "first")
    made = moments(act, tmp_path / "first")
    for number in made:
        root = tmp_path / str(number)
        root.mkdir()
        before(root)
        with stopped(act, root, number):
            is_free = Files(str(root)).lock_free(lock)
            if is_free:
                meanwhile(root)
        if not is_free:
            meanwhile(root)
        assert chosen(root) == ["/srv/other.git", "require", 40_000], f"call {number}"


def test_a_node_is_one_whoever_was_stopped_while_making_it(tmp_path: Path) -> None:
    lock = Layout("/", "h1").local("node.lock")
    (tmp_path / "first").mkdir()
    made = moments(keeps_a_node, tmp_path / "first")
    for number in made:
        root = tmp_path / str(number)
        root.mkdir()
        known = None
        with stopped(keeps_a_node, root, number):
            if Files(str(root)).lock_free(lock):
                known = node.ensure(*local(root), machine="m")
        found = node.find(*local(root), machine="m")
        assert found is not None and known in (None, found), f"call {number}"
