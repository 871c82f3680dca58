"""Refusals: one class for each decision that a caller can take, and those that any command meets.

Those of one subject stand in ``session_errors``, ``declaration_errors`` and ``sync_errors``: what
agents call at every step makes no class that it cannot raise.

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
    hint = (
        "run the command on that host; only it writes the records of its agents; "
        "where this is it, set ST2_HOST"
    )


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
