"""drivers/omp.py: the words of oh-my-pi, which are pi's."""

from __future__ import annotations

from launches import launch, provider, sentence


def test_effort_is_thinking_and_the_prompt_is_the_last_word() -> None:
    block = 'omp { effort "low"; model "m"; prompt "p q"; args "-a"; }'
    assert provider("omp-session", block) == (
        *("omp", "--model", "m", "--thinking", "low", "-a", "p q"),
    )


def test_fields_that_are_not_set_add_no_word() -> None:
    for more in ("", "args;"):
        assert provider("omp-session", f'omp {{ prompt "p"; {more} }}') == ("omp", "p")


def test_a_prompt_that_omp_would_not_take_for_one_is_refused() -> None:
    assert sentence('omp { prompt "-x"; }') == (
        "omp prompt: found '-' in front, which omp takes for a flag, wanted another first letter"
    )


def test_omp_finds_nothing_of_ours_in_the_workspace() -> None:
    assert launch('omp { prompt "p"; }').render == ()
