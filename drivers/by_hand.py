"""What of ours stands in a JSON file that is not edited: only a person can take it out again.

Its text is searched, for it need not be JSON: it has comments, a byte order mark, a fault.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from catalog.json_nodes import Json
from drivers.entries import endings_of
from drivers.merge import server_args


def standing(raw: bytes, value: Mapping[str, Json]) -> dict[str, Json]:
    """Return the part of *value* that a file holds, by its bytes; {} where it holds nothing of it.

    A hook is known by the ending of its command and a server by its words, as where they are
    taken out; of anything else keys and scalars are looked for.
    """
    text = raw.decode(json.detect_encoding(raw), "replace")
    return {key: part for key, new in value.items() for part in _part(text, key, new)}


def _part(text: str, key: str, new: Json) -> list[Json]:
    """Return what is there of the member *key*: one part of *new*, or none."""
    if not _has(text, key):
        return []
    if isinstance(new, dict) and server_args(new) is None and new:
        parts = {inner: part for inner, each in new.items() for part in _part(text, inner, each)}
        return [parts] if parts else []
    if isinstance(new, list) and new:
        items = [item for item in new if _is_whole(text, item)]
        return [items] if items else []
    return [new] if _is_whole(text, new) else []


def _is_whole(text: str, value: Json) -> bool:
    """Say whether all that makes a value what it is stands in the text."""
    [endings] = endings_of([value])
    if endings:
        return any(json.dumps(ending)[1:] in text for ending in endings)
    if isinstance(value, dict):
        known = server_args(value)
        if known is not None:
            return all(_has(text, word) for word in known)
        return all(_has(text, key) and _is_whole(text, each) for key, each in value.items())
    if isinstance(value, list):
        return all(_is_whole(text, each) for each in value)
    return _has(text, value)


def _has(text: str, value: Json) -> bool:
    written = {json.dumps(value), json.dumps(value, ensure_ascii=False)}
    if isinstance(value, str):
        return any(each in text for each in written)
    [word] = written
    return re.search(rf"(?<![\w.+-]){re.escape(word)}(?![\w.+-])", text) is not None
