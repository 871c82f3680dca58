"""drivers/opencode.py: the words of opencode."""

from __future__ import annotations

from launches import launch, provider, refusal


def test_the_prompt_is_joined_to_its_flag_and_comes_last() -> None:
    block = 'opencode { model "a/b"; prompt "-p q"; args "--auto"; }'
    assert provider("opencode-session", block) == (
        *("opencode", "--model", "a/b", "--auto", "--prompt=-p q"),
    )


def test_fields_that_are_not_set_add_no_word() -> None:
    for more in ("", "args;"):
        assert provider("opencode-session", f'opencode {{ prompt "p"; {more} }}') == (
            *("opencode", "--prompt=p"),
        )


def test_effort_is_refused_because_opencode_has_no_such_axis() -> None:
    error = refusal('opencode { prompt "p"; effort "high"; }')
    assert error.sentence == (
        "opencode: found effort, wanted model, prompt, args; opencode has no effort axis"
    )
    assert error.hint == "leave it out"


def test_opencode_finds_nothing_of_ours_in_the_workspace() -> None:
    assert launch('opencode { prompt "p"; }').render == ()
