"""Host and agent of a declaration of the plain form, without the KDL parser.

The verbs and ``st2 status`` need these facts of ``agent.kdl``, and the parser's import costs
them more than all the rest of their start. This scan answers only for what nearly everybody
writes: printable text, one ``agent "name" {``, then a line for each node, every value a simple
quoted string or ``#true``/``#false``, braces at the ends of lines. Anything else (an escape, a
comment, a raw string, ``;``, a number, ``identity``, ``desired-state``) is None: parse it whole.

Where it answers, :func:`catalog.declaration.parse` finds the same host and agent, to be run.
It does not see what makes such a declaration unusable for a launch: a duplicate or missing
field, two driver blocks, a text that is too long.
"""

from __future__ import annotations

from catalog import names
from catalog.value import Value

MAX_LINE = 1_000
"""Below the length at which a run of digits is refused by the whole parser."""

MAX_BYTES = 65_536
MAX_DEPTH = 8
_BLANKS = {0x0A: " ", 0x09: " "}
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
_FIRST = tuple("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_KEYWORDS = ("true", "false", "null", "inf", "nan")
_DECIDES_MORE = ("identity", "desired-state")


class PlainFacts(Value):
    """Who is declared to run. ``host`` is None where the content does not name one."""

    __slots__ = ("agent", "host")

    def __init__(self, agent: str, host: str | None) -> None:
        self.agent = agent
        self.host = host


class _Line(Value):
    """A line of the plain form; ``args`` is None where it holds more than strings."""

    __slots__ = ("args", "closes", "name", "opens")

    def __init__(
        self,
        name: str = "",
        args: list[str] | None = None,
        opens: bool = False,
        closes: bool = False,
    ) -> None:
        self.name = name
        self.args = args
        self.opens = opens
        self.closes = closes


def facts(raw: bytes) -> PlainFacts | None:
    """Return the facts of a declaration of the plain form, None for any other bytes."""
    if len(raw) > MAX_BYTES or b"\\" in raw:
        return None
    try:
        whole = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if not whole.translate(_BLANKS).isprintable():
        return None
    agent = host = None
    depth = 0
    for text in whole.split("\n"):
        line = _line(text.strip(" \t")) if len(text) <= MAX_LINE else None
        if line is None or (depth == 1 and line.name in _DECIDES_MORE):
            return None
        is_agent = depth == 0 and line.name != ""
        if is_agent and (agent or not line.opens or not (agent := _only(line, "agent"))):
            return None
        is_host = depth == 1 and line.name == "host"
        if is_host and (host is not None or line.opens or not (host := _only(line, "host"))):
            return None
        depth += line.opens - line.closes
        if not 0 <= depth <= MAX_DEPTH:
            return None
    if depth or agent is None or not names.is_agent(agent) or not names.is_host(host or "h"):
        return None
    return PlainFacts(agent, host)


def _only(line: _Line, name: str) -> str | None:
    """Return the one non-empty string of a line *name*."""
    if line.name != name or line.args is None or len(line.args) != 1:
        return None
    return line.args[0] or None


def _line(text: str) -> _Line | None:
    """Take apart a line without its indent: nothing, ``}``, or a node."""
    if text in ("", "}"):
        return _Line(closes=text == "}")
    head, *rest = text.split('"')
    name, _, keyword = head.partition(" ")
    if not _is_word(name):
        return None
    if not rest:
        after = keyword.strip(" ")
        if after in ("#true", "#false"):
            return _Line(name)
        return _Line(name, [], opens=after == "{") if after in ("", "{") else None
    between, end = [head[len(name) :], *rest[1:-1:2]], rest[-1].strip(" ")
    if len(rest) % 2 or end not in ("", "{") or (end and rest[-1][0] != " "):
        return None
    properties = [part.strip(" ") for part in between]
    if not all(part.startswith(" ") for part in between):
        return None
    if not all(part == "" or (part[-1] == "=" and _is_word(part[:-1])) for part in properties):
        return None
    return _Line(name, None if any(properties) else rest[::2], opens=end == "{")


def _is_word(text: str) -> bool:
    return text[:1] in _FIRST and _WORD.issuperset(text) and text not in _KEYWORDS
