"""A prompt arrives as it was written, whatever stands before it and whatever it begins with.

In terminals too: there the first task of ``test_terminal.py`` begins with a dash.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.launches import block, one_turn, prompt_of
from harness.seat import Seat

pytestmark = pytest.mark.harness
Take = Callable[[str], Seat]
ODD = '--help, then -x: it\'s "so" $HOME `id` \\n ünï\n* second line'
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def pixel(folder: Path) -> str:
    """A picture of one pixel, for a flag that takes pictures."""
    path = folder / "pixel.png"
    path.write_bytes(PIXEL)
    return str(path)


@pytest.mark.parametrize(
    "args",
    [
        ("--allowedTools", "Read", "Bash"),
        ("--add-dir", "/tmp", "/var/tmp"),
        ("--mcp-config", '{"mcpServers": {}}'),
        ("--dangerously-load-development-channels", "server:st2"),
    ],
    ids=lambda args: str(args[0]),
)
def test_no_flag_of_claude_swallows_the_prompt_however_many_values_it_takes(
    seat: Take, args: tuple[str, ...]
) -> None:
    taken = seat("claude")
    taken.launch(one_turn("claude", ODD, *args))
    done = taken.run_agent()
    assert done.code == 0, done.errors
    assert [prompt_of("claude", body) for body in taken.requests()] == [ODD]


def test_without_the_dashes_claude_does_swallow_it(seat: Take) -> None:
    """What the rule is for. When this fails, Claude Code has changed and so may the rule."""
    taken = seat("claude")
    taken.launch('exec { argv "claude" "-p" "--allowedTools" "Read" "a task" }')
    assert taken.run_agent().code == 1
    assert taken.requests() == []


def test_no_flag_of_codex_swallows_the_prompt(seat: Take) -> None:
    taken = seat("codex")
    taken.launch(one_turn("codex", ODD, "--image", pixel(taken.workspace)))
    done = taken.run_agent()
    assert done.code == 0, done.errors
    (body,) = taken.requests()
    assert prompt_of("codex", body) == ODD


@pytest.mark.parametrize("prompt", ["-x marks it", "@file of tasks"])
def test_pi_cannot_be_told_such_a_prompt_so_it_is_refused_before_anything_starts(
    seat: Take, prompt: str
) -> None:
    taken = seat("pi")
    taken.launch(block("pi", prompt, "-p"))
    refused = taken.run_agent()
    assert refused.code == 1
    assert "pi prompt" in refused.errors and repr(prompt[0]) in refused.errors
    assert taken.claim() == {} and taken.requests() == []


@pytest.mark.parametrize("words", [("-x marks it",), ("--", "a task")], ids=["dash", "dashes"])
def test_pi_itself_refuses_a_dash(seat: Take, words: tuple[str, ...]) -> None:
    """What that rule is for."""
    taken = seat("pi")
    argv = ("pi", "-p", "--model", "stub/stub-model", *words)
    taken.launch("exec { argv " + " ".join(f'"{each}"' for each in argv) + " }")
    assert taken.run_agent().code != 0
    assert taken.requests() == []
