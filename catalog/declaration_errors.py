"""Refusals about a declaration: none, one that cannot be used, one that says not to run."""

from __future__ import annotations

from catalog.errors import St2Error


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
