"""JSON for the fast path: the interpreter's own C scanner and encoder, without ``re``.

Importing ``json`` loads ``re`` and ``enum``, which costs as much as the roster itself. The C
halves that it uses need neither. Where they are missing (another interpreter) ``json`` serves.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_halves: Any
try:
    import _json as _halves
except ImportError:  # another interpreter than CPython
    _halves = None


def dumps(value: object) -> str:
    """Return *value* (str, int, float, bool, None, lists, dicts by str) as compact ASCII JSON."""
    if _halves is None:
        import json

        return json.dumps(value, separators=(",", ":"))
    quote = _halves.encode_basestring_ascii
    encode: Callable[[object, int], Any] = _halves.make_encoder(
        None, _refuse, quote, None, ":", ",", False, False, True
    )
    return "".join(encode(value, 0))


def quoted() -> Callable[[str], str]:
    """Return what makes a string's JSON text, for whoever puts a longer text together himself."""
    if _halves is None:
        return dumps
    quote: Callable[[str], str] = _halves.encode_basestring_ascii
    return quote


class _Strict:
    """What the C scanner asks of its context."""

    strict = True
    object_hook = None
    parse_int = int

    def __init__(self, *, unique: bool) -> None:
        self.memo: dict[str, str] = {}
        self.object_pairs_hook = _unique if unique else None
        self.parse_constant = _refuse_constant if unique else float
        self.parse_float = _finite if unique else float


def loads(raw: bytes, *, encoding: str = "ascii", unique: bool = False) -> object:
    """Return the value of exactly one JSON text without blanks around it, or None.

    Our own is ASCII; what another program wrote may say UTF-8. With *unique* a text that names
    a key twice in one object, or that holds NaN or an infinite number, is none.
    """
    try:
        text = raw.decode(encoding)
        if _halves is None:
            import json

            asked = _Strict(unique=unique)
            return json.loads(
                text,
                object_pairs_hook=asked.object_pairs_hook,
                parse_constant=asked.parse_constant,
                parse_float=asked.parse_float,
            )
        value, end = _halves.make_scanner(_Strict(unique=unique))(text, 0)
    except (ValueError, StopIteration, RecursionError, SystemError):
        # SystemError: the scanner wants the error class of a module that nobody has imported.
        return None
    return value if end == len(text) else None


_scan = None if _halves is None else _halves.make_scanner(_Strict(unique=False))


def flat_object(raw: bytes) -> dict[str, Any] | None:
    """Return the fields of an object that certainly names no key twice and holds no other object.

    A short way for what we wrote ourselves: None says nothing, ask :func:`loads`. Each key of a
    JSON text has a colon of its own, so where there are as many colons as keys, none stood twice;
    a colon in a string only makes it None. A number may be a float here, NaN and infinite too.
    """
    if _scan is None:
        return None
    try:
        text = raw.decode("ascii")
        value, end = _scan(text, 0)
    except (ValueError, StopIteration, RecursionError, SystemError):
        return None
    if end != len(text) or type(value) is not dict or text.count(":") != len(value):
        return None
    fields: dict[str, Any] = value
    return fields


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse a key that stands twice: a merge by union leaves two values, and neither is true."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError
    return fields


def _refuse_constant(name: str) -> object:
    """Refuse NaN and Infinity, which are no JSON."""
    raise ValueError


def _finite(text: str) -> float:
    """Refuse what is too large for a number: it would be infinite."""
    value = float(text)
    if value - value != 0:
        raise ValueError
    return value


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} has no JSON form")
