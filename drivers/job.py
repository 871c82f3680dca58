"""What an owner is told by whoever starts it, and how that travels down the launch pipe.

Through the pipe and not as arguments: ``pkill -f`` with a harness's name must find only the
harness.
"""

from __future__ import annotations

import os

from catalog.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.claim import Claim
    from catalog.evidence import Evidence

LAUNCH = "launch"
ADOPT = "adopt"
CLAIM = "claim"
KINDS = (LAUNCH, ADOPT, CLAIM)
"""``launch``: whoever starts the owner becomes the harness. ``adopt``: a session that goes on
gets a new owner. ``claim``: a new session of a process that runs already."""

GO = b"x"
"""The byte by which the harness is let go; an errno's name after it says that exec failed."""

READY = b"R"
"""The owner holds its lock and watches."""

HELD = b"H"
"""The owner cannot hold its lock; the rest of the message says why."""

PIDFD = 3
LAUNCH_FD = 4
READY_FD = 5
LOCK_FD = 6
"""Where an owner finds its descriptors when it starts."""

_FIELDS = 11


class Job(Value):
    """One session to own: its claim, its harness, its beat.

    ``start`` is the harness's start time as its evidence has it; ``watched`` says that
    descriptor 3 is its pidfd; ``transcript`` is where the harness keeps one, "" for nowhere.
    """

    __slots__ = (
        "agent",
        "beat_ms",
        "generation",
        "host",
        "kind",
        "pid",
        "root",
        "start",
        "token",
        "transcript",
        "watched",
    )

    def __init__(
        self,
        *,
        kind: str,
        root: str,
        host: str,
        agent: str,
        token: str,
        generation: int,
        pid: int,
        start: str,
        watched: bool,
        beat_ms: int,
        transcript: str = "",
    ) -> None:
        self.kind = kind
        self.root = root
        self.host = host
        self.agent = agent
        self.token = token
        self.generation = generation
        self.pid = pid
        self.start = start
        self.watched = watched
        self.beat_ms = beat_ms
        self.transcript = transcript

    @classmethod
    def of(
        cls,
        claim: Claim,
        evidence: Evidence,
        *,
        kind: str,
        root: str,
        watched: bool,
        beat_ms: int,
        transcript: str,
    ) -> Job:
        """Return the job of owning *claim*, whose harness is the process of *evidence*."""
        return cls(
            kind=kind,
            root=root,
            host=claim.host,
            agent=claim.agent,
            token=claim.session,
            generation=claim.generation,
            pid=evidence.pid,
            start=evidence.start,
            watched=watched,
            beat_ms=beat_ms,
            transcript=transcript,
        )

    def encode(self) -> bytes:
        """Return the block that :func:`decode` reads."""
        fields = (
            self.kind,
            self.root,
            self.host,
            self.agent,
            self.token,
            str(self.generation),
            str(self.pid),
            self.start,
            "1" if self.watched else "0",
            str(self.beat_ms),
            self.transcript,
        )
        return b"".join(os.fsencode(field) + b"\0" for field in fields)


def is_whole(block: bytes) -> bool:
    """Say whether *block* holds a whole job (perhaps with the first bytes after it)."""
    return block.count(b"\0") >= _FIELDS


def decode(block: bytes) -> tuple[Job, bytes]:
    """Return the job at the start of a whole *block*, and what follows it."""
    *fields, rest = block.split(b"\0", _FIELDS)
    kind, root, host, agent, token, generation, pid, start, watched, beat_ms, transcript = map(
        os.fsdecode, fields
    )
    job = Job(
        kind=kind,
        root=root,
        host=host,
        agent=agent,
        token=token,
        generation=int(generation),
        pid=int(pid),
        start=start,
        watched=watched == "1",
        beat_ms=int(beat_ms),
        transcript=transcript,
    )
    return job, rest
