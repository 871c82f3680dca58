"""The vectors of spec/vectors, which any other implementation can run as well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from catalog.reading import beat_bytes, first_beat_bytes, read_status, set_bytes
from catalog.seen import Content, Found, Missing, Unreadable
from catalog.windows import RECORD_BYTES

VECTORS = Path(__file__).parent.parent / "spec" / "vectors"
ROWS = [
    pytest.param(row, id=f"{path.stem}:{row['id']}")
    for path in sorted(VECTORS.glob("*.json"))
    for row in json.loads(path.read_text("utf-8"))
]
KEYS = {"id", "note", "now_ms", "state", "why", "source", "age_ms", "stamp_ms"}
WRITES = {"beat", "first_beat", "set_away"}


def found(row: dict[str, Any]) -> Found:
    """What a bounded read of that file gives; one byte past the limit says there is more."""
    if "missing" in row:
        return Missing()
    if "unreadable" in row:
        return Unreadable(row["unreadable"])
    tail, times = row.get("then", ["", 0])
    raw = bytes.fromhex(row["bytes"]) + bytes.fromhex(tail) * times
    return Content(raw[: RECORD_BYTES + 1], row["mtime_ms"])


def written(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)


@pytest.mark.parametrize("row", ROWS)
def test_a_status_reads_as_its_vector_says(row: dict[str, Any]) -> None:
    reading = read_status(found(row), now_ms=row["now_ms"])
    assert (reading.state, reading.why, reading.source, reading.age_ms, reading.stamp_ms) == (
        *(row["state"], row["why"], row["source"], row["age_ms"], row["stamp_ms"]),
    )


@pytest.mark.parametrize("row", ROWS)
def test_beat_first_beat_and_set_write_what_the_vector_says(row: dict[str, Any]) -> None:
    seen, now_ms = found(row), row["now_ms"]
    assert beat_bytes(seen, now_ms=now_ms) == written(row["beat"])
    assert first_beat_bytes(seen, now_ms=now_ms) == written(row["first_beat"])
    assert set_bytes(seen, "away", now_ms=now_ms) == written(row["set_away"])


@pytest.mark.parametrize("row", ROWS)
def test_every_vector_is_complete(row: dict[str, Any]) -> None:
    assert row.keys() >= KEYS | WRITES
    assert len(row.keys() & {"bytes", "missing", "unreadable"}) == 1


def test_every_class_and_every_reason_of_a_reading_has_a_vector() -> None:
    rows = [param.values[0] for param in ROWS]
    assert {row["why"] for row in rows} == {  # type: ignore[call-overload, index]
        *("fresh", "stale", "future", "missing", "unreadable"),
        *("invalid-state", "literal-unknown", "malformed", "newer-version"),
    }
