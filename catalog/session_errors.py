"""Refusals about a session: who holds it, whether it has ended, whether its claim can be read."""

from __future__ import annotations

from catalog.errors import St2Error


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
    hint = "st2 session show tells whose the agent is now"


class ClaimUnreadable(St2Error):
    """``session.json`` is broken, newer than this program, or in conflict."""

    code = "claim-unreadable"
    hint = "look at the file; st2 run or st2 session register replaces it with --force"

    def __init__(self, path: str, why: str, hint: str | None = None) -> None:
        if hint is None and why.startswith("is a directory"):
            hint = "move it away"
        super().__init__(path, f"found {why}, wanted a claim of version 1", hint)


class NewerRecord(St2Error):
    """The record was written by a newer version and is left alone."""

    code = "newer-version"
    hint = "upgrade st2 on this host"


class HarnessUnusable(St2Error):
    """The process that was named cannot be adopted."""

    code = "harness-unusable"


class NoToken(St2Error):
    """The caller named no session, and none is seen around it."""

    code = "no-token"
    hint = "name one that stays the same for its whole life, by --session or ST2_SESSION"

    def __init__(self) -> None:
        super().__init__("session", "none named, and no harness around this that tells one")
