"""drivers/gemini.py: the words of Gemini, and the lines that its user may want."""

from __future__ import annotations

import json

from drivers.events import meaning
from drivers.gemini import HOOK_EVENTS, Gemini, settings
from launches import launch, provider, sentence


def test_the_prompt_is_joined_to_its_flag_and_comes_last() -> None:
    block = 'gemini { model "m"; prompt "-p q"; args "--yolo"; }'
    assert provider("gemini-session", block) == (
        *("gemini", "--model", "m", "--yolo", "--prompt-interactive=-p q"),
    )


def test_fields_that_are_not_set_add_no_word() -> None:
    for more in ("", "args;"):
        assert provider("gemini-session", f'gemini {{ prompt "p"; {more} }}') == (
            *("gemini", "--prompt-interactive=p"),
        )


def test_effort_is_refused_because_gemini_has_no_such_axis() -> None:
    assert sentence('gemini { prompt "p"; effort "high"; }') == (
        "gemini: found effort, wanted model, prompt, args; gemini has no effort axis"
    )


def test_gemini_finds_nothing_of_ours_in_the_workspace() -> None:
    assert launch('gemini { prompt "p"; }').render == ()


def test_the_lines_for_the_users_own_settings_are_json_with_a_hook_for_each_event() -> None:
    shown = settings()
    assert shown == Gemini.about.settings
    assert shown.file == "~/.gemini/settings.json"
    assert shown.lines[:2] == ("{", '  "hooks": {')
    hooks = json.loads("\n".join(shown.lines))["hooks"]
    assert tuple(hooks) == HOOK_EVENTS
    for event, [entry] in hooks.items():
        assert meaning("gemini", event) is not None
        assert entry == {
            "hooks": [{"type": "command", "command": f"st2 driver hook gemini {event}"}]
        }
