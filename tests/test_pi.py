"""drivers/pi.py: the words of pi, and the prompts that cannot reach it."""

from __future__ import annotations

import pytest

from launches import launch, provider, refusal


def test_effort_is_thinking_and_the_prompt_is_the_last_word() -> None:
    block = 'pi { effort "low"; model "m"; prompt "p q"; args "--no-extensions"; }'
    assert provider("pi-session", block) == (
        *("pi", "--model", "m", "--thinking", "low", "--no-extensions", "p q"),
    )


def test_fields_that_are_not_set_add_no_word() -> None:
    for more in ("", "args;"):
        assert provider("pi-session", f'pi {{ prompt "p"; {more} }}') == ("pi", "p")


@pytest.mark.parametrize(("first", "kind"), [("-", "a flag"), ("@", "the name of a file")])
def test_a_prompt_that_pi_would_not_take_for_one_is_refused(first: str, kind: str) -> None:
    for prompt in (first, f"{first}x", f"{first}{first} y"):
        error = refusal(f'pi {{ prompt "{prompt}"; }}')
        assert error.sentence == (
            f"pi prompt: found '{first}' in front, which pi takes for {kind}, "
            "wanted another first letter"
        )
        assert error.hint == "begin with a word or a blank"


@pytest.mark.parametrize("prompt", ["", " -x", "x-", "a@b", "–x"])
def test_any_other_prompt_is_taken(prompt: str) -> None:
    assert provider("pi-session", f'pi {{ prompt "{prompt}"; }}') == ("pi", prompt)


def test_a_flag_in_args_is_the_users_own() -> None:
    assert provider("pi-session", 'pi { args "-x" "@f"; prompt "p"; }')[1:3] == ("-x", "@f")


def test_pi_finds_nothing_of_ours_in_the_workspace() -> None:
    assert launch('pi { prompt "p"; }').render == ()
