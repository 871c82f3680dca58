"""Completion: what may stand at the end of a line, told by the table and the folders alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as some

from conftest import Cli
from generators import commands as table
from generators.tree import commands
from st2.completion import Answer, complete, tree
from st2.serve.completion import LOOKED_INTO
from st2.shell_words import split

ROOT = Path(__file__).parent.parent
TABLE = (ROOT / table.PLACE).read_text("utf-8")
TOP = tree(TABLE)
TREE = dict(commands())
KNOWN = {
    "agent": ["h1.a1", "h2.b", "a1", "b"],
    "own": ["h1.a1", "a1"],
    "host": ["h1", "h2"],
}


def answer(line: str) -> Answer:
    return complete(TOP, split(line, {})[1:], lambda kind, *_: KNOWN[kind])


def words(line: str) -> list[str]:
    return [word for word, _ in answer(line).words]


def test_the_table_is_what_the_command_tree_says() -> None:
    assert table.files()[table.PLACE] == TABLE, "run: make generated"


@pytest.mark.parametrize("path", TREE)
def test_every_command_and_every_option_is_offered_where_it_may_stand(path: str) -> None:
    command = TREE[path]
    if path != "st2":
        above, _, name = path.rpartition(" ")
        assert name in words(f"{above} ") and words(f"{path}") == [name]
    shown = [option for option in command.params if isinstance(option, click.Option)]
    named = {each for option in shown if not option.hidden for each in option.opts}
    assert set(words(f"{path} -")) == named | {"-h", "--help"}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("st2 status ", ["h1.a1", "h2.b", "a1", "b"]),
        ("st2 status h2", ["h2.b"]),
        ("st2 --host h1 status 'a", ["a1"]),
        ("st2 run ", ["h1.a1", "a1"]),
        ("st2 session adopt --force ", ["h1.a1", "a1"]),
        ("st2 agents --json a1 b", ["b"]),
        ("st2 activity done ", ["success", "failure", "cancelled"]),
        ("st2 activity done success ", ["h1.a1", "a1"]),
        ("st2 activity done success a1 ", []),
        ("st2 status --set b", ["busy"]),
        ("st2 agents --status un", ["unknown"]),
        ("st2 agents --host ", ["h1", "h2"]),
        ("st2 agents --host=h2", ["--host=h2"]),
        ("st2 driver expand --format=s", ["--format=shell"]),
        ("st2 driver codex --identity ", ["h1.a1", "a1"]),
        ("st2 agents --now ", []),
        ("st2 agents --nonsense ", []),
        ("st2 agents --json=", []),
        ("st2 nonsense ", []),
        ("st2 validate ", []),
        ("echo x; st2 why a", ["a1"]),
        ("st2 completion ", ["bash", "fish", "zsh"]),
    ],
)
def test_what_fits_is_offered(line: str, found: list[str]) -> None:
    assert words(line) == found


@pytest.mark.parametrize(
    ("line", "mode"),
    [
        ("st2 --catalog ", "folders"),
        ("st2 --catalog=", "folders"),
        ("st2 init ./x", "folders"),
        ("st2 driver expand ./x", "files"),
        ("st2 driver exec-session -- ", "files"),
        ("st2 sync --sign ", "files"),
        ("st2 status ", "none"),
    ],
)
def test_where_a_path_is_wanted_the_shell_is_told(line: str, mode: str) -> None:
    assert answer(line).mode == mode


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("", [""]),
        ("st2 ", ["st2", ""]),
        ("a b", ["a", "b"]),
        ("a 'b c", ["a", "b c"]),
        ("a 'b'\\''c' ", ["a", "b'c", ""]),
        ('a "b \\" $X"', ["a", 'b " x y']),
        ("a ${X}z $NONE", ["a", "x yz", ""]),
        ("a ~/b c~", ["a", "/h/b", "c~"]),
        ("a $(rm -r x) `b`", ["rm", "-r", "x)", "`b`"]),
        ("a $ ${ ${X", ["a", "$", "${", "${X"]),
        ("a|b;c&d e\\", ["d", "e"]),
        ("X=1 a", ["X=1", "a"]),
    ],
)
def test_a_line_is_taken_apart_and_nothing_of_it_is_run(line: str, found: list[str]) -> None:
    assert split(line, {"X": "x y", "HOME": "/h"}) == found


@given(some.text(alphabet="ab1 '\"\\$~{}=-;|`(\n\té" + "\udc80"))
def test_no_line_is_a_fault(line: str) -> None:
    assert split(line, {"a": "b"})
    answer(f"st2 {line}")


@pytest.fixture
def fleet(cli: Cli) -> Cli:
    """Agents of two hosts, one name that both have, and folders whose names break the rule."""
    names = ["h1/a1", "h1/twin", "h2/twin", "h2/b", "h2/$(touch pwned)", "h2/x;y", "h2/c\nd"]
    for name in [*names, "h2/-r", "H 3/a", "h2/b.sync-conflict-1"]:
        folder = cli.catalog / "agents" / name
        folder.mkdir(parents=True)
        (folder / "status").write_bytes(b"busy\nv1 1\n")
    (cli.catalog / "agents/h2/empty").mkdir()
    return cli


def offered(cli: Cli, line: str, **options: object) -> list[str]:
    done = cli("completion", "zsh", "--for", line, **options)  # type: ignore[arg-type]
    assert (done.code, done.err) == (0, b"")
    return done.text.splitlines()


def test_agents_are_offered_by_bus_id_and_by_a_bare_name_that_means_one(fleet: Cli) -> None:
    bus_ids = ["h1.a1", "h1.twin", "h2.b", "h2.twin"]
    assert offered(fleet, "st2 why ") == ["none", "a1", "b", *bus_ids]
    assert offered(fleet, "st2 run ") == ["none", "a1", "h1.a1", "h1.twin", "twin"]
    assert offered(fleet, "st2 agents --host 'no host!' a") == ["none", "a1"]
    assert offered(fleet, "st2 --host h2 run ") == ["none", "b", "h2.b", "h2.twin", "twin"]


def test_the_catalog_of_the_line_counts(fleet: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "it's other/agents/h9/z"
    folder.mkdir(parents=True)
    (folder / "agent.kdl").write_text("broken {")
    for spelled in ('--catalog "$HOME/../it\'s other"', "--catalog=$HOME/../it\\'s\\ other"):
        assert offered(fleet, f"st2 {spelled} why ") == ["none", "h9.z", "z"]


def test_a_declaration_right_below_agents_is_one_of_this_host(cli: Cli) -> None:
    folder = cli.catalog / "agents/solo"
    folder.mkdir()
    (folder / "agent.toml").write_text("")
    assert offered(cli, "st2 run ") == ["none", "h1.solo", "solo"]


def test_in_a_large_catalog_the_names_of_folders_decide_alone(cli: Cli) -> None:
    for number in range(LOOKED_INTO + 1):
        (cli.catalog / f"agents/h1/a{number:04}").mkdir(parents=True)
    last = f"a{LOOKED_INTO:04}"
    assert offered(cli, "st2 why ") == ["none", last, f"h1.{last}"]


@pytest.mark.parametrize(
    "change",
    [{"ST2_HOST": "no host!"}, {"CATALOG": "/dev/null"}, {"CATALOG": "/nowhere"}],
    ids=str,
)
def test_completion_says_nothing_where_nothing_can_be_known(
    cli: Cli, change: dict[str, str]
) -> None:
    assert offered(cli, "st2 status ", env=change) == ["none"]
    assert offered(cli, "st2 stat", env=change)[0] == "none"


def test_completion_writes_nothing_and_loads_nothing_heavy(
    fleet: Cli, tree_hash: Callable[..., str]
) -> None:
    before = tree_hash(mtimes=True), sorted(fleet.home.rglob("*"))
    traced = fleet("completion", "bash", "--for", "st2 why ", env={"PYTHONPROFILEIMPORTTIME": "1"})
    assert (tree_hash(mtimes=True), sorted(fleet.home.rglob("*"))) == before
    loaded = {line.rpartition("|")[2].strip().split(".")[0] for line in traced.errors.splitlines()}
    assert "st2" in loaded and traced.text.splitlines()[1:3] == ["a1", "b"]
    assert loaded & {"click", "pydantic", "git", "ckdl", "json", "re", "pathlib"} == set()


def test_a_closed_pipe_and_a_full_device_are_met_with_silence(fleet: Cli) -> None:
    import subprocess

    for to in (">&-", ">/dev/full"):
        done = subprocess.run(
            ["bash", "-c", f"st2 completion bash --for 'st2 why ' {to}"],
            env=fleet.environment(),
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")


def test_a_shell_that_is_not_known_is_a_usage_error(cli: Cli) -> None:
    done = cli("completion", "tcsh")
    assert done.code == 2 and "wanted one of bash, fish, zsh" in done.errors
