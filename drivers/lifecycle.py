"""The life of a session's owner as a table: (phase, event) -> (phase, actions).

Pure. The loop in :mod:`drivers.owner` turns what happens into events and performs actions in
order; everything that an owner ever decides stands here.
"""

from __future__ import annotations

LAUNCHING = "launching"
ADOPTING = "adopting"
RUNNING = "running"
STOPPED = "stopped"
ENDING = "ending"
FAILED = "failed"
LEFT = "left"
PHASES = (LAUNCHING, ADOPTING, RUNNING, STOPPED, ENDING, FAILED, LEFT)
"""ENDING: the harness is gone and its end is not written. FAILED: it never ran."""

LAUNCHED = "launched"
EXEC_FAILED = "exec-failed"
ABANDONED = "abandoned"
DUE = "due"
DUE_STOPPED = "due-stopped"
GONE = "gone"
WRITTEN = "written"
WRITE_FAILED = "write-failed"
SUPERSEDED = "superseded"
HOPELESS = "hopeless"
EVENTS = (
    LAUNCHED,
    EXEC_FAILED,
    ABANDONED,
    DUE,
    DUE_STOPPED,
    GONE,
    WRITTEN,
    WRITE_FAILED,
    SUPERSEDED,
    HOPELESS,
)
"""ABANDONED: whoever launches died before it let go. DUE: a moment came and the harness runs.
WRITTEN and WRITE_FAILED: what became of the writes that the last actions asked for.
HOPELESS: an end could not be written for too long."""

BEAT = "beat"
CHECK = "check"
OFFLINE = "offline"
END_EXITED = "end-exited"
END_LAUNCH_ERROR = "end-launch-error"
WAIT_INTERVAL = "wait-interval"
WAIT_LOOK = "wait-look"
WAIT_RETRY = "wait-retry"
WAIT_NOT = "wait-not"
LEAVE = "leave"
ACTIONS = (
    BEAT,
    CHECK,
    OFFLINE,
    END_EXITED,
    END_LAUNCH_ERROR,
    WAIT_INTERVAL,
    WAIT_LOOK,
    WAIT_RETRY,
    WAIT_NOT,
    LEAVE,
)
"""CHECK reads the claim and writes nothing. The waits set the next moment."""

Cell = tuple[str, tuple[str, ...]]

_NOTHING: tuple[str, ...] = ()
_BEATS = (RUNNING, (WAIT_INTERVAL, BEAT))
_BEGINS = (RUNNING, (WAIT_NOT,))
_LOOKS = (STOPPED, (WAIT_LOOK, CHECK))
_ENDS = (ENDING, (WAIT_RETRY, OFFLINE, END_EXITED))
_FAILS = (FAILED, (WAIT_RETRY, END_LAUNCH_ERROR))
_LEAVES = (LEFT, (LEAVE,))

TABLE: dict[str, dict[str, Cell]] = {
    LAUNCHING: {
        LAUNCHED: _BEGINS,
        EXEC_FAILED: _FAILS,
        ABANDONED: _FAILS,
        DUE: (LAUNCHING, _NOTHING),
        DUE_STOPPED: (LAUNCHING, _NOTHING),
        # Killed between its last word and its first instruction: it was launched all the same.
        GONE: _ENDS,
        WRITTEN: (LAUNCHING, _NOTHING),
        WRITE_FAILED: (LAUNCHING, _NOTHING),
        SUPERSEDED: _LEAVES,
        HOPELESS: (LAUNCHING, _NOTHING),
    },
    ADOPTING: {
        LAUNCHED: _BEGINS,
        EXEC_FAILED: _LEAVES,
        # The adopter was killed. The harness lives and its session is none of our making.
        ABANDONED: _LEAVES,
        DUE: (ADOPTING, _NOTHING),
        DUE_STOPPED: (ADOPTING, _NOTHING),
        GONE: _ENDS,
        WRITTEN: (ADOPTING, _NOTHING),
        WRITE_FAILED: (ADOPTING, _NOTHING),
        SUPERSEDED: _LEAVES,
        HOPELESS: (ADOPTING, _NOTHING),
    },
    RUNNING: {
        LAUNCHED: (RUNNING, _NOTHING),
        EXEC_FAILED: (RUNNING, _NOTHING),
        ABANDONED: (RUNNING, _NOTHING),
        DUE: _BEATS,
        DUE_STOPPED: _LOOKS,
        GONE: _ENDS,
        WRITTEN: (RUNNING, _NOTHING),
        # The harness must not notice, and the next beat tries again.
        WRITE_FAILED: (RUNNING, _NOTHING),
        SUPERSEDED: _LEAVES,
        HOPELESS: (RUNNING, _NOTHING),
    },
    STOPPED: {
        LAUNCHED: (STOPPED, _NOTHING),
        EXEC_FAILED: (STOPPED, _NOTHING),
        ABANDONED: (STOPPED, _NOTHING),
        DUE: _BEATS,
        DUE_STOPPED: _LOOKS,
        GONE: _ENDS,
        WRITTEN: (STOPPED, _NOTHING),
        WRITE_FAILED: (STOPPED, _NOTHING),
        SUPERSEDED: _LEAVES,
        HOPELESS: (STOPPED, _NOTHING),
    },
    ENDING: {
        LAUNCHED: (ENDING, _NOTHING),
        EXEC_FAILED: (ENDING, _NOTHING),
        ABANDONED: (ENDING, _NOTHING),
        DUE: _ENDS,
        DUE_STOPPED: _ENDS,
        GONE: _ENDS,
        WRITTEN: _LEAVES,
        # A full disk frees itself again; until then readers call the session lost.
        WRITE_FAILED: (ENDING, _NOTHING),
        SUPERSEDED: _LEAVES,
        HOPELESS: _LEAVES,
    },
    FAILED: {
        LAUNCHED: (FAILED, _NOTHING),
        EXEC_FAILED: (FAILED, _NOTHING),
        ABANDONED: (FAILED, _NOTHING),
        DUE: _FAILS,
        DUE_STOPPED: _FAILS,
        GONE: _FAILS,
        WRITTEN: _LEAVES,
        WRITE_FAILED: (FAILED, _NOTHING),
        SUPERSEDED: _LEAVES,
        HOPELESS: _LEAVES,
    },
    LEFT: dict.fromkeys(EVENTS, (LEFT, _NOTHING)),
}
"""What an owner does. A phase and an event without an entry here does not exist."""


def step(phase: str, event: str) -> Cell:
    """Return the next phase and the actions to perform, in order."""
    return TABLE[phase][event]
