"""A JSON object written one key a line, so that a line reader finds a field without ``json``.

``session.json``, ``node`` and the settings have this form. A file in another form is still
read, through ``json`` (imported only then); :func:`render` writes the line form back.
"""

from __future__ import annotations

from catalog.value import Value

_PLAIN = frozenset(
    " !#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"
)
_DIGITS = frozenset("0123456789")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_ABSENT = object()


class Raw(Value):
    """A value that is kept as its JSON text: a number that is no integer, a list, an object."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def read(raw: bytes) -> dict[str, object] | None:
    """Return the fields of one JSON object; None for anything else. Never raises."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    fields = _lines(text)
    return _json(text) if fields is None else fields


def _lines(text: str) -> dict[str, object] | None:
    """Read the line form, or None where a single line of it is not the plain form."""
    lines = text.split("\n")
    if len(lines) < 3 or lines[0] != "{" or lines[-2:] != ["}", ""]:
        return None
    fields: dict[str, object] = {}
    for number, line in enumerate(lines[1:-2], start=1):
        last = number == len(lines) - 3
        if line.endswith(",") == last or not line.startswith('  "'):
            return None
        key, colon, value = line[3 : len(line) if last else -1].partition('": ')
        found = _scalar(value)
        if not colon or key in fields or found is _ABSENT or not _PLAIN.issuperset(key):
            return None
        fields[key] = found
    return fields


def _scalar(text: str) -> object:
    if text in _WORDS:
        return _WORDS[text]
    if len(text) >= 2 and text[0] == text[-1] == '"' and _PLAIN.issuperset(text[1:-1]):
        return text[1:-1]
    digits = text[1:] if text.startswith("-") else text
    if not digits or len(digits) > 19 or not _DIGITS.issuperset(digits):
        return _ABSENT
    number = int(text)
    return number if str(number) == text and _is_kept(number) else _ABSENT


def _is_kept(number: int) -> bool:
    return -(2**63) <= number < 2**63


def _json(text: str) -> dict[str, object] | None:
    import json

    try:
        found = json.loads(text, object_pairs_hook=_unique)
        if not isinstance(found, dict):
            return None
        return {key: _kept(value) for key, value in found.items()}
    except (ValueError, RecursionError):
        return None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse a key that stands twice: a merge by union leaves two values, and neither is true."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a key stands twice")
    return fields


def _kept(value: object) -> object:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int) and _is_kept(value):
        return value
    import json

    return Raw(json.dumps(value, sort_keys=True, allow_nan=False))


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
    text = str(value)
    if _PLAIN.issuperset(text):
        return f'"{text}"'
    import json

    return json.dumps(text)
