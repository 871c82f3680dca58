"""The process around an owner: told its job by a pipe, with its lock in its hands.

Light on purpose: an owner lives as long as its harness, one for each session of the host.
"""

from __future__ import annotations

import os

from catalog.claim import Claim
from catalog.layout import Layout
from catalog.store import Writer
from catalog.system.clock import Clock
from catalog.system.files import Files
from catalog.system.locks import is_nameless
from catalog.system.processes import host_processes
from catalog.system.wakeups import host_wakeups
from drivers import lifecycle
from drivers.job import GO, LAUNCH_FD, LOCK_FD, PIDFD, READY_FD, decode, is_whole
from drivers.owner import Owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drivers.job import Job
    from drivers.transcript import Transcript

_BLOCK = 65_536


def main() -> int:
    """Own one session; returns when it is over.

    The owner lock came with us, as a descriptor that only our end closes.
    """
    block = _read_block()
    if not is_whole(block):
        return 1
    job, said = decode(block)
    files = Files(job.root)
    layout = Layout(job.root, job.host)
    pidfd = PIDFD if job.watched else None
    wakeups = host_wakeups(pidfd, job.pid)
    writer = Writer(files, layout)
    owner = Owner(
        job,
        writer,
        host_processes(),
        wakeups,
        Clock(),
        pidfd=pidfd,
        transcript=_transcript(job, writer),
        is_removed=lambda: is_nameless(LOCK_FD) and not os.path.isdir(job.root),
    )
    owner.begin(_launch_event(said))
    os.close(READY_FD)
    owner.run()
    return 0


def _transcript(job: Job, writer: Writer) -> Transcript | None:
    """Return what looks at the harness's transcript; nothing of it is loaded where it has none."""
    if not job.transcript:
        return None
    from drivers.transcript import Transcript, decode

    place = decode(job.transcript)
    # The harness may be quicker than we are: what it wrote since its session began is its own.
    claim = writer.reader.claim(job.host, job.agent)
    since_ms = claim.started_ms if isinstance(claim, Claim) else Clock().now_ms()
    return None if place is None else Transcript(place, job.pid, since_ms=since_ms)


def _read_block() -> bytes:
    block = b""
    while not is_whole(block) and (more := os.read(LAUNCH_FD, _BLOCK)):
        block += more
    return block


def _launch_event(said: bytes) -> str:
    """Read the launch pipe to its end, which is the harness's first instruction or its loss."""
    while more := os.read(LAUNCH_FD, _BLOCK):
        said += more
    os.close(LAUNCH_FD)
    if not said.startswith(GO):
        return lifecycle.ABANDONED
    return lifecycle.LAUNCHED if said == GO else lifecycle.EXEC_FAILED
