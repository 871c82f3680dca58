"""What the hooks of a harness mean for us: a table for each, and nothing else.

Work that landed moves ``activity``. The session is touched only where nobody wrapped it.
"""

from __future__ import annotations

from catalog.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

REGISTER = "register"
BEAT = "beat"
ENTER = "enter"
END = "end"
"""ENTER registers a session that was never announced, and beats for it when it comes again."""

RUNNING = "running"
SUCCESS = "success"


class Meaning(Value):
    """One event: the word for ``activity`` or None, and what it does to an unwrapped session."""

    __slots__ = ("activity", "session")

    def __init__(self, activity: str | None, session: str) -> None:
        self.activity = activity
        self.session = session


_STARTS = Meaning(None, REGISTER)
_WORKS = Meaning(RUNNING, BEAT)
_BEATS = Meaning(None, BEAT)
_ENDS = Meaning(SUCCESS, END)

_CLAUDE = {
    "SessionStart": _STARTS,
    "UserPromptSubmit": _WORKS,
    "PreToolUse": _WORKS,
    "PostToolUse": _WORKS,
    "PostToolBatch": _WORKS,
    "PermissionRequest": _WORKS,
    "Notification": _BEATS,  # it waits on a person, which is not work
    "Stop": _WORKS,
    "StopFailure": _BEATS,
    "SessionEnd": _ENDS,
}

_CODEX = {
    "SessionStart": _STARTS,
    "UserPromptSubmit": _WORKS,
    "PreToolUse": _WORKS,
    "PostToolUse": _WORKS,
    "PermissionRequest": _WORKS,
    "Stop": _WORKS,
    "Interrupt": _BEATS,
    "SessionEnd": _ENDS,
    # The end of a turn, which comes without any trust and without any other event.
    "notify": Meaning(RUNNING, ENTER),
}

_GEMINI = {
    "SessionStart": _STARTS,
    "BeforeAgent": _WORKS,
    "AfterAgent": _WORKS,
    "BeforeModel": _WORKS,
    "AfterModel": _WORKS,
    "BeforeToolSelection": _WORKS,
    "BeforeTool": _WORKS,
    "AfterTool": _WORKS,
    "PreCompress": _BEATS,
    "Notification": _BEATS,
    "SessionEnd": _ENDS,
}

TABLES: Mapping[str, Mapping[str, Meaning]] = {
    "claude": _CLAUDE,
    "codex": _CODEX,
    "gemini": _GEMINI,
}
"""Every harness whose hooks are understood."""

TURN_COMPLETE = "agent-turn-complete"


def meaning(harness: str, event: str) -> Meaning | None:
    """Return what *event* of *harness* means; None for one that is not in its table."""
    return TABLES.get(harness, {}).get(event)


def is_ignored(event: str, payload: Mapping[str, object]) -> bool:
    """Say whether an event is none of ours: a subagent's own, or another kind of notice."""
    if event == "notify":
        return payload.get("type") != TURN_COMPLETE
    return bool(payload.get("agent_id"))


def session_of(event: str, payload: Mapping[str, object]) -> object:
    """Return the id of the harness's session as the payload has it, whatever that is."""
    return payload.get("thread-id" if event == "notify" else "session_id")
