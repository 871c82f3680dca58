"""JSON-RPC 2.0 as the Model Context Protocol uses it: lines to messages, answers to frames.

Whatever the bytes are, there is a message or a refusal with its code; nothing here raises
anything else, and nothing grows beyond the limit of a line.
"""

from __future__ import annotations

import json

from catalog.json_text import dumps
from catalog.value import Value

Object = dict[str, object]

MAX_LINE = 1_048_576
"""The longest line that is kept, in bytes; the rest of a longer one is thrown away as it comes."""

PARSE_ERROR, INVALID_REQUEST, NO_METHOD = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603


class Refused(Exception):
    """A message that is answered by an error."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class Request(Value):
    """A request: what is asked for, and the id that its answer carries."""

    __slots__ = ("ident", "method", "params")

    def __init__(self, ident: str | int, method: str, params: Object) -> None:
        self.ident = ident
        self.method = method
        self.params = params


class Lines:
    """Cuts a stream into lines; one that is longer than *limit* is None in its place."""

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._kept = bytearray()
        self._over = False

    def feed(self, chunk: bytes) -> list[bytes | None]:
        """Return the lines that *chunk* completes, without their ends."""
        *whole, rest = chunk.split(b"\n")
        lines = []
        for part in whole:
            self._keep(part)
            lines.append(self._taken())
        self._keep(rest)
        return lines

    def end(self) -> list[bytes | None]:
        """Return what stands after the last line end, if anything does."""
        return [self._taken()] if self._kept or self._over else []

    def _keep(self, part: bytes) -> None:
        self._over = self._over or len(self._kept) + len(part) > self._limit
        if self._over:
            self._kept.clear()
        else:
            self._kept += part  # in place: a client may write byte by byte

    def _taken(self) -> bytes | None:
        line = None if self._over else bytes(self._kept)
        self._kept, self._over = bytearray(), False
        return line


def parse(line: bytes) -> object:
    """Return the JSON value of a line, or raise :class:`Refused`."""
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError, MemoryError):
        raise Refused(PARSE_ERROR, "found no JSON in UTF-8, wanted one message a line") from None


def request(message: object) -> Request | None:
    """Return a request; None for a notification or an answer, which get none."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise Refused(INVALID_REQUEST, "found no JSON-RPC 2.0 object, wanted one")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    ident, method, params = message.get("id"), message.get("method"), message.get("params")
    if not isinstance(method, str):
        raise Refused(INVALID_REQUEST, f"method: found {shown(method)}, wanted a string")
    if "id" not in message:
        return None
    if not isinstance(ident, str | int) or isinstance(ident, bool):
        raise Refused(INVALID_REQUEST, f"id: found {shown(ident)}, wanted a string or an integer")
    if params is not None and not isinstance(params, dict):
        raise Refused(INVALID_PARAMS, f"params: found {shown(params)}, wanted an object")
    return Request(ident, method, params or {})


def ident_of(message: object) -> str | int | None:
    """Return the id that an error about *message* carries; None where it has no good one."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def result(ident: str | int, value: Object) -> Object:
    """Return the answer to a request."""
    return {"jsonrpc": "2.0", "id": ident, "result": value}


def error(ident: str | int | None, refused: Refused) -> Object:
    """Return the answer that says why there is none."""
    told = {"code": refused.code, "message": str(refused)}
    return {"jsonrpc": "2.0", "id": ident, "error": told}


def frame(message: object) -> bytes:
    """Return one line of ASCII."""
    return dumps(message).encode("ascii") + b"\n"


def shown(value: object) -> str:
    """Describe what was found in a bounded number of letters."""
    if isinstance(value, str):
        return ascii(value) if len(value) <= 60 else f"{value[:60]!a}..."
    if isinstance(value, list | dict):
        return "an object" if isinstance(value, dict) else "an array"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "nothing" if value is None else str(value)[:60]


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")
