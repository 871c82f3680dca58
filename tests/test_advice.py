"""Advisories: what a sound launch might want otherwise, told from the words that run."""

from __future__ import annotations

import pytest

from drivers.advice import advise, provider_of
from drivers.driver import Expansion, prefix

FLAG = "--dangerously-load-development-channels"


def wrapped(*words: str) -> tuple[str, ...]:
    return (*prefix("codex", "h1.a"), *words)


def advice(*argv: str) -> list[str]:
    return [each.code for each in advise(Expansion(argv=argv), "agent.kdl")]


@pytest.mark.parametrize("through", [wrapped, lambda *words: words], ids=["verb", "as written"])
@pytest.mark.parametrize(
    ("words", "codes"),
    [
        (("codex", "--", "hi"), ["codex-daemon"]),
        (("/opt/bin/codex", "--model", "m", "--", "--no-daemon"), ["codex-daemon"]),
        (("codex", "--no-daemon", "--", "hi"), []),
        (("codex", "exec", "--json", "--", "hi"), []),
        (("claude", "--", "hi"), ["claude-channels-off"]),
        (("claude", "--", FLAG), ["claude-channels-off"]),
        (("claude", f"{FLAG}-not", "--", "hi"), ["claude-channels-off"]),
        (("claude", "--model", f"x{FLAG}", "--", "hi"), ["claude-channels-off"]),
        (("claude", FLAG, "server:st2", "--", "hi"), ["claude-channels-dialog"]),
        (("claude", f"{FLAG}=server:st2", "--", "hi"), ["claude-channels-dialog"]),
        (("claude", FLAG), ["claude-channels-dialog"]),
        (("sh", "-c", "exec claude"), ["claude-channels-unknown"]),
        (("sh", "-c", "exec top"), []),
        (("sh", "claude"), []),
        (("top", "-c", "claude"), []),
        (("pi", "hi"), []),
    ],
)
def test_the_words_that_run_decide(
    through: object, words: tuple[str, ...], codes: list[str]
) -> None:
    assert callable(through)
    assert advice(*through(*words)) == codes


def test_an_advisory_stands_where_the_block_does() -> None:
    [finding] = advise(Expansion(argv=("codex", "hi")), "agents/h1/a/agent.kdl", (3, 5))
    assert finding.where == "agents/h1/a/agent.kdl:3:5"
    assert finding.message == (
        "codex: found no --no-daemon, wanted it: its TUI leaves processes behind"
    )
    assert finding.hint == 'write args "--no-daemon"'


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (
            ("claude", FLAG),
            (
                "claude: found the channels flag, so its start waits at a dialog every time",
                "leave dev-channels out where nobody is there to answer",
            ),
        ),
        (
            ("claude", "hi"),
            (
                "claude: found no channels flag, so it drops the notifications of our MCP server",
                "st2 sends none yet; dev-channels #true turns them on, "
                "with a dialog at every start",
            ),
        ),
        (
            ("sh", "-c", "claude"),
            (
                "a shell command: whether it gives claude the channels flag cannot be known",
                "use a claude block where messages are to arrive through channels",
            ),
        ),
    ],
)
def test_what_is_told_of_the_channels_has_its_way_out(
    argv: tuple[str, ...], told: tuple[str, str]
) -> None:
    [finding] = advise(Expansion(argv=argv), "agent.kdl")
    assert (finding.message, finding.hint) == told
    assert finding.where == "agent.kdl"


@pytest.mark.parametrize(
    ("argv", "provider"),
    [
        (wrapped("claude", "--", "x"), ("claude", "--", "x")),
        (("top", "--", "x"), ("top", "--", "x")),
        (("st2", "driver", "list"), ("st2", "driver", "list")),
        (("st2", "driver", "exec-session", "--", "top"), ("top",)),
        (("st2", "driver", "codex", "--"), ("st2", "driver", "codex", "--")),
        (("st2", "run", "x", "--", "driver"), ("st2", "run", "x", "--", "driver")),
    ],
)
def test_the_harnesss_own_words_follow_a_verb_of_ours(
    argv: tuple[str, ...], provider: tuple[str, ...]
) -> None:
    assert provider_of(argv) == provider
