"""What is worth knowing of a launch that is sound: a person may want to write it otherwise.

An *advisory* can be acted on, so a strict check counts it. A *note* cannot: either way has its
price, or nothing can be known. Nothing of this is asked when a launch is expanded or run.
"""

from __future__ import annotations

from catalog.finding import Finding
from drivers.claude import CHANNELS
from drivers.driver import PROGRAM, Expansion

NOTES = ("claude-channels-off", "claude-channels-unknown")
"""The codes of notes; every other code here is an advisory's."""

NO_DAEMON = "--no-daemon"
Advice = tuple[str, str, str]
"""A code, a sentence, the way out."""

_SHELLS = ("sh", "bash", "zsh", "dash", "ksh", "fish")


def advise(expansion: Expansion, path: str, place: tuple[int, int] | None = None) -> list[Finding]:
    """Return the advisories and notes about a launch that the file *path* declares at *place*."""
    line, column = place or (None, None)
    return [
        Finding(code, sentence, path, hint, line=line, column=column)
        for code, sentence, hint in _advice(expansion)
    ]


def _advice(expansion: Expansion) -> list[Advice]:
    words = provider_of(expansion.argv)
    program, options = words[0].rpartition("/")[2], _options(words)
    if program == "codex" and NO_DAEMON not in options and "exec" not in options:
        sentence = "codex: found no --no-daemon, wanted it: its TUI leaves processes behind"
        return [("codex-daemon", sentence, 'write args "--no-daemon"')]
    if program == "claude":
        return [_channels(options)]
    if program in _SHELLS and "-c" in options and any("claude" in word for word in words):
        sentence = "a shell command: whether it gives claude the channels flag cannot be known"
        hint = "use a claude block where messages are to arrive through channels"
        return [("claude-channels-unknown", sentence, hint)]
    return []


def provider_of(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return the harness's own words: what follows ``--`` where a verb of ours starts it."""
    if argv[0] == PROGRAM and "driver" in argv[:4] and "--" in argv[:-1]:
        return argv[argv.index("--") + 1 :]
    return argv


def _options(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words that can be options: those before the ``--`` of the prompt."""
    return words[1 : words.index("--")] if "--" in words else words[1:]


def _channels(options: tuple[str, ...]) -> Advice:
    if any(word == CHANNELS or word.startswith(f"{CHANNELS}=") for word in options):
        sentence = "claude: found the channels flag, so its start waits at a dialog every time"
        hint = "leave dev-channels out where nobody is there to answer"
        return "claude-channels-dialog", sentence, hint
    sentence = "claude: found no channels flag, so it drops the notifications of our MCP server"
    hint = "st2 sends none yet; dev-channels #true turns them on, with a dialog at every start"
    return "claude-channels-off", sentence, hint
