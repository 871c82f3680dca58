"""The printed JSON as models: what other programs may rely on, key by key and in order.

Off the fast path: the commands print from plain values (:mod:`st2.roster_json`), and a test
holds what they print to these models.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from st2.printed import Printed

Word = Literal["offline", "available", "busy", "away", "dnd", "unknown"]
Why = Literal[
    "fresh",
    "stale",
    "silent",
    "host-not-heard",
    "future",
    "missing",
    "unreadable",
    "invalid-state",
    "literal-unknown",
    "malformed",
    "newer-version",
    "ended",
    "lost",
    "not-beaten",
    "skew",
]
Source = Literal["record", "mtime", "session", "process", "none"]


class Presence(Printed):
    """The derived word, the record's own, and the number that decided (times in ms)."""

    state: Word
    record: Word
    why: Why
    source: Source
    age_ms: int | None
    stamp_ms: int | None


class Session(Printed):
    """The claim of a row (times in Unix ms)."""

    id: str
    harness: str | None
    generation: int = Field(ge=1)
    started_ms: int
    ended_ms: int | None
    end_reason: Literal["exited", "stopped", "lost", "launch-error"] | None
    exit: str | None


class Activity(Printed):
    """Whether work lands: by the age of the last success, or the word that an ended session left.

    ``as_of_ms`` is the last publish of another host, by whose clock ``age_ms`` is measured.
    """

    state: Literal["progressing", "stalled", "idle", "unknown", "success", "failure", "cancelled"]
    age_ms: int | None
    routable: bool
    as_of_ms: int | None


class Remark(Printed):
    """A finding of a row, with its place in the file where one is meant."""

    code: str
    message: str
    path: str | None
    line: int | None
    column: int | None


class RosterRow(Printed):
    """One row of ``st2 agents --json``."""

    identity: str
    status: Word
    name: str | None
    description: str | None
    retired: bool
    resources: list[dict[str, JsonValue]]
    desired_state: Literal["running", "suspended", "retired"] | None
    desired_state_reason: str | None
    host: str
    presence: Presence
    session: Session | None
    activity: Activity | None
    driver: str | None
    findings: list[Remark]


class EnrichedRow(Printed):
    """One row of ``st2 agents --json --enrich``: two keys more, in their place."""

    identity: str
    status: Word
    name: str | None
    description: str | None
    retired: bool
    resources: list[dict[str, JsonValue]]
    last_activity: int | None
    inbox: int
    desired_state: Literal["running", "suspended", "retired"] | None
    desired_state_reason: str | None
    host: str
    presence: Presence
    session: Session | None
    activity: Activity | None
    driver: str | None
    findings: list[Remark]


class Evidence(Printed):
    """One sentence of ``st2 why`` and what it is about."""

    about: str
    sentence: str


class WhyRow(Printed):
    """The answer of ``st2 why --json``."""

    identity: str
    status: Word
    presence: Presence
    evidence: list[Evidence]
    findings: list[Remark]
