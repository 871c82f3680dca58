"""``session.json`` in any layout of JSON: a claim or why it is none, and what is kept of it."""

from __future__ import annotations

import json

from catalog import flat
from catalog.claim import Claim, UnreadableClaim, end, parse, render
from catalog.merging import Place, merge
from catalog.reader import read_claim
from catalog.seen import Content
from catalog.succession import decide
from catalog.windows import SESSION_BYTES
from fuzz.told import check_escaped, check_plain
from st2.roster_json import session_json

REACHED = frozenset(
    (
        *("claim", "ended", "unknown keys", "kept text", "UnreadableClaim", "no object", "another"),
        *("flat", "newer"),
    )
)
OTHER = render(
    Claim(
        agent="a1",
        host="h1",
        session="s2",
        generation=3,
        registered_by="hook",
        started_ms=5,
        took_over=False,
    )
)
GROWING = {
    "nesting": lambda size: b'{"a": ' + b"[" * size + b"]" * size + b"}",
    "keys": lambda size: b"{" + b",".join(b'"%d": 1' % n for n in range(size)) + b"}",
    "digits": lambda size: b'{"v": 1' + b"0" * size + b"}",
    "blanks": lambda size: b" " * size + b"{}",
    "escapes": lambda size: b'{"v": "' + b"\\ud800" * size + b'"}',
}


def check(data: bytes) -> set[str]:
    """Read as fields, as a claim of an agent, in a merge; write back; print."""
    reached = set()
    fields = flat.read(data)
    if fields is not None:
        line_form = flat.render(fields)
        assert (
            flat.read(line_form) == fields and flat.render(flat.read(line_form) or {}) == line_form
        )
        assert json.loads(data.decode(), strict=True).keys() == fields.keys()
        reached.add("flat")
        reached |= {"kept text"} if any(isinstance(v, flat.Raw) for v in fields.values()) else set()
    found = parse(data)
    place = Place("h1", "a1", "session.json")
    kept = merge(place, data, OTHER)
    assert kept == merge(place, OTHER, data) and kept in (OTHER, data[: place.limit + 1])
    if isinstance(found, UnreadableClaim):
        check_escaped(found.why)
        words = {"no object"} if fields is None else set()
        words |= {"newer"} if found.why.startswith("version") else set()
        return reached | words | {"UnreadableClaim"}
    written = render(found)
    assert len(written) <= SESSION_BYTES
    again = parse(written)
    assert again == found or (found.extra and isinstance(again, Claim) and not again.extra)
    assert render(end(found, "stopped", None, now_ms=5)) and json.dumps(session_json(found))
    decided = decide(found, "s9", verdict="alive", refreshed_ms=None, force=False, now_ms=5)
    assert (type(decided).__name__ == "New") == found.ended
    own = read_claim(Content(data, 5), found.host, found.agent)
    assert own == found
    check_plain(repr(found))
    reached |= {"ended"} if found.ended else set()
    reached |= {"unknown keys"} if found.extra else set()
    reached |= {"another"} if (found.host, found.agent) != ("h1", "a1") else set()
    return reached | {"claim"}
