"""The printed JSON of ``validate``, ``tasks`` and ``doctor`` as models, key by key and in order."""

from __future__ import annotations

from typing import Literal

from st2.models import Presence, Remark, Session, Word
from st2.printed import Printed


class Judged(Printed):
    """A finding of ``st2 validate`` and how much it weighs; line and column where one is meant."""

    severity: Literal["problem", "advisory", "note"]
    code: str
    message: str
    path: str | None
    line: int | None
    column: int | None
    hint: str


class CheckedFile(Printed):
    """One declaration: whose it is, where that can be told, and what was found about it."""

    path: str
    identity: str | None
    driver: str | None
    findings: list[Judged]


class Validation(Printed):
    """The answer of ``st2 validate --json``; ``findings`` are about no declaration."""

    ok: bool
    strict: bool
    files: list[CheckedFile]
    findings: list[Judged]


class Refused(Printed):
    """Why ``st2 run`` would refuse."""

    code: str
    message: str
    hint: str


class Process(Printed):
    """What was seen of the harness."""

    pid: int | None
    verdict: Literal["alive", "gone", "unknown"]


class Owner(Printed):
    """Whether an owner runs; null where it cannot be told."""

    running: bool | None


class Task(Printed):
    """One agent of this host: what it would run, and what is observed."""

    identity: str
    desired_state: Literal["running", "suspended", "retired"] | None
    desired_state_reason: str | None
    driver: str | None
    argv: list[str] | None
    workspace: str | None
    render: list[str] | None
    error: Refused | None
    status: Word
    presence: Presence
    session: Session | None
    process: Process | None
    owner: Owner | None
    uncertain: list[str]
    findings: list[Remark]


class Tasks(Printed):
    """The answer of ``st2 tasks --json``; not ``complete`` where anything was uncertain."""

    host: str
    complete: bool
    tasks: list[Task]
    findings: list[Remark]


class Ailment(Printed):
    """One finding of ``st2 doctor``, always with a path and a way out."""

    code: str
    path: str
    line: int | None
    column: int | None
    message: str
    hint: str


class Diagnosis(Printed):
    """The answer of ``st2 doctor --json``."""

    host: str
    ok: bool
    findings: list[Ailment]
