"""The transcript that a harness keeps: its growth is work, and no evidence of life.

Which file it is, is learnt once and then asked by one ``stat`` at a time. A file is only taken for
this harness's where it can be no other's; else nothing is said.
"""

from __future__ import annotations

from catalog.system import open_files
from catalog.value import Value
from catalog.windows import STALL_MS, TRANSCRIPT_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalog.system.open_files import Shape

OPEN = "open"
ALONE = "alone"
MADE = "made"
"""How a transcript is known: the harness has it OPEN; that, and nobody else has (ALONE: a database
of all of a user's sessions); or it is the only one in its folder that changed since (MADE)."""

FORGET_MS = STALL_MS - 2 * TRANSCRIPT_MS
"""After so long without growth the file is looked for anew: a session goes on in another one."""


class Place(Value):
    """Where a harness keeps its transcripts, and how one of them is known to be its own."""

    __slots__ = ("ending", "folder", "known_by")

    def __init__(self, known_by: str, folder: str, ending: str) -> None:
        self.known_by = known_by
        self.folder = folder
        self.ending = ending

    def encode(self) -> str:
        """Return the text that :func:`decode` reads."""
        return f"{self.known_by} {self.ending} {self.folder}"


def decode(text: str) -> Place | None:
    """Read a place; None for the empty text, which stands for no transcript."""
    if not text:
        return None
    known_by, ending, folder = text.split(" ", 2)
    return Place(known_by, folder, ending)


def place_of(harness: str | None, environ: Mapping[str, str], folder: str) -> str:
    """Return where *harness*, working in *folder*, keeps its transcript; "" where it keeps none."""
    home = environ.get("HOME", "")
    if harness == "codex":
        base = environ.get("CODEX_HOME") or f"{home}/.codex"
        return Place(OPEN, f"{base}/sessions", ".jsonl").encode()
    if harness == "pi" and folder:
        base = environ.get("PI_CODING_AGENT_DIR") or f"{home}/.pi/agent"
        return Place(MADE, f"{base}/sessions/{pi_folder(folder)}", ".jsonl").encode()
    if harness == "opencode":
        base = environ.get("XDG_DATA_HOME") or f"{home}/.local/share"
        return Place(ALONE, f"{base}/opencode", ".db-wal").encode()
    return ""


def pi_folder(folder: str) -> str:
    """Return the name that pi gives to the folder of all sessions in a working directory."""
    plain = folder.removeprefix("/")
    return f"--{''.join('-' if letter in '/:' else letter for letter in plain)}--"


class Transcript:
    """Looks at the transcript of one harness."""

    __slots__ = ("_last", "_path", "_pid", "_place", "_quiet_ms", "_since_ms")

    def __init__(self, place: Place, pid: int, *, since_ms: int) -> None:
        self._place = place
        self._pid = pid
        self._since_ms = since_ms
        self._path: str | None = None
        self._last: Shape | None = None
        self._quiet_ms = since_ms

    def has_grown(self, *, now_ms: int) -> bool:
        """Say whether the transcript changed since the last look; at first: lately."""
        if self._path is None:
            self._path = self._learn()
            self._last = (0, max(now_ms - TRANSCRIPT_MS, self._since_ms) * 1_000_000)
        found = open_files.shape(self._path) if self._path is not None else None
        if found is None:
            self._path = None
            return False
        grown = self._last is None or found[1] > self._last[1] or found[0] > self._last[0] > 0
        self._last = found
        if grown:
            self._quiet_ms = now_ms
        elif now_ms - self._quiet_ms >= FORGET_MS:
            self._path, self._since_ms, self._quiet_ms = None, self._quiet_ms + 1, now_ms
        return grown and self._is_own()

    def _learn(self) -> str | None:
        place = self._place
        if place.known_by == MADE:
            found = open_files.changed_since(place.folder, place.ending, self._since_ms)
        else:
            family = open_files.family(self._pid)
            found = open_files.opened(family, place.folder, place.ending)
        return found[0] if len(found) == 1 else None

    def _is_own(self) -> bool:
        """Ask of a database that all sessions of a user share whether we are alone with it."""
        if self._place.known_by != ALONE or self._path is None:
            return True
        family = open_files.family(self._pid)
        return not open_files.opened_by_others(family, self._path)
