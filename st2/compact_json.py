"""One value as compact JSON, without loading the `json` package where that can be helped.

`json` brings `re` and `enum` with its decoder, a fifth of an interpreter's start, on a path that
only writes. The encoder in C that it would call is asked directly; where there is none, or it
takes other arguments, `json` itself answers. A test holds both to the same text.
"""

from __future__ import annotations


def compact(value: object) -> str:
    """Return *value* (objects, arrays, texts, numbers, true, false, null) as one line of ASCII."""
    try:
        from _json import encode_basestring_ascii, make_encoder

        encode = make_encoder(
            None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, False
        )
        return "".join(encode(value, 0))
    except (ImportError, TypeError):
        return by_json(value)


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is not a value of JSON")


def by_json(value: object) -> str:
    """Return the same from the `json` package."""
    import json

    return json.dumps(value, separators=(",", ":"), allow_nan=False)
