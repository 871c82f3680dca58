"""Giving a living harness an owner: a new one for its session, or a first session at all."""

from __future__ import annotations

import os

from catalog.claim import Claim, UnreadableClaim
from catalog.evidence import ALIVE, verdict
from catalog.names import bus_id
from catalog.reader import Hold
from catalog.session_errors import ClaimUnreadable, HarnessUnusable
from catalog.system import procfs
from catalog.system.signals import signal
from catalog.value import Value
from catalog.windows import OWNER_WAIT_MS
from catalog.witness import Witness, other_agent_of
from drivers.claiming import claim_name, tell_replaced
from drivers.detect import harness_of
from drivers.job import ADOPT, CLAIM, Job
from drivers.spawn import NoOwner, start_owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.evidence import Evidence
    from catalog.store import Writer
    from catalog.system.clock import Clock
    from catalog.system.processes import Processes

_OWNER = "/drivers/owner_start.py"
_FORCE_IT = "st2 session show tells which; --force takes over from it"
_NAME_IT = "st2 session adopt AGENT --pid N claims a process that runs"


class Adopted(Value):
    """A session that has an owner again, or for the first time."""

    __slots__ = ("claim", "pid")

    def __init__(self, claim: Claim, pid: int) -> None:
        self.claim = claim
        self.pid = pid


def adopt(
    agent: str,
    *,
    writer: Writer,
    processes: Processes,
    beat_ms: int,
    transcript_of: Callable[[str | None, int], str],
) -> Adopted:
    """Start a new owner on the harness of *agent*'s session.

    *transcript_of* says of a harness and its pid where it keeps its transcript. Raises
    HarnessUnusable while an owner runs, and where the harness is not proven alive.
    """
    name = bus_id(writer.layout.host, agent)
    claim = _session(agent, name, writer)
    if _is_owned(agent, name, writer):
        raise HarnessUnusable(name, "an owner runs already", "there is nothing to adopt")
    evidence = writer.reader.evidence(agent, Hold(claim.session, claim.generation))
    if evidence is None:
        raise HarnessUnusable(name, "no process is recorded for its session", _NAME_IT)
    # The pidfd first, the look second: while the pidfd is silent the number is not reused.
    pidfd = processes.open(evidence.pid)
    found = _verdict(evidence, claim, writer, processes)
    if found != ALIVE:
        if pidfd is not None:
            os.close(pidfd)
        raise HarnessUnusable(
            name, f"harness pid {evidence.pid} is {found}, wanted one that lives", _NAME_IT
        )
    transcript = transcript_of(claim.harness, evidence.pid)
    _own(ADOPT, claim, evidence, pidfd, writer, beat_ms, transcript)
    return Adopted(claim, evidence.pid)


def claim_running(
    agent: str,
    pid: int,
    *,
    writer: Writer,
    processes: Processes,
    clock: Clock,
    node: str | None,
    force: bool,
    beat_ms: int,
    say: Callable[[str], None],
    transcript_of: Callable[[str | None, int], str],
) -> Adopted:
    """Claim *agent*'s name for the process *pid*, which runs already, and start its owner."""
    name = bus_id(writer.layout.host, agent)
    if not force and _is_owned(agent, name, writer):
        raise HarnessUnusable(name, "another session has an owner here, wanted none", _FORCE_IT)
    # The pidfd first, the look second: while the pidfd is silent the number is not reused.
    pidfd = processes.open(pid)
    try:
        evidence = processes.observe(pid, token=os.urandom(8).hex(), generation=0)
        if evidence is None or not evidence.start:
            found = f"process {pid} cannot be seen to live"
            raise HarnessUnusable(name, f"{found}, wanted one that runs here and may be looked at")
        _refuse_another_s(agent, name, evidence, writer)
        claim = Claim(
            agent=agent,
            host=writer.layout.host,
            node=node,
            session=evidence.token,
            harness=harness_of(procfs.read_argv(pid)),
            runtime=name,
            registered_by="adopt",
            started_ms=clock.now_ms(),
        )
        witness = Witness(writer.reader, processes, now_ms=clock.now_ms)
        started = claim_name(claim, evidence, writer, witness, force=force)
        tell_replaced(started, witness, say)
    except BaseException:
        if pidfd is not None:
            os.close(pidfd)
        raise
    _own(CLAIM, started.claim, evidence, pidfd, writer, beat_ms, transcript_of(None, pid))
    return Adopted(started.claim, pid)


def _refuse_another_s(agent: str, name: str, evidence: Evidence, writer: Writer) -> None:
    """Refuse a process that is no harness of ours to speak for.

    One above the caller is no such: an agent may have its own harness adopted.
    """
    pid, uid, own = evidence.pid, procfs.uid_of(evidence.pid), os.geteuid()
    other = other_agent_of(writer.reader, agent, evidence)
    found = None
    if pid == os.getpid():
        found = "is st2 itself, which ends with this command"
    elif procfs.is_kernel_thread(pid):
        found = "is a thread of the kernel, which runs no program"
    elif any(word.endswith(_OWNER) for word in procfs.read_argv(pid)):
        found = "is an owner of st2's, which ends with its harness"
    elif own != 0 and uid not in (None, own):
        found = f"belongs to uid {uid}, this is uid {own}"
    elif other is not None:
        found = f"is the harness of {bus_id(writer.layout.host, other)}"
    if found is not None:
        raise HarnessUnusable(name, f"process {pid} {found}, wanted a harness of nobody else")


def _session(agent: str, name: str, writer: Writer) -> Claim:
    claim = writer.reader.claim(writer.layout.host, agent)
    if isinstance(claim, UnreadableClaim):
        path = writer.layout.record(writer.layout.host, agent, "session.json")
        raise ClaimUnreadable(path, claim.why, claim.hint or None)
    if claim is None or claim.ended:
        found = "no session" if claim is None else f"its session has ended ({claim.end_reason})"
        raise HarnessUnusable(name, f"{found}, wanted one that lives", _NAME_IT)
    return claim


def _is_owned(agent: str, name: str, writer: Writer) -> bool:
    """Say whether an owner runs; refuse where nobody can tell, which is no owner that was seen."""
    free = writer.reader.owner_free(agent)
    if free is None:
        found = "whether an owner runs cannot be told, wanted none"
        raise HarnessUnusable(name, found, "st2 doctor says what lies in the way")
    return not free


def _verdict(evidence: Evidence, claim: Claim, writer: Writer, processes: Processes) -> str:
    return verdict(
        evidence,
        processes.probe(evidence),
        token=claim.session,
        generation=claim.generation,
        owner_free=writer.reader.owner_free(claim.agent),
    )


def _own(
    kind: str,
    claim: Claim,
    evidence: Evidence,
    pidfd: int | None,
    writer: Writer,
    beat_ms: int,
    transcript: str,
) -> None:
    job = Job.of(
        claim,
        evidence,
        kind=kind,
        root=writer.layout.root,
        watched=pidfd is not None,
        beat_ms=beat_ms,
        transcript=transcript,
    )
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        link = start_owner(job, pidfd, writer.files)
        link.wait_ready()
    except NoOwner as missing:
        raise HarnessUnusable(bus_id(claim.host, claim.agent), f"no owner: {missing}") from None
    link.go()
    link.hang_up()
    link.wait_served(OWNER_WAIT_MS)
