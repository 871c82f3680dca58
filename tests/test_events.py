"""drivers/events.py: what hooks mean, row by row."""

from __future__ import annotations

import pytest

from drivers.claude import HOOK_EVENTS
from drivers.events import TABLES, is_ignored, meaning, session_of

CLAUDE = {
    "SessionStart": (None, "register"),
    "UserPromptSubmit": ("running", "beat"),
    "PreToolUse": ("running", "beat"),
    "PostToolUse": ("running", "beat"),
    "PostToolBatch": ("running", "beat"),
    "PermissionRequest": ("running", "beat"),
    "Notification": (None, "beat"),
    "Stop": ("running", "beat"),
    "StopFailure": (None, "beat"),
    "SessionEnd": ("success", "end"),
}
"""The table of the contract, spelled out."""


@pytest.mark.parametrize("event", CLAUDE)
def test_an_event_of_claude_means_what_the_table_says(event: str) -> None:
    found = meaning("claude", event)
    assert found is not None and (found.activity, found.session) == CLAUDE[event]


def test_every_event_that_is_registered_for_claude_is_understood_and_no_other() -> None:
    assert set(HOOK_EVENTS) == set(CLAUDE) == set(TABLES["claude"])


@pytest.mark.parametrize(
    ("harness", "event"),
    [("claude", "SubagentStop"), ("claude", "stop"), ("pi", "Stop"), ("claude", "notify")],
)
def test_any_other_event_means_nothing(harness: str, event: str) -> None:
    assert meaning(harness, event) is None


@pytest.mark.parametrize("harness", ["codex", "gemini"])
def test_the_life_of_a_session_has_its_two_ends_in_every_table(harness: str) -> None:
    start, end = meaning(harness, "SessionStart"), meaning(harness, "SessionEnd")
    assert start is not None and (start.activity, start.session) == (None, "register")
    assert end is not None and (end.activity, end.session) == ("success", "end")


def test_the_end_of_a_turn_of_codex_needs_no_event_before_it() -> None:
    found = meaning("codex", "notify")
    assert found is not None and (found.activity, found.session) == ("running", "enter")
    payload = {"type": "agent-turn-complete", "thread-id": "t", "session_id": "s"}
    assert not is_ignored("notify", payload) and session_of("notify", payload) == "t"
    assert is_ignored("notify", {"type": "something-new"})


@pytest.mark.parametrize(("payload", "ignored"), [({}, False), ({"agent_id": ""}, False)])
def test_an_empty_agent_id_is_the_session_s_own(payload: dict[str, object], ignored: bool) -> None:
    assert is_ignored("Stop", payload) is ignored
    assert is_ignored("Stop", {**payload, "agent_id": "a1"})
    assert session_of("Stop", {"session_id": "s", "thread-id": "t"}) == "s"
