"""What this host can see of the harness behind one of its claims, and of that claim's owner."""

from __future__ import annotations

from catalog import evidence as evidences
from catalog.reader import Hold
from catalog.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.claim import Claim
    from catalog.evidence import Evidence
    from catalog.reader import Reader
    from catalog.system.processes import Processes


class Sight(Value):
    """A verdict about the harness, its pid as recorded, and whether an owner runs.

    ``owner_running`` is None where it cannot be told.
    """

    __slots__ = ("owner_running", "pid", "verdict")

    def __init__(self, verdict: str, pid: int | None, owner_running: bool | None) -> None:
        self.verdict = verdict
        self.pid = pid
        self.owner_running = owner_running


class Witness:
    """Looks at harnesses of this host; never asked about another host's."""

    __slots__ = ("processes", "reader")

    def __init__(self, reader: Reader, processes: Processes) -> None:
        self.reader = reader
        self.processes = processes

    def look(self, claim: Claim) -> Sight:
        """Look at the harness that *claim* is about."""
        free = self.reader.owner_free(claim.agent)
        running = None if free is None else not free
        found = self.evidence(claim)
        if found is None:
            return Sight(evidences.UNKNOWN, None, running)
        verdict = evidences.verdict(
            found,
            self.processes.probe(found),
            token=claim.session,
            generation=claim.generation,
            owner_free=free,
        )
        return Sight(verdict, found.pid, running)

    def evidence(self, claim: Claim) -> Evidence | None:
        """Return what was recorded of the harness when *claim* was written, if anything."""
        return self.reader.evidence(claim.agent, Hold(claim.session, claim.generation))

    def verdict(self, claim: Claim) -> str:
        """Return the verdict alone: ``alive``, ``gone`` or ``unknown``."""
        return self.look(claim).verdict
