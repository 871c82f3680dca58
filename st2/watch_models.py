"""What ``st2 watch --json`` prints, as a model: see :mod:`st2.models`."""

from __future__ import annotations

from typing import Literal

from st2.models import RosterRow, Word
from st2.printed import Printed


class WatchEvent(Printed):
    """One line of ``st2 watch --json``: what happened, to whom, and the row as it was read.

    ``at_ms`` is the wall clock of the look that saw it. ``identity`` is None for what is about a
    host, ``row`` where there is none; ``was`` and ``status`` are None where there is no word.
    """

    event: Literal[
        "watching",
        "present",
        "appeared",
        "word",
        "stale",
        "stalled",
        "moving",
        "started",
        "taken-over",
        "ended",
        "gone",
        "host-not-heard",
        "host-back",
        "slept",
        "clock-set",
    ]
    at_ms: int
    host: str
    identity: str | None
    was: Word | None
    status: Word | None
    sentence: str
    row: RosterRow | None
