"""A finding: something in the catalog that a person should look at, beside what still works."""

from __future__ import annotations

from catalog.value import Value


class Finding(Value):
    """One remark: a machine word, a sentence for people, and the file it is about, if any.

    ``line`` and ``column`` (from 1, in characters) are None where no place in it is meant.
    """

    __slots__ = ("code", "column", "hint", "line", "message", "path")

    def __init__(
        self,
        code: str,
        message: str,
        path: str | None = None,
        hint: str = "",
        *,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        self.code = code
        self.message = message
        self.path = path
        self.hint = hint
        self.line = line
        self.column = column

    @property
    def where(self) -> str:
        """``path:line:column``, as far as known."""
        return where(self.path or "", self.line, self.column)


def where(path: str, line: int | None, column: int | None) -> str:
    """Return *path*, with the place in it where one is known."""
    return path if line is None or column is None else f"{path}:{line}:{column}"
