"""The claim: who holds a session's name, whether it holds it still, how it ends.

Pure. Process evidence is an argument here (a *verdict*); time is one too.
"""

from __future__ import annotations

from catalog import json_text
from catalog.names import is_agent, is_host, is_token
from catalog.value import Value
from catalog.windows import CLAIM_MS, SESSION_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = 1
END_REASONS = ("exited", "stopped", "lost", "launch-error")
OWNED = ("wrapper", "adopt")
"""What ``registered_by`` says of a session that has an owner: its harness's pid is its own."""
_MOST = 2**31 - 1
"""The largest generation: of a claim, and of the evidence of its process."""
_KEYS = (
    "agent",
    "host",
    "node",
    "session",
    "generation",
    "harness",
    "runtime",
    "registered_by",
    "started_ms",
    "ended_ms",
    "end_reason",
    "exit",
    "took_over",
    "previous",
)

_SORTED = tuple(sorted((*_KEYS, "v")))


class Claim(Value):
    """One claim, field by field as in ``session.json``; ``extra`` holds what we do not know."""

    __slots__ = (*_KEYS, "extra")

    agent: str
    host: str
    node: str | None
    session: str
    generation: int
    harness: str | None
    runtime: str | None
    registered_by: str
    started_ms: int
    ended_ms: int | None
    end_reason: str | None
    exit: str | None
    took_over: bool
    previous: str | None
    extra: dict[str, object]

    def __init__(self, /, **fields: object) -> None:
        for key in _KEYS:
            setattr(self, key, fields.pop(key, None))
        self.extra = fields

    @property
    def ended(self) -> bool:
        """Whether the end of this session has been written."""
        return self.ended_ms is not None

    def with_(self, **changes: object) -> Claim:
        """Return a copy with *changes*."""
        fields = {key: getattr(self, key) for key in _KEYS}
        return Claim(**{**self.extra, **fields, **changes})


class UnreadableClaim(Value):
    """A ``session.json`` that must not be believed nor silently replaced; *why* in words.

    *hint* is the way out where there is one of its own: this program may be too old.
    """

    __slots__ = ("hint", "why")
    _aside = ("hint",)

    def __init__(self, why: str, hint: str = "") -> None:
        self.why = why
        self.hint = hint


def parse(raw: bytes) -> Claim | UnreadableClaim:
    """Read ``session.json``. Never raises."""
    return as_written(raw) or parse_any(raw)


def as_written(raw: bytes) -> Claim | None:
    """Read a sound claim of the keys that :func:`render` writes; None says nothing of the bytes.

    A roster reads one for each agent: this is :func:`parse_any` without keys that we do not know
    and without the reasons for not believing one. A property test holds the two equal.
    """
    fields = json_text.flat_object(raw.strip(b"\n")) if len(raw) <= SESSION_BYTES else None
    if fields is None or tuple(fields) != _SORTED:
        return None
    values: list[Any] = list(fields.values())
    agent, reason, ended_ms, exit_text, generation = values[:5]
    harness, host, node, previous, registered_by = values[5:10]
    runtime, session, started_ms, took_over, version = values[10:]
    if not (
        (type(version) is int and version == VERSION)
        and (type(agent) is str and is_agent(agent))
        and (type(host) is str and is_host(host))
        and (type(session) is str and is_token(session))
        and (type(generation) is int and 0 < generation <= _MOST)
        and (type(registered_by) is str and len(registered_by) <= 256)
        and (type(started_ms) is int and 0 <= started_ms < 2**63)
        and (previous is None or (type(previous) is str and is_token(previous)))
        and (_is_text(node) and _is_text(harness) and _is_text(runtime) and _is_text(exit_text))
        and type(took_over) is bool
        and (reason is None if ended_ms is None else reason in END_REASONS)
        and (ended_ms is None or (type(ended_ms) is int and 0 <= ended_ms < 2**63))
    ):
        return None
    claim = Claim.__new__(Claim)
    claim.agent, claim.host, claim.node, claim.session = agent, host, node, session
    claim.generation, claim.harness, claim.runtime = generation, harness, runtime
    claim.registered_by, claim.started_ms, claim.ended_ms = registered_by, started_ms, ended_ms
    claim.end_reason, claim.exit, claim.took_over = reason, exit_text, took_over
    claim.previous, claim.extra = previous, {}
    return claim


def parse_any(raw: bytes) -> Claim | UnreadableClaim:
    """Read any ``session.json``, and say of one that is not believed why."""
    if len(raw) > SESSION_BYTES:
        return UnreadableClaim(f"more than {SESSION_BYTES} bytes")
    from catalog import flat

    fields = flat.read(raw)
    if fields is None:
        marks = b"<<<<<<<" in raw
        return UnreadableClaim("conflict markers" if marks else "not one JSON object")
    version = fields.pop("v", None)
    if version != VERSION or isinstance(version, bool):
        if isinstance(version, int) and version > VERSION:
            why = f"version {version}, this reader knows {VERSION}"
            return UnreadableClaim(why, "upgrade st2 on this host")
        return UnreadableClaim("no version 1")
    wrong = _wrong_field(fields)
    if wrong is not None:
        return UnreadableClaim(f"field {wrong} is not what it has to be")
    return Claim(**fields)


def _wrong_field(fields: dict[str, object]) -> str | None:
    """Return the first field that breaks its type, or None."""
    for key, right in _CHECKS:
        if not right(fields.get(key)):
            return key
    if (fields.get("ended_ms") is None) != (fields.get("end_reason") is None):
        return "end_reason"
    return None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text(value: object) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= 256)


_CHECKS = (
    ("agent", lambda value: isinstance(value, str) and is_agent(value)),
    ("host", lambda value: isinstance(value, str) and is_host(value)),
    ("node", _is_text),
    ("session", lambda value: isinstance(value, str) and is_token(value)),
    ("generation", lambda value: _is_count(value) and 0 < value <= _MOST),
    ("harness", _is_text),
    ("runtime", _is_text),
    ("registered_by", lambda value: isinstance(value, str) and len(value) <= 256),
    ("started_ms", _is_count),
    ("ended_ms", lambda value: value is None or _is_count(value)),
    ("end_reason", lambda value: value is None or value in END_REASONS),
    ("exit", _is_text),
    ("took_over", lambda value: isinstance(value, bool)),
    ("previous", lambda value: value is None or (isinstance(value, str) and is_token(value))),
)


def render(claim: Claim) -> bytes:
    """Return the bytes of ``session.json``: sorted keys, one a line.

    Unknown keys are kept, unless with them the claim would be too long for any reader.
    """
    from catalog import flat

    fields: dict[str, object] = {key: getattr(claim, key) for key in _KEYS}
    whole = flat.render({**claim.extra, **fields, "v": VERSION})
    return whole if len(whole) <= SESSION_BYTES else flat.render({**fields, "v": VERSION})


def is_live(claim: Claim, *, verdict: str, refreshed_ms: int | None, now_ms: int) -> bool:
    """Say whether *claim* holds its name (spec/session.md).

    *verdict* is about its harness: ``alive``, ``gone`` or ``unknown``. *refreshed_ms* is the
    holder's own last refresh beside ``started_ms``; a beat of anybody else is not one.
    """
    if claim.ended or verdict == "gone":
        return False
    if verdict == "alive":
        return True
    return now_ms - max(claim.started_ms, refreshed_ms or 0) < CLAIM_MS


def next_generation(current: Claim) -> int:
    """Return the generation after *current*'s; the last one that can be read has none after it."""
    return min(current.generation + 1, _MOST)


def end(claim: Claim, reason: str, exit_text: str | None, *, now_ms: int) -> Claim:
    """Return *claim* ended; unchanged where it has ended before."""
    if claim.ended:
        return claim
    return claim.with_(ended_ms=now_ms, end_reason=reason, exit=exit_text)
