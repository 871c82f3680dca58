"""The records of every host's agents, as they are read. A reader has no way to write."""

from __future__ import annotations

from catalog import claim as claims
from catalog.claim import Claim, UnreadableClaim
from catalog.record import Record, parse
from catalog.seen import Content, Missing, Unreadable, certain
from catalog.value import Value
from catalog.windows import RECORD_BYTES, SESSION_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.evidence import Evidence
    from catalog.layout import Layout
    from catalog.seen import Found
    from catalog.system.files import Files


EVIDENCE_BYTES = 4_096
"""The most that is read of a file of process evidence."""


class Hold(Value):
    """What an owner knows of the claim that it serves."""

    __slots__ = ("generation", "token")

    def __init__(self, token: str, generation: int) -> None:
        self.token = token
        self.generation = generation

    def is_of(self, evidence: Evidence) -> bool:
        """Say whether *evidence* was recorded for this claim."""
        return (evidence.token, evidence.generation) == (self.token, self.generation)


class Reader:
    """Reads the records of every host. It has no way to write."""

    __slots__ = ("files", "layout")

    def __init__(self, files: Files, layout: Layout) -> None:
        self.files = files
        self.layout = layout

    def record(self, host: str, agent: str, name: str) -> Found:
        """Read one two-line record."""
        return self.files.read(self.layout.record(host, agent, name), RECORD_BYTES)

    def claim(self, host: str, agent: str) -> Claim | UnreadableClaim | None:
        """Read the claim of an agent; None where there is none."""
        path = self.layout.record(host, agent, "session.json")
        return read_claim(self.files.read(path, SESSION_BYTES), host, agent)

    def evidence(self, agent: str, hold: Hold) -> Evidence | None:
        """Return this host's process evidence for one claim, if it was recorded."""
        found = self.files.read(self.layout.process(agent), EVIDENCE_BYTES)
        if not isinstance(found, Content) or hold.token.encode() not in found.raw:
            return None  # most beats: nothing is loaded to read what is of another session
        from catalog.evidence import entry_of

        return entry_of(found.raw, hold.token, hold.generation)

    def recorded(self, agent: str) -> list[Evidence]:
        """Return this host's process evidence for every claim of an agent that still has some.

        Raises OSError where the system fails to read it.
        """
        path = self.layout.process(agent)
        found = certain(self.files.read(path, EVIDENCE_BYTES), path)
        if not isinstance(found, Content):
            return []
        from catalog.evidence import parse_lines

        return parse_lines(found.raw)

    def owner_free(self, agent: str) -> bool | None:
        """Say whether no owner runs for this host's agent; None where it cannot be told."""
        return self.files.lock_free(self.layout.owner_lock(agent))

    def own_refresh_ms(self, claim: Claim) -> int | None:
        """Return when the holder itself last refreshed: ``held``, and ``status`` of an owner.

        Raises OSError where the system fails to read one: that is no silence.
        """
        agent = claim.agent
        stamps = [stamp_of(self.certain(agent, "held"), claim.session)]
        if self.owner_free(agent) is not True:
            stamps.append(stamp_of(self.certain(agent, "status")))
        known = [stamp for stamp in stamps if stamp is not None]
        return max(known) if known else None

    def certain(self, agent: str, name: str) -> Found:
        """Read a record of this host's agent; raise OSError where the system fails to read it."""
        path = self.layout.record(self.layout.host, agent, name)
        return certain(self.files.read(path, RECORD_BYTES), path)


def read_claim(found: Found, host: str, agent: str) -> Claim | UnreadableClaim | None:
    """Make a claim of a ``session.json``; one that speaks of another agent is unreadable."""
    if isinstance(found, Missing):
        return None
    if isinstance(found, Unreadable):
        return UnreadableClaim(found.reason)
    claim = claims.parse(found.raw)
    if isinstance(claim, Claim) and (claim.host, claim.agent) != (host, agent):
        return UnreadableClaim("speaks of another agent")
    return claim


def stamp_of(found: Found, word: str | None = None) -> int | None:
    """Return the stamp of a sound record, of *word* alone where one is given."""
    if not isinstance(found, Content):
        return None
    parsed = parse(found.raw, lambda line: word in (None, line))
    return parsed.stamp_ms if isinstance(parsed, Record) else None
