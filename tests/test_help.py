"""Help and mistakes: every command explains itself, and every wrong line is told in one voice."""

from __future__ import annotations

import os
import re
import subprocess
import termios
from pathlib import Path

import click
import pytest

from conftest import Cli
from generators import help_pages
from generators.tree import commands, paragraphs
from st2.boundary import guarded
from st2.cli.main import main, run
from st2.fast import plan
from st2.serve import help as pages

TREE = dict(commands())
LEAVES = [path for path, command in TREE.items() if not isinstance(command, click.Group)]
CODES_MATTER = {
    *("st2", "st2 agents", "st2 beat", "st2 doctor", "st2 driver hook", "st2 merge-record"),
    *("st2 run", "st2 session register", "st2 sync", "st2 validate", "st2 watch"),
}
"""Commands whose exit code somebody branches on."""
KEPT = (Path(__file__).parent.parent / help_pages.PLACE).read_text("utf-8")


@pytest.mark.parametrize("path", TREE)
def test_help_has_a_sentence_an_example_and_lines_of_a_common_width(path: str) -> None:
    [first, *_], examples = paragraphs(TREE[path])
    assert re.fullmatch(r"[A-Z].+[.:]", first)
    program = (r'eval "$(st2', "st2 ")
    assert examples and all(example.startswith(program) for example in examples)
    words = path.split(" ")[1:2] or ["agents"]
    assert all(f" {words[0]}" in example for example in examples)
    assert max(map(len, help_pages.page(path).splitlines())) <= 100


@pytest.mark.parametrize("path", sorted(CODES_MATTER))
def test_help_tells_the_exit_codes_that_somebody_branches_on(path: str) -> None:
    command: click.Command | None = main
    for word in path.split(" ")[1:]:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert command is not None
    told = [command.help or "", *(getattr(param, "help", None) or "" for param in command.params)]
    assert re.search(r"exit|Leave with", "\n".join(told), re.IGNORECASE)


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_is_printed_for_a_command_and_for_one_below_it(cli: Cli, option: str) -> None:
    for words in (["agents"], ["session", "show"]):
        done = cli(*words, option)
        assert (done.code, done.err) == (0, b"")
        assert done.text.startswith(f"Usage: st2 {' '.join(words)} [OPTIONS]")
        assert "-h, --help" in done.text


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("agents --jso", "agents: found no option '--jso', did you mean --json or --now"),
        ("status --nonsense", "status: found no option '--nonsense'"),
        ("session shw", "session: found no command 'shw', did you mean show"),
        ("why", "why: found no AGENT, wanted one"),
        ("why a b c", "why: found more than it takes: b c"),
        ("agents --now x", "agents: found 'x' for --now, wanted a whole number from 0"),
        ("watch --timeout x", "watch: found 'x' for --timeout, wanted a number from 0"),
        ("init --presence r", "init: found 'r' for --presence, wanted one of refs, branch"),
        ("agents --status", "agents: found nothing after --status, wanted its value"),
        ("agents --json=5", "agents: found a value for --json, which takes none"),
        ("--catalog", "command line: found nothing after --catalog, wanted its value"),
        ("session adopt w --pid 1", "*for --pid, wanted a whole number from 2 to 2147483647"),
    ],
)
def test_a_wrong_line_is_told_by_what_was_found_and_what_was_wanted(
    cli: Cli, line: str, sentence: str
) -> None:
    done = cli(*line.split(" "))
    said, hint = done.errors.splitlines()
    assert (done.code, done.out) == (2, b"")
    assert said.endswith(sentence[1:]) if sentence[0] == "*" else said == f"st2: {sentence}"
    assert re.fullmatch(r"hint: st2( [a-z]+)* --help", hint)


@pytest.mark.parametrize("path", LEAVES)
def test_a_wrong_option_is_met_in_the_same_way_by_every_command(path: str) -> None:
    from catalog.refusals import BadUsage

    with pytest.raises(BadUsage, match="found no option '--no-such-option'") as refused:
        run([*path.split(" ")[1:], "--no-such-option"])
    assert refused.value.hint == f"{path} --help"


VALUED = [
    (path, option.opts[0])
    for path in LEAVES
    for option in TREE[path].params
    if isinstance(option, click.Option) and not option.is_flag and option.opts[0] != "--help"
]


@pytest.mark.parametrize(("path", "option"), VALUED, ids=str)
def test_an_option_without_its_value_is_met_with_the_help_of_its_own_command(
    path: str, option: str
) -> None:
    from catalog.refusals import BadUsage

    subject = path.removeprefix("st2 ")
    with pytest.raises(BadUsage) as refused:
        run([*path.split(" ")[1:], option])
    assert str(refused.value) == f"{subject}: found nothing after {option}, wanted its value"
    assert refused.value.hint == f"{path} --help"


def test_the_pages_that_are_kept_are_those_that_the_command_tree_makes() -> None:
    assert help_pages.files()[help_pages.PLACE] == KEPT, "run: make generated"


@pytest.mark.parametrize("columns", ["80", "200"])
@pytest.mark.parametrize("path", TREE)
def test_help_is_a_page_that_was_kept_and_what_click_prints(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], path: str, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    line = [*path.split(" ")[1:], "--help"]
    served = plan(line)
    assert served is not None
    kept = guarded(served), *capfd.readouterr()
    assert (guarded(lambda: run(line)), *capfd.readouterr()) == kept


@pytest.mark.parametrize(
    ("words", "columns"),
    [
        ("st2", "79"),
        ("st2 agents", "1"),
        ("st2 agents worker", "80"),
        ("st2 driver exec-session --identity a --", "80"),
        ("st2 nothing", "80"),
    ],
)
def test_on_a_narrow_terminal_and_between_other_words_click_helps(words: str, columns: str) -> None:
    line = [*words.split(" ")[1:], "--help"]
    assert pages.parse(line, {"COLUMNS": columns}) is None


def test_two_words_in_one_are_no_command() -> None:
    assert pages.parse(["session", "show", "-h"], {"COLUMNS": "80"}) is not None
    assert pages.parse(["session show", "-h"], {"COLUMNS": "80"}) is None


@pytest.mark.parametrize("said", ["", "x", "0", "-5"])
def test_without_a_width_that_is_told_the_terminal_s_own_counts(said: str) -> None:
    main_end, terminal = os.openpty()
    kept = os.dup(1)
    try:
        for columns, served in ((80, True), (79, False)):
            os.dup2(terminal, 1)
            termios.tcsetwinsize(terminal, (24, columns))
            assert (pages.parse(["--help"], {"COLUMNS": said}) is not None) is served
    finally:
        os.dup2(kept, 1)
        for descriptor in (main_end, terminal, kept):
            os.close(descriptor)


@pytest.mark.parametrize("words", ["--help", "why --help", "--help agents", "why --help worker"])
def test_help_that_nobody_reads_to_its_end_is_no_error(cli: Cli, words: str) -> None:
    read, write = os.pipe()
    os.close(read)
    argv = [cli.command, *words.split(" ")]
    env = cli.environment()
    done = subprocess.run(argv, env=env, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
