"""Process evidence: what was written down about a harness, and the verdict over it.

Evidence is about the *harness*, never about its owner, and means nothing on another host.
Whatever cannot be told is ``unknown``, and unknown never evicts anybody.
"""

from __future__ import annotations

from catalog.names import is_token
from catalog.value import Value
from catalog.windows import LOST_SILENCE_MS, PROBE_MS

ALIVE = "alive"
GONE = "gone"
UNKNOWN = "unknown"

_KEPT = 2
_LONGEST_WORD = 64
_NOTHING = "-"
_FORMATTED = "~"


class Evidence(Value):
    """Where a claim's harness was seen: enough to tell it from any other process of this host.

    ``start`` is the kernel's start time in ticks, or, after a ``~``, a formatted time that can
    prove life but not death. The namespaces and ``pidfd`` are inode numbers as text, "" where
    the kernel has none.
    """

    __slots__ = ("boot", "generation", "pid", "pid_ns", "pidfd", "start", "time_ns", "token")

    def __init__(
        self,
        token: str,
        generation: int,
        pid: int,
        start: str,
        boot: str,
        pid_ns: str = "",
        time_ns: str = "",
        pidfd: str = "",
    ) -> None:
        self.token = token
        self.generation = generation
        self.pid = pid
        self.start = start
        self.boot = boot
        self.pid_ns = pid_ns
        self.time_ns = time_ns
        self.pidfd = pidfd

    def of(self, token: str, generation: int) -> Evidence:
        """Return the same sighting under another claim."""
        return Evidence(
            token=token,
            generation=generation,
            pid=self.pid,
            start=self.start,
            boot=self.boot,
            pid_ns=self.pid_ns,
            time_ns=self.time_ns,
            pidfd=self.pidfd,
        )


class Probe(Value):
    """What the system said about the pid of an evidence, just now.

    ``absent`` is the kernel's ESRCH and nothing weaker; ``fired`` is None without a pidfd;
    ``start`` is "" where ``/proc`` did not show the process.
    """

    __slots__ = (
        "absent",
        "boot",
        "fired",
        "pid_ns",
        "pidfd",
        "start",
        "state",
        "threads",
        "time_ns",
        "took_ms",
    )

    def __init__(
        self,
        *,
        boot: str,
        pid_ns: str = "",
        time_ns: str = "",
        absent: bool = False,
        fired: bool | None = None,
        start: str = "",
        pidfd: str = "",
        state: str = "",
        threads: int = 0,
        took_ms: int = 0,
    ) -> None:
        self.boot = boot
        self.pid_ns = pid_ns
        self.time_ns = time_ns
        self.absent = absent
        self.fired = fired
        self.start = start
        self.pidfd = pidfd
        self.state = state
        self.threads = threads
        self.took_ms = took_ms


class Living:
    """Proof that a harness lives and runs, made by looking at it; a beat asks for one."""

    __slots__ = ("pid",)

    def __init__(self, pid: int) -> None:
        self.pid = pid


def verdict(
    evidence: Evidence | None, probe: Probe, *, token: str, generation: int, owner_free: bool | None
) -> str:
    """Judge a claim's harness: ``alive``, ``gone`` or ``unknown``.

    ``owner_free`` says whether nobody holds the lock of this claim's owner (None: cannot tell).
    """
    if evidence is None or (evidence.token, evidence.generation) != (token, generation):
        return UNKNOWN
    if not evidence.boot or not probe.boot:
        return UNKNOWN
    if evidence.boot != probe.boot:
        return GONE
    if (evidence.pid_ns, evidence.time_ns) != (probe.pid_ns, probe.time_ns):
        told = evidence.pid_ns and probe.pid_ns
        return GONE if told and owner_free else UNKNOWN
    if probe.took_ms > PROBE_MS:
        return UNKNOWN
    if probe.absent:
        return GONE
    if not probe.start or not evidence.start:
        return UNKNOWN
    return _same_boot_verdict(evidence, probe)


def after_silence(verdict: str, silence_ms: int) -> str:
    """Judge a pid that was learnt from a hook: gone counts only after more than 600 000 ms.

    Such pids rotate while their session goes on.
    """
    return UNKNOWN if verdict == GONE and silence_ms <= LOST_SILENCE_MS else verdict


def _same_boot_verdict(evidence: Evidence, probe: Probe) -> str:
    if not _is_same_process(evidence, probe):
        return UNKNOWN if evidence.start.startswith(_FORMATTED) else GONE
    if probe.fired is not None:
        return GONE if probe.fired else ALIVE
    if probe.state == "Z" and probe.threads <= 1:
        # A dead main thread beside living ones also shows Z, with more threads.
        return GONE
    return ALIVE


def _is_same_process(evidence: Evidence, probe: Probe) -> bool:
    if evidence.start != probe.start:
        return False
    return not (evidence.pidfd and probe.pidfd) or evidence.pidfd == probe.pidfd


def render_lines(entries: list[Evidence]) -> bytes:
    """Return the bytes of a process-evidence file: the newest entry first, at most two."""
    return "".join(_line(entry) for entry in entries[:_KEPT]).encode("ascii")


def parse_lines(raw: bytes) -> list[Evidence]:
    """Return the entries of a process-evidence file; lines in any other form are passed over."""
    parsed = [_parse_line(line) for line in raw.split(b"\n")[:-1]]
    return [entry for entry in parsed if entry is not None][:_KEPT]


def entry_of(raw: bytes, token: str, generation: int) -> Evidence | None:
    """Return the entry of one claim in a process-evidence file, if there is one."""
    if token.encode() not in raw:
        return None
    for entry in parse_lines(raw):
        if entry.token == token and entry.generation == generation:
            return entry
    return None


def _line(entry: Evidence) -> str:
    words = (entry.start, entry.boot, entry.pid_ns, entry.time_ns, entry.pidfd)
    told = " ".join(word or _NOTHING for word in words)
    return f"v1 {entry.token} {entry.generation} {entry.pid} {told}\n"


def _parse_line(line: bytes) -> Evidence | None:
    try:
        text = line.decode("ascii")
    except UnicodeDecodeError:
        return None
    parts = text.split(" ")
    if len(parts) != 9 or parts[0] != "v1" or not is_token(parts[1]):
        return None
    generation, pid, words = _number(parts[2]), _number(parts[3]), parts[4:]
    if generation is None or not pid or not text.isprintable():
        return None
    if "" in words or max(map(len, words)) > _LONGEST_WORD:
        return None
    told = ["" if word == _NOTHING else word for word in words]
    return Evidence(parts[1], generation, pid, *told)


def _number(text: str) -> int | None:
    """Read a plain decimal below 2^31: no sign, no leading zero."""
    if not text.isdigit() or len(text) > 10 or (text[0] == "0" and text != "0"):
        return None
    number = int(text)
    return number if number < 2**31 else None
