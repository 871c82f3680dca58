"""Two versions of one runtime record: which of them a merge keeps. spec/branch.md has the rule.

The larger of two, by an order over all bytes: so it does not matter who merges with whom, in
what order, or how often. The common ancestor is not asked and no clock is read.
"""

from __future__ import annotations

from catalog import claim as claims
from catalog.activity import is_word
from catalog.claim import Claim
from catalog.layout import RECORDS
from catalog.names import is_agent, is_host, is_token
from catalog.record import NOBODY, Legacy, Record, is_settable, parse
from catalog.value import Value
from catalog.windows import RECORD_BYTES, SESSION_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SESSION = "session.json"
_SOUND, _LEGACY, _ELSE = 2, 1, 0

_WORDS: dict[str, Callable[[str], bool]] = {
    "activity": is_word,
    "beat": is_token,
    "held": is_token,
    "seen": lambda word: word == NOBODY or is_token(word),
    "status": is_settable,
}


class Place(Value):
    """Whose record it is, and which: ``agent`` is None for the ``beat`` of a host."""

    __slots__ = ("agent", "host", "record")

    def __init__(self, host: str, agent: str | None, record: str) -> None:
        self.host = host
        self.agent = agent
        self.record = record

    @property
    def limit(self) -> int:
        """The most bytes that this record may have."""
        return SESSION_BYTES if self.record == _SESSION else RECORD_BYTES


def place_of(path: str) -> Place | None:
    """Return the record that *path* names, None where it names none.

    The catalog may be the work tree or any folder in it: the end of the path decides.
    """
    parts = path.split("/")
    if len(parts) >= 4 and parts[-4] == "agents" and parts[-1] in RECORDS:
        host, agent = parts[-3], parts[-2]
        return Place(host, agent, parts[-1]) if is_host(host) and is_agent(agent) else None
    if len(parts) >= 3 and parts[-3] == "hosts" and parts[-1] == "beat" and is_host(parts[-2]):
        return Place(parts[-2], None, "beat")
    return None


def merge(place: Place, one: bytes, other: bytes) -> bytes:
    """Return the one of two versions that stays. Never raises.

    Each is looked at up to one byte over its limit, and that much of it stays: a longer file is
    no record whatever follows, and the next reader sees that it went on.
    """
    cut = place.limit + 1
    return max(one[:cut], other[:cut], key=lambda raw: _rank(place, raw))


def _rank(place: Place, raw: bytes) -> tuple[int, int, bool, bytes]:
    """Order all bytes: sound, legacy, anything else; then the number; then the bytes."""
    if place.record == _SESSION:
        claim = claims.parse(raw)
        # One that speaks of another agent came by a rename, and no reader believes it.
        if isinstance(claim, Claim) and (claim.host, claim.agent) == (place.host, place.agent):
            return _SOUND, claim.generation, claim.ended, raw
        return _ELSE, 0, False, raw
    parsed = parse(raw, _WORDS[place.record])
    if isinstance(parsed, Record):
        return _SOUND, parsed.stamp_ms, False, raw
    return (_LEGACY if isinstance(parsed, Legacy) else _ELSE), 0, False, raw
