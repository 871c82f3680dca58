"""Starting a harness: claim its session, start its owner, become it.

The wrapper does not wait: it *is* the harness afterwards, so signals, job control, window
size, exit code and terminal modes are what they would be without it.
"""

from __future__ import annotations

import os
from errno import ENOENT
from time import monotonic, sleep

from catalog.claim import Claim
from catalog.errors import St2Error, reason_of
from catalog.evidence import GONE
from catalog.names import bus_id
from catalog.system.signals import signal
from catalog.value import Value
from catalog.windows import LAUNCH_ERROR_WAIT_MS, OWNER_WAIT_MS
from catalog.witness import Witness
from drivers.claiming import claim_name, tell_replaced
from drivers.image import become, errno_name, inherited_environment
from drivers.job import LAUNCH, Job
from drivers.spawn import NoOwner, start_owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from catalog.evidence import Evidence
    from catalog.store import Writer
    from catalog.succession import Started
    from catalog.system.clock import Clock
    from catalog.system.processes import Processes
    from drivers.spawn import Link

_POLL_S = 0.005


class Launch(Value):
    """What is to be started: an agent of this host, by which driver, with which argv."""

    __slots__ = (
        *("agent", "argv", "beat_ms", "force", "harness", "node", "runtime", "transcript"),
    )

    def __init__(
        self,
        *,
        agent: str,
        harness: str,
        runtime: str,
        node: str | None,
        argv: Sequence[str],
        force: bool,
        beat_ms: int,
        transcript: str = "",
    ) -> None:
        self.agent = agent
        self.harness = harness
        self.runtime = runtime
        self.node = node
        self.argv = tuple(argv)
        self.force = force
        self.beat_ms = beat_ms
        self.transcript = transcript


class FirstProcess(St2Error):
    """The wrapper is PID 1 of its namespace: the kernel would kill the owner with it."""

    code = "first-process"
    hint = "under an init: sh -c 'st2 run AGENT; rc=$?; sleep 1; exit $rc'"


class NotStarted(St2Error):
    """The program could not be started; the claim was ended as ``launch-error``."""

    code = "launch-error"

    def __init__(self, program: str, error: OSError) -> None:
        found = "not found" if error.errno == ENOENT else reason_of(error)
        super().__init__(program, f"{found}, wanted a program that can be started")
        self.exit_code = 127 if error.errno == ENOENT else 126


def launch(
    wanted: Launch,
    *,
    writer: Writer,
    processes: Processes,
    clock: Clock,
    say: Callable[[str], None],
) -> None:
    """Become the harness; does not return. *say* puts a line before people.

    Raises FirstProcess, Conflict, ClaimUnreadable (nothing was started, nothing is changed)
    or NotStarted (the end is written).
    """
    pid = os.getpid()
    name = bus_id(writer.layout.host, wanted.agent)
    refuse_first_process(name)
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    witness = Witness(writer.reader, processes, now_ms=clock.now_ms)
    evidence = processes.observe(pid, token=os.urandom(8).hex(), generation=0)
    if evidence is None:
        found = "this very process cannot be seen to live, wanted to look at it"
        raise St2Error(name, found, "where /proc is hidden or missing, it has to be mounted")
    await_predecessor(wanted.agent, writer, witness)
    started = _claim(wanted, evidence, writer, witness, clock)
    tell_replaced(started, witness, say)
    pidfd = processes.open(pid)
    link = None
    try:
        job = Job.of(
            started.claim,
            evidence,
            kind=LAUNCH,
            root=writer.layout.root,
            watched=pidfd is not None,
            beat_ms=wanted.beat_ms,
            transcript=wanted.transcript,
        )
        link = start_owner(job, pidfd, writer.files)
        link.wait_ready()
    except NoOwner as missing:
        say(f"{name}: no owner ({missing}), the program runs without presence")
    _become(wanted, started.claim, writer, link)


def refuse_first_process(name: str) -> None:
    """Raise FirstProcess where this is process 1; to be asked before anything is written."""
    if os.getpid() == 1:
        raise FirstProcess(name, "the wrapper is process 1, wanted an init above it")


def await_predecessor(agent: str, writer: Writer, witness: Witness) -> None:
    """Give the owner of a harness that is gone its time to write the end (2.5 s at most).

    A clean exit is then recorded as one, and a restart in a loop takes nothing over.
    """
    reader = writer.reader
    limit = monotonic() + OWNER_WAIT_MS / 1_000
    while monotonic() < limit:
        claim = reader.claim(reader.layout.host, agent)
        if not isinstance(claim, Claim) or claim.ended or reader.owner_free(agent) is not False:
            return
        if witness.verdict(claim) != GONE:
            return
        sleep(_POLL_S)


def _claim(
    wanted: Launch,
    evidence: Evidence,
    writer: Writer,
    witness: Witness,
    clock: Clock,
) -> Started:
    claim = Claim(
        agent=wanted.agent,
        host=writer.layout.host,
        node=wanted.node,
        session=evidence.token,
        harness=wanted.harness,
        runtime=wanted.runtime,
        registered_by="wrapper",
        started_ms=clock.now_ms(),
    )
    return claim_name(claim, evidence, writer, witness, force=wanted.force)


def _become(wanted: Launch, claim: Claim, writer: Writer, link: Link | None) -> None:
    environment = inherited_environment()
    environment[b"CATALOG"] = os.fsencode(writer.layout.root)
    environment[b"ST_AGENT"] = bus_id(claim.host, claim.agent).encode()
    environment[b"ST2_SESSION"] = claim.session.encode()
    environment[b"ST2_HOST"] = claim.host.encode()
    argv = [os.fsencode(token) for token in wanted.argv]
    if link is not None:
        link.go()
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        become(argv, environment)
    except OSError as error:
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        if link is not None:
            link.go_wrong(errno_name(error))
            link.hang_up()
            link.wait_served(LAUNCH_ERROR_WAIT_MS)
        raise NotStarted(wanted.argv[0], error) from None
