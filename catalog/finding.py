"""A finding: something in the catalog that a person should look at, beside what still works."""

from __future__ import annotations

from catalog.value import Value


class Finding(Value):
    """One remark: a machine word, a sentence for people, and the file it is about, if any."""

    __slots__ = ("code", "hint", "message", "path")

    def __init__(self, code: str, message: str, path: str | None = None, hint: str = "") -> None:
        self.code = code
        self.message = message
        self.path = path
        self.hint = hint
