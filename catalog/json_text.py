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


class _Strict:
    """What the C scanner asks of its context."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float

    def __init__(self) -> None:
        self.memo: dict[str, str] = {}


def loads(raw: bytes, *, encoding: str = "ascii") -> object:
    """Return the value of exactly one JSON text without blanks around it, or None.

    Our own is ASCII; what another program wrote may say UTF-8.
    """
    try:
        text = raw.decode(encoding)
        if _halves is None:
            import json

            return json.loads(text)
        value, end = _halves.make_scanner(_Strict())(text, 0)
    except (ValueError, StopIteration, RecursionError, SystemError):
        # SystemError: the scanner wants the error class of a module that nobody has imported.
        return None
    return value if end == len(text) else None


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} has no JSON form")
