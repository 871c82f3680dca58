"""What sync that goes on says of each event: the line, and the object."""

from __future__ import annotations

import json

import pytest

from catalog.sync import events
from catalog.sync.policy import Policy
from catalog.sync.publish import Published
from catalog.sync_errors import BadSettings, SyncFailed
from st2.sync_events import event_json, line

POLICY = Policy(publish_ms=90_000, collect_ms=1_500)


def done(**more: object) -> Published:
    fields: dict[str, object] = {
        "oid": "a" * 40,
        "seq": 7,
        "beat_ms": 8,
        "size": 8_250,
        "records": 12,
        "tries": 1,
        "ended": (),
        "findings": (),
    }
    return Published(**{**fields, **more})  # type: ignore[arg-type]


EVENTS: list[tuple[events.Event, str, dict[str, object]]] = [
    (
        events.Began(POLICY),
        "watching: publishing each 90 s, collecting each 1.5 s",
        {"event": "began", "publishMs": 90_000, "collectMs": 1_500},
    ),
    (
        events.DidPublish(done()),
        "published 12 records, 8 KB, 1 try",
        {
            "event": "published",
            "records": 12,
            "bytes": 8_250,
            "tries": 1,
            "seq": 7,
            "beatMs": 8,
            "ended": [],
        },
    ),
    (
        events.DidPublish(done(records=1, size=999, tries=2, ended=("a1", "a2"))),
        "published 1 record, 999 B, 2 tries, ended lost sessions of a1, a2",
        {
            "event": "published",
            "records": 1,
            "bytes": 999,
            "tries": 2,
            "seq": 7,
            "beatMs": 8,
            "ended": ["a1", "a2"],
        },
    ),
    (
        events.DidCollect(("h2", "h3")),
        "collected h2, h3",
        {"event": "collected", "hosts": ["h2", "h3"]},
    ),
    (
        events.Ended(["a1"]),
        "ended lost sessions of a1",
        {"event": "ended", "ended": ["a1"]},
    ),
    (
        events.Failed("publish", SyncFailed("remote", "did not answer"), 4_000),
        "no publish: remote: did not answer, trying again in 4 s",
        {
            "event": "failed",
            "what": "publish",
            "code": "sync-failed",
            "message": "remote: did not answer",
            "retryMs": 4_000,
        },
    ),
    (
        events.Recovered("collect", 5, 200_000),
        "collect works again after 3 min, 5 tries",
        {"event": "recovered", "what": "collect", "tries": 5, "lastedMs": 200_000},
    ),
    (events.Warned("odd"), "warning: odd", {"event": "warning", "message": "odd"}),
    (
        events.Degraded("a share"),
        "warning: looking at the folders instead of waiting for events: a share",
        {"event": "degraded", "message": "a share"},
    ),
    (
        events.Resumed(7_200_000),
        "the machine slept for 2 h: a round at once",
        {"event": "resumed", "lastedMs": 7_200_000},
    ),
    (
        events.Reread(POLICY),
        "settings read again: publishing each 90 s, collecting each 1.5 s",
        {"event": "settings", "publishMs": 90_000, "collectMs": 1_500},
    ),
    (
        events.KeptSettings(BadSettings("intervals", "too long")),
        "warning: settings not used, the old ones stay: intervals: too long",
        {
            "event": "settings-refused",
            "code": "bad-settings",
            "message": "intervals: too long",
        },
    ),
    (events.Stopped(False), "stopped", {"event": "stopped"}),
    (
        events.Stopped(True),
        "stopped, what was running is abandoned",
        {"event": "stopped"},
    ),
]


@pytest.mark.parametrize(("event", "words", "fields"), EVENTS)
def test_each_event_has_its_line_and_its_object(
    event: events.Event, words: str, fields: dict[str, object]
) -> None:
    assert line(event) == words
    printed = json.loads(event_json(event, host="h1", now_ms=5))
    known = {key: value for key, value in printed.items() if value is not None}
    assert known == {"atMs": 5, "host": "h1", **fields}


def test_every_kind_of_event_is_here() -> None:
    kinds = {type(event) for event, _, _ in EVENTS}
    assert kinds == set(events.Event.__args__)


@pytest.mark.parametrize("text", ["\x1b[31m", "\u202e", "a\nb", "\udcff", "A" * 100_000])
def test_hostile_text_is_escaped_in_lines_and_lossless_in_objects(text: str) -> None:
    """Case F17."""
    event = events.Warned(text)
    assert line(event).isprintable()
    printed = event_json(event, host="h1", now_ms=5)
    assert printed.isascii() and printed.count("\n") == 1
    assert json.loads(printed)["message"] == text
