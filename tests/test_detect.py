"""drivers/detect.py: which harness called us, by environment and ancestors."""

from __future__ import annotations

import pytest

from catalog.system.ancestry import FARTHEST, Ancestor
from drivers.detect import PROGRAMS, VARIABLES, detect, harness_of, process_of


def line(*argvs: tuple[str, ...]) -> tuple[Ancestor, ...]:
    """Ancestors, nearest first, with pids 100, 99, …"""
    return tuple(Ancestor(100 - at, "5", argv) for at, argv in enumerate(argvs))


@pytest.mark.parametrize(("harness", "variable", "value", "token"), VARIABLES)
def test_each_variable_names_its_harness_and_the_session(
    harness: str, variable: str, value: str | None, token: str | None
) -> None:
    environ = {variable: value or "x"}
    if token is not None:
        environ[token] = "s-9"
    found = detect(environ, ())
    assert found is not None and (found.harness, found.process) == (harness, None)
    assert found.token == ("s-9" if token else None)


def test_another_value_of_a_variable_says_nothing() -> None:
    assert detect({"CLAUDECODE": "0", "OPENCODE": "", "GEMINI_CLI": "yes"}, ()) is None


def test_the_path_of_claude_s_program_proves_nothing() -> None:
    assert detect({"CLAUDE_CODE_EXECPATH": "/bin/claude"}, ()) is None


def test_the_innermost_variable_wins() -> None:
    everything = {variable: value or "x" for _, variable, value, _ in VARIABLES}
    order = ["grok", "claude", "codex", "codex", "antigravity", "gemini", "opencode", "cursor"]
    for (_, variable, *_), harness in zip(VARIABLES, order, strict=False):
        found = detect(everything, ())
        assert found is not None and found.harness == harness
        del everything[variable]


def test_without_a_variable_the_nearest_ancestor_that_is_one_counts() -> None:
    above = line(("sh", "-c", "x"), ("/opt/bin/codex", "exec"), ("claude",), ("init",))
    found = detect({}, above)
    assert found is not None and (found.harness, found.token) == ("codex", None)
    assert found.process == above[1]


def test_the_process_of_a_variable_s_harness_is_the_nearest_of_that_name() -> None:
    above = line(("codex",), ("claude", "-p"), ("claude",))
    found = detect({"CLAUDECODE": "1"}, above)
    assert found is not None and found.process == above[1]
    assert process_of("pi", above) is None


@pytest.mark.parametrize(
    ("argv", "harness"),
    [
        *((((f"/usr/bin/{name}", "x"), harness)) for name, harness in PROGRAMS.items()),
        (("node", "--no-warnings", "/usr/lib/node_modules/.bin/gemini", "-i"), "gemini"),
        (("/usr/bin/node", "/x/codex.js"), "codex"),
        (("bun", "/x/pi"), "pi"),
        (("node", "/x/claude-helper.js"), None),
        (("node",), None),
        (("claude-code",), None),
        (("bash", "claude"), None),
        ((), None),
    ],
)
def test_a_harness_is_known_by_the_base_name_of_its_program(
    argv: tuple[str, ...], harness: str | None
) -> None:
    assert harness_of(argv) == harness


def test_nothing_that_matches_is_nobody() -> None:
    assert detect({}, line(("bash",), ("tmux",))) is None


def test_a_harness_is_looked_for_twenty_up() -> None:
    assert FARTHEST == 20
