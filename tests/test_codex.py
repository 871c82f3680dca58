"""drivers/codex.py: the words of Codex."""

from __future__ import annotations

import tomllib

from drivers.codex import Codex
from drivers.events import meaning
from launches import launch, provider


def test_effort_is_a_setting_and_the_prompt_comes_after_two_dashes() -> None:
    block = 'codex { effort "low"; model "m"; prompt "-p"; args "--no-daemon"; }'
    assert provider("codex", block) == (
        *("codex", "--model", "m", "-c", "model_reasoning_effort=low", "--no-daemon", "--", "-p"),
    )


def test_fields_that_are_not_set_add_no_word() -> None:
    for more in ("", "args;"):
        assert provider("codex", f'codex {{ prompt "p"; {more} }}') == ("codex", "--", "p")


def test_codex_finds_nothing_of_ours_in_the_workspace() -> None:
    assert launch('codex { prompt "p"; }').render == ()


def test_the_line_for_the_users_own_configuration_is_toml() -> None:
    settings = Codex.about.settings
    assert settings is not None
    assert tomllib.loads("\n".join(settings.lines)) == {
        "notify": ["st2", "driver", "hook", "codex", "notify"]
    }
    assert meaning("codex", "notify") is not None
