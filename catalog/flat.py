"""A flat JSON object, written one key a line: ``session.json``, and what a host keeps for itself.

Any JSON layout is read; :func:`render` writes the line form, which a person can follow and a
merge can be seen in.
"""

from __future__ import annotations

from catalog import json_text
from catalog.value import Value

_BLANKS = b" \t\n\r"


class Raw(Value):
    """A value that is kept as its JSON text: a number that is no integer, a list, an object."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def read(raw: bytes) -> dict[str, object] | None:
    """Return the fields of one JSON object; None for anything else. Never raises."""
    found = json_text.loads(raw.strip(_BLANKS), encoding="utf-8", unique=True)
    if not isinstance(found, dict):
        return None
    try:
        return {key: _kept(value) for key, value in found.items()}
    except RecursionError:
        return None


def _kept(value: object) -> object:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return value
    return Raw(json_text.dumps(value))


def render(fields: dict[str, object]) -> bytes:
    """Return the line form of *fields*: sorted keys, one key a line, a final newline."""
    lines = [f"  {_text(key)}: {_text(fields[key])}" for key in sorted(fields)]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _text(value: object) -> str:
    if isinstance(value, Raw):
        return value.text
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return json_text.dumps(str(value))
