"""Refusals: one class for each decision that a caller can take. Here: what all of them are.

Those that any command may end with stand in ``refusals``, those of one subject in
``session_errors``, ``declaration_errors`` and ``sync_errors``: each class that is made costs two
thousandths of a start, and what agents call at every step refuses nothing, nearly always.

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
    words, name = reason_of(error), error.filename
    return f"{os.fsdecode(name)}: {words}" if isinstance(name, (str, bytes)) else words


def reason_of(error: OSError) -> str:
    """Return the system's own words for an error, in lower case as a message has them."""
    return (os.strerror(error.errno) if error.errno else str(error)).lower()


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
