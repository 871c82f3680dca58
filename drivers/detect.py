"""Which harness called us, where nobody wrapped it: a function of environment and ancestors."""

from __future__ import annotations

from catalog.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from catalog.system.ancestry import Ancestor

VARIABLES = (
    ("grok", "GROK_AGENT", "1", None),
    ("claude", "CLAUDECODE", "1", "CLAUDE_CODE_SESSION_ID"),
    ("codex", "CODEX_THREAD_ID", None, "CODEX_THREAD_ID"),
    ("codex", "CODEX_MANAGED_BY_NPM", "1", "CODEX_THREAD_ID"),
    ("antigravity", "ANTIGRAVITY_AGENT", "1", None),
    ("gemini", "GEMINI_CLI", "1", None),
    ("opencode", "OPENCODE", "1", "OPENCODE_RUN_ID"),
    ("cursor", "CURSOR_AGENT", None, None),
    ("copilot", "COPILOT_CLI", "1", None),
)
"""Harness, the variable that it sets, the value (None: any), and where its session's id stands.

In the order in which they are asked: a harness that is started by another one inherits the other's
variables, so the ones that are seen innermost come first. ``CLAUDE_CODE_EXECPATH`` proves nothing.
"""

PROGRAMS = {
    "agy": "antigravity",
    "claude": "claude",
    "codex": "codex",
    "gemini": "gemini",
    "opencode": "opencode",
    "pi": "pi",
}
"""The base name of argv[0], and the harness that it is."""

_INTERPRETERS = ("node", "nodejs", "bun")


class Detected(Value):
    """A harness, the id of its session where it tells one, and its process where one is seen."""

    __slots__ = ("harness", "process", "token")

    def __init__(self, harness: str, token: str | None, process: Ancestor | None) -> None:
        self.harness = harness
        self.token = token
        self.process = process


def detect(environ: Mapping[str, str], above: Sequence[Ancestor]) -> Detected | None:
    """Return the harness around us: by its variables, else the nearest ancestor that is one."""
    for harness, variable, value, token in VARIABLES:
        found = environ.get(variable)
        if found and value in (None, found):
            told = environ.get(token) if token else None
            return Detected(harness, told or None, process_of(harness, above))
    for ancestor in above:
        named = harness_of(ancestor.argv)
        if named is not None:
            return Detected(named, None, ancestor)
    return None


def process_of(harness: str, above: Sequence[Ancestor]) -> Ancestor | None:
    """Return the nearest ancestor that is *harness*."""
    for ancestor in above:
        if harness_of(ancestor.argv) == harness:
            return ancestor
    return None


def harness_of(argv: Sequence[str]) -> str | None:
    """Return the harness that an argument vector starts, by the base name of its program.

    A script is called by what interprets it: then its own name, the first word that is no option.
    """
    if not argv:
        return None
    name = argv[0].rpartition("/")[2]
    if name in _INTERPRETERS:
        script = next((word for word in argv[1:] if not word.startswith("-")), "")
        name = script.rpartition("/")[2].removesuffix(".js")
    return PROGRAMS.get(name)
