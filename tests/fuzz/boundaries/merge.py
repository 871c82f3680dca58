"""Somebody's settings file, and what is merged into it: in three parts, with how arrays meet.

``union`` or ``replace``, a line of two dashes, the file, a line of two dashes, the object.
"""

from __future__ import annotations

import json

from catalog import json_text
from drivers.json_edit import NotEditable, read, same, value_of
from drivers.merge import take_out, upsert
from fuzz.told import check_escaped, parts

OURS = {
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "st2 driver hook claude Stop"}]}],
    },
    "mcpServers": {"st2": {"command": "st2", "args": ["driver", "claude-mcp"]}},
}
DEEPEST = 30
REACHED = frozenset(
    (
        *("no text", "refused", "merged", "replaced", "unchanged", "made", "undone", "taken"),
        *("union", "replace", "ours", "given", "crlf", "tabs", "superseded"),
    )
)
_STOP = '{"hooks": {"Stop": ['
_HOOK = '{"hooks": [{"command": "x driver hook claude Stop"}]}'


def _file(text: str, value: str = "", arrays: str = "union") -> bytes:
    return f"{arrays}\n--\n{text}\n--\n{value}".encode()


GROWING = {
    "keys": lambda size: _file("{" + ",".join(f'"k{n}": 1' for n in range(size)) + "}"),
    "nesting": lambda size: _file("[" * size + "]" * size),
    "nesting in an array": lambda size: _file(
        _STOP + "[" * (size // 4) + "1" + "]" * (size // 4) + "]}}"
    ),
    "blanks": lambda size: _file("{" + " " * size + "}"),
    "a string": lambda size: _file('{"a": "' + "\\u1234" * size + '"}'),
    "entries of ours": lambda size: _file(_STOP + ",".join([_HOOK] * size) + "]}}"),
    "entries of others": lambda size: _file(_STOP + ",".join(["1"] * size) + "]}}"),
    "what is merged": lambda size: _file(
        '{"l": [' + ",".join(f'"a{n}"' for n in range(size)) + "]}",
        '{"l": [' + ",".join(f'"b{n}"' for n in range(size)) + "]}",
    ),
    "members that are merged": lambda size: _file(
        "{" + ",".join(f'"a{n}": 1' for n in range(size)) + "}",
        "{" + ",".join(f'"a{n}": 2' for n in range(size)) + "}",
    ),
}


def check(data: bytes) -> set[str]:
    """Merge twice, take out twice; what we did not name stays, and what we added goes."""
    arrays, text, given = (part.decode("utf-8", "replace") for part in parts(data, 3))
    arrays = "replace" if arrays == "replace" else "union"
    value = _value(given)
    reached = {arrays, "ours" if value is OURS else "given"}
    try:
        after = upsert(text, value, arrays)
    except NotEditable as error:
        check_escaped(str(error))
        return reached | {"refused"}
    assert upsert(after, value, arrays) == after
    if not text.strip():
        assert json.loads(after) == value
        return reached | {"no text"}
    before, merged = read(text), read(after)
    assert before.text() == text and merged.text() == after
    old, new = value_of(before.root), value_of(merged.root)
    assert isinstance(old, dict) and isinstance(new, dict)
    for key in old.keys() - value.keys():
        assert same(old[key], new[key])
    assert list(new)[: len(old)] == list(old) and new.keys() == old.keys() | value.keys()
    reached |= {"unchanged"} if after == text else {"merged"}
    reached |= {"crlf"} if "\r\n" in text else set()
    reached |= {"tabs"} if "\n\t" in text else set()
    reached |= (
        {"superseded"} if arrays == "union" and after.count("hook") < text.count("hook") else set()
    )
    reached |= _without(text, after, old, value, arrays)
    return reached


def _without(
    text: str, after: str, old: dict[str, object], value: dict[str, object], arrays: str
) -> set[str]:
    rest = take_out(after, value, arrays)  # type: ignore[arg-type]
    reached = {"taken"}
    if not old.keys() & value.keys():
        assert rest == text or (rest is None and not old)
        reached.add("undone")
    elif rest is not None and rest != text:
        reached.add("replaced")
    if rest is None:
        return reached | {"made"}
    assert take_out(rest, value, arrays) in (rest, None)  # type: ignore[arg-type]
    return reached


def _value(given: str) -> dict[str, object]:
    """Return the object that is merged, which is one that a declaration can hold; else ours."""
    try:
        found = json_text.loads(given.encode(), encoding="utf-8", unique=True)
        json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, UnicodeEncodeError, RecursionError):
        return OURS  # type: ignore[return-value]
    fits = isinstance(found, dict) and found and _depth(found) <= DEEPEST
    return found if fits else OURS  # type: ignore[return-value]


def _depth(value: object) -> int:
    below = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(below, list):
        return 0
    return 1 + max(map(_depth, below), default=0)
