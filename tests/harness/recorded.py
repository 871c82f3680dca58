"""What the user's own hooks saw, and the field names that the pinned versions are known to send.

After a change of version run the tests once with ``ST2_WRITE_GOLDEN=1`` and read the difference.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from harness import jsonl

RECORDER = Path(__file__).with_name("recorder.py")
GOLDEN = Path(__file__).with_name("golden")
Fields = dict[str, list[str]]


class Recorded:
    """The log of the recorder, in the folder *home*."""

    def __init__(self, home: Path) -> None:
        self.log = home / "recorded.jsonl"

    def command(self, event: str) -> list[str]:
        """The words that record *event*."""
        return [sys.executable, "-I", str(RECORDER), str(self.log), event]

    def hook(self, event: str) -> dict[str, Any]:
        """One entry of Claude Code's settings that records *event*."""
        return {"hooks": [{"type": "command", "command": shlex.join(self.command(event))}]}

    def entries(self) -> list[dict[str, Any]]:
        """What was recorded so far, in order."""
        return jsonl.read(self.log)

    def events(self) -> list[str]:
        """The events so far, in order."""
        return [entry["event"] for entry in self.entries()]

    def payloads(self, event: str) -> list[dict[str, Any]]:
        """What came with each *event*."""
        return [entry["payload"] for entry in self.entries() if entry["event"] == event]

    def fields(self) -> Fields:
        """The names of the fields that each event came with, over all of its occurrences."""
        seen: dict[str, set[str]] = {}
        for entry in self.entries():
            seen.setdefault(entry["event"], set()).update(entry["payload"])
        return {event: sorted(names) for event, names in sorted(seen.items())}


def assert_as_known(name: str, fields: Fields) -> None:
    """Hold *fields* against ``golden/<name>.json``."""
    path = GOLDEN / f"{name}.json"
    if os.environ.get("ST2_WRITE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(fields, indent=2) + "\n")
    assert fields == json.loads(path.read_text())
