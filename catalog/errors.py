"""Every refusal a caller can meet: one class for each decision that it allows.

``str(error)`` is the sentence (``subject: what was found, what was wanted``); the class
carries the exit code, a machine word and the way out. The command line catches
:class:`St2Error` in one place.
"""

from __future__ import annotations

import os


def words_of(error: BaseException) -> str:
    """Return what a person is told of *error*: of the system's own, its words and no number."""
    if not isinstance(error, OSError) or not error.errno:
        return str(error) or type(error).__name__
    words = os.strerror(error.errno).lower()
    name = error.filename
    return f"{os.fsdecode(name)}: {words}" if isinstance(name, (str, bytes)) else words


class St2Error(Exception):
    """Something was refused; nothing of the user's was lost."""

    exit_code = 1
    code = "refused"
    hint = ""

    def __init__(self, subject: str, sentence: str, hint: str | None = None) -> None:
        super().__init__(f"{subject}: {sentence}")
        self.subject = subject
        self.sentence = sentence
        if hint is not None:
            self.hint = hint


class BadName(St2Error):
    """A host, agent or token breaks the one rule for its kind."""

    exit_code = 2
    code = "bad-name"


class BadUsage(St2Error):
    """The command line itself cannot be understood."""

    exit_code = 2
    code = "usage"


class NotFound(St2Error):
    """No agent of that name has a row."""

    code = "not-found"
    hint = "st2 agents lists every agent of the catalog"


class Ambiguous(St2Error):
    """More than one agent matches; one must be chosen."""

    code = "ambiguous"
    hint = "name one of them by its bus id, host.agent"


class ForeignHost(St2Error):
    """The records of another host's agent are read-only here."""

    code = "foreign-host"
    hint = "run the command on that host; only it writes the records of its agents"


class NotDeclared(St2Error):
    """An agent without a declaration cannot be started."""

    code = "not-declared"


class NotRunning(St2Error):
    """The declaration says that this agent is not to run."""

    code = "not-running"


class BadDeclaration(St2Error):
    """A declaration cannot be used for what was asked; ``line`` and ``column`` say where."""

    code = "bad-declaration"

    def __init__(
        self,
        path: str,
        sentence: str,
        hint: str | None = None,
        *,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        place = "" if line is None or column is None else f":{line}:{column}"
        super().__init__(f"{path}{place}", sentence, hint)
        self.path = path
        self.line = line
        self.column = column


class CannotExpand(St2Error):
    """A declaration holds nothing that could be launched."""

    code = "cannot-expand"


class Conflict(St2Error):
    """A live session holds the name. ``last_seen_ms`` is its own last refresh, if any."""

    code = "agent_conflict"
    hint = "end its harness first, or take the name over with --force"

    def __init__(
        self, subject: str, sentence: str, *, existing: str, last_seen_ms: int | None
    ) -> None:
        super().__init__(subject, sentence)
        self.existing = existing
        self.last_seen_ms = last_seen_ms


class NoSession(St2Error):
    """The agent has no session that is not ended: there is nothing to refresh or to record."""

    code = "no-session"
    hint = "st2 session register claims one"


class SessionOpen(St2Error):
    """The agent has a session whose end was not written; it is not forgotten while that lasts."""

    code = "session-open"
    hint = "st2 session end AGENT ends it; where it is only silent, look first who it is"


class NotHolder(St2Error):
    """The caller's session is not the holder of the agent it would speak for."""

    code = "not-holder"
    hint = "another session holds this agent; st2 session show tells which"


class Superseded(St2Error):
    """The claim is another one by now, or has ended: its old owner has to leave."""

    code = "superseded"


class ClaimUnreadable(St2Error):
    """``session.json`` is broken, newer than this program, or in conflict."""

    code = "claim-unreadable"
    hint = "look at the file; st2 run or st2 session register replaces it with --force"


class NewerRecord(St2Error):
    """The record was written by a newer version and is left alone."""

    code = "newer-version"
    hint = "upgrade st2 on this host"


class Unwritable(St2Error):
    """A record cannot be read or replaced where it lies."""

    code = "unwritable"


class LockBusy(St2Error):
    """A host-local lock could not be had within its bound."""

    code = "lock-busy"


class LocalStateUnsafe(St2Error):
    """``.st2`` is not ours, a symlink, or writable by others."""

    code = "local-state-unsafe"
    hint = "make .st2 a folder of your own with mode 0700"


class CatalogUnusable(St2Error):
    """The catalog's folder is missing or cannot be used."""

    code = "catalog-unusable"
    hint = "st2 init makes a catalog; --catalog or $CATALOG names another one"


class HarnessUnusable(St2Error):
    """The process that was named cannot be adopted."""

    code = "harness-unusable"


class SyncFailed(St2Error):
    """A publish or a collect did not happen; local presence is untouched."""

    code = "sync-failed"


class CannotMerge(St2Error):
    """Two versions of a file are not ours to choose from; the conflict stays for a person."""

    code = "cannot-merge"


class DuplicateHost(St2Error):
    """Another node publishes under this host's name."""

    code = "duplicate-host"


class RemoteRefused(St2Error):
    """The remote's address is not of a kind that st2 talks to."""

    exit_code = 2
    code = "remote-refused"


class BadSettings(St2Error):
    """Settings that contradict each other or a window of the contract."""

    exit_code = 2
    code = "bad-settings"
    hint = "catalog.kdl and st2 sync --publish-every, --collect-every set them"
