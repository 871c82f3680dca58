"""What happens while sync goes on, as values for whoever listens."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.errors import St2Error
from catalog.sync.policy import Policy
from catalog.sync.publish import Published


@dataclass(frozen=True, slots=True)
class Began:
    """The loop begins, at these intervals."""

    policy: Policy


@dataclass(frozen=True, slots=True)
class DidPublish:
    """The remote took our records."""

    done: Published


@dataclass(frozen=True, slots=True)
class DidCollect:
    """Records of these hosts changed here."""

    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """Lost sessions of these agents were ended."""

    agents: list[str]


@dataclass(frozen=True, slots=True)
class Failed:
    """``publish`` or ``collect`` did not happen; told once an episode, not once a try."""

    what: str
    error: St2Error
    retry_ms: int


@dataclass(frozen=True, slots=True)
class Recovered:
    """An episode is over, after so many tries and so long."""

    what: str
    tries: int
    lasted_ms: int


@dataclass(frozen=True, slots=True)
class Warned:
    """A remark; told again only after it had gone."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Degraded:
    """No events can be had; the folders are looked at instead."""

    why: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """The machine had slept."""

    slept_ms: int


@dataclass(frozen=True, slots=True)
class Reread:
    """The settings were read again."""

    policy: Policy


@dataclass(frozen=True, slots=True)
class KeptSettings:
    """The settings cannot be used; those that were in use stay."""

    error: St2Error


@dataclass(frozen=True, slots=True)
class Stopped:
    """The loop ends, as it was told to."""

    abandoned: bool


Event = (
    Began
    | DidPublish
    | DidCollect
    | Ended
    | Failed
    | Recovered
    | Warned
    | Degraded
    | Resumed
    | Reread
    | KeptSettings
    | Stopped
)
