"""What this host can see of the harness behind one of its claims, and of that claim's owner."""

from __future__ import annotations

from catalog import evidence as evidences
from catalog.claim import OWNED, Claim, UnreadableClaim
from catalog.layout import EVIDENCE, OWNERS
from catalog.names import is_agent
from catalog.reader import EVIDENCE_BYTES, Hold, stamp_of
from catalog.seen import Content, Missing, Unreadable, certain
from catalog.system.folders import Folder
from catalog.value import Value
from catalog.windows import LOST_SILENCE_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from catalog.evidence import Evidence, Living, Probe
    from catalog.reader import Reader

    class Processes(Protocol):
        """What a witness asks of the port of this host's processes."""

        def probe(self, evidence: Evidence) -> Probe: ...
        def living(self, pid: int, pidfd: int | None, start: str) -> Living | None: ...


class Sight(Value):
    """A verdict about the harness, its pid as recorded, and whether an owner runs.

    ``owner_running`` is None where it cannot be told. ``until_ms`` is when silence alone will
    make the verdict another one (by the wall clock), None where it will not.
    """

    __slots__ = ("owner_running", "pid", "until_ms", "verdict")

    def __init__(
        self,
        verdict: str,
        pid: int | None,
        owner_running: bool | None,
        until_ms: int | None = None,
    ) -> None:
        self.verdict = verdict
        self.pid = pid
        self.owner_running = owner_running
        self.until_ms = until_ms


class Witness:
    """Looks at harnesses of this host; never asked about another host's."""

    __slots__ = ("now_ms", "processes", "reader")

    def __init__(self, reader: Reader, processes: Processes, *, now_ms: Callable[[], int]) -> None:
        self.reader = reader
        self.processes = processes
        self.now_ms = now_ms

    def look(self, claim: Claim) -> Sight:
        """Look at the harness that *claim* is about."""
        return self.judge(claim, self.evidence(claim), self.reader.owner_free(claim.agent))

    def judge(self, claim: Claim, found: Evidence | None, free: bool | None) -> Sight:
        """Probe what was recorded of the harness, and judge it.

        *free* says whether nobody holds the lock of its owner, None where that cannot be told.
        """
        running = None if free is None else not free
        if found is None:
            return Sight(evidences.UNKNOWN, None, running)
        verdict = evidences.verdict(
            found,
            self.processes.probe(found),
            token=claim.session,
            generation=claim.generation,
            owner_free=free,
        )
        if claim.registered_by in OWNED or verdict != evidences.GONE:
            return Sight(verdict, found.pid, running)
        last_ms = self._last_ms(claim)
        verdict = evidences.after_silence(verdict, self.now_ms() - last_ms)
        until_ms = last_ms + LOST_SILENCE_MS + 1 if verdict != evidences.GONE else None
        return Sight(verdict, found.pid, running, until_ms)

    def _last_ms(self, claim: Claim) -> int:
        """Return when a session without an owner last said anything."""
        record = self.reader.record
        held_ms = stamp_of(record(claim.host, claim.agent, "held"), claim.session)
        worked_ms = stamp_of(record(claim.host, claim.agent, "activity"))
        return max(claim.started_ms, held_ms or 0, worked_ms or 0)

    def runs(self, claim: Claim) -> bool:
        """Say whether nothing shows that *claim*'s harness is gone or stopped.

        Where no process is recorded, or it cannot be told, the holder's own call is all there is.
        """
        found = self.evidence(claim)
        if found is None:
            return True
        verdict = self.verdict(claim)
        if verdict != evidences.ALIVE:
            return verdict != evidences.GONE
        return self.processes.living(found.pid, None, found.start) is not None

    def evidence(self, claim: Claim) -> Evidence | None:
        """Return what was recorded of the harness when *claim* was written, if anything."""
        return self.reader.evidence(claim.agent, Hold(claim.session, claim.generation))

    def verdict(self, claim: Claim) -> str:
        """Return the verdict alone: ``alive``, ``gone`` or ``unknown``."""
        return self.look(claim).verdict


class Looks:
    """One round of looks at many claims: what lies around their files is opened once.

    Each look reads the files themselves anew, and says what :meth:`Witness.look` would.
    """

    __slots__ = ("_folders", "_is_free", "_local", "_witness")

    def __init__(self, witness: Witness) -> None:
        from catalog.system.locks import is_free

        self._is_free = is_free
        self._witness = witness
        self._local = witness.reader.files.folder(witness.reader.layout.local())
        self._folders: dict[str, Folder] = {}

    def look(self, claim: Claim) -> Sight:
        """Look at the harness that *claim* is about."""
        if not isinstance(self._local, Folder):
            return self._witness.look(claim)
        owners, free = self._folder(OWNERS), None
        if not isinstance(owners, Unreadable):
            free = self._is_free(owners.fd, claim.agent) if isinstance(owners, Folder) else True
        return self._witness.judge(claim, self._evidence(claim), free)

    def verdict(self, claim: Claim) -> str:
        """Return the verdict alone on a session that no owner serves."""
        if not isinstance(self._local, Folder):
            return self._witness.verdict(claim)
        return self._witness.judge(claim, self._evidence(claim), True).verdict

    def close(self) -> None:
        """Let go; harmless when repeated."""
        for folder in (self._local, *self._folders.values()):
            if isinstance(folder, Folder):
                folder.close()
        self._folders.clear()

    def __enter__(self) -> Looks:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _evidence(self, claim: Claim) -> Evidence | None:
        folder = self._folder(EVIDENCE)
        if not isinstance(folder, Folder):
            return None
        found = folder.read(claim.agent, EVIDENCE_BYTES)
        if not isinstance(found, Content):
            return None
        return evidences.entry_of(found.raw, claim.session, claim.generation)

    def _folder(self, name: str) -> Folder | Missing | Unreadable:
        """Open a folder of this host's own; one that is not there yet is looked for again."""
        found = self._folders.get(name)
        if found is not None or not isinstance(self._local, Folder):
            return found or Missing()
        entered = self._local.enter(name)
        if isinstance(entered, Folder):
            self._folders[name] = entered
        return entered


def other_agent_of(
    reader: Reader, agent: str, evidence: Evidence, *, by_token: bool = True
) -> str | None:
    """Return another agent of this host whose open session has this very process, or this token.

    One process is one session of one agent: a second claim would have it there twice. Where a
    token was chosen by hand it says nothing about that (not *by_token*). A claim that cannot be
    read may be open: whatever was recorded of it counts. Raises OSError where the system fails to
    read what was recorded.
    """
    folder = reader.layout.process_folder()
    found = certain(reader.files.scan(folder), folder)
    for other, _ in found if isinstance(found, list) else []:
        if other == agent or not is_agent(other):
            continue
        claim = reader.claim(reader.layout.host, other)
        if claim is None or (isinstance(claim, Claim) and claim.ended):
            continue
        tokens, recorded = _held(claim, reader.recorded(other))
        same = any((each.pid, each.start) == (evidence.pid, evidence.start) for each in recorded)
        if same or (by_token and evidence.token in tokens):
            return other
    return None


def _held(
    claim: Claim | UnreadableClaim, recorded: list[Evidence]
) -> tuple[set[str], list[Evidence]]:
    """Return the tokens, and what was recorded of the processes, that may be the claim's."""
    if isinstance(claim, UnreadableClaim):
        return {each.token for each in recorded}, recorded
    hold = Hold(claim.session, claim.generation)
    return {claim.session}, [each for each in recorded if hold.is_of(each)]
