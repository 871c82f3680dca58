"""A typed name to the one agent that has a row, and to nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.layout import Layout
from catalog.reader import Reader
from catalog.refusals import NotFound
from catalog.resolve import resolve
from catalog.system.files import Files
from catalogs import agent, declared, now_ms, record
from conftest import Cli
from support.nobody import as_nobody


def plant(catalog: Path) -> None:
    """Beside a good agent, what looks like one in a path and is none."""
    agent(catalog, "w1", kdl=declared("w1"), status=record("busy", now_ms()))
    agent(catalog, "w.orig", status=record("busy", now_ms()))
    (catalog / "agents/h1/lnk").symlink_to("w1")
    (catalog / "agents/h1/README").write_text("hi")
    (catalog / "agents/hx").symlink_to("h1")


@pytest.mark.parametrize("name", ["h1.w.orig", "h1.lnk", "h1.README", "hx.w1", "w.orig", "lnk"])
@pytest.mark.parametrize(
    "command",
    [["status"], ["agents"], ["why"], ["session", "show"], ["status", "--set", "away"]],
    ids=" ".join,
)
def test_what_has_no_row_is_not_found_by_any_command(
    cli: Cli, command: list[str], name: str
) -> None:
    plant(cli.catalog)
    done = cli(*command, name)
    assert (done.code, done.out) == (1, b"")
    assert done.errors.splitlines()[0] == (
        f"st2: {name}: no such agent in this catalog, wanted a bus id or a bare name"
    )


LISTS = "st2 agents lists every agent of the catalog"


@pytest.mark.parametrize(
    "command",
    [
        *(["status"], ["status", "--set", "away"], ["why"], ["beat"], ["agents"], ["run"]),
        *(["agents", "--identity"], ["watch"], ["forget"], ["materialize"], ["driver", "expand"]),
        *(["session", "show"], ["session", "end"], ["session", "adopt"], ["activity", "touch"]),
        ["session", "register", "--session", "A"],
    ],
    ids=" ".join,
)
def test_a_mistyped_name_is_told_with_those_that_it_may_mean_by_every_command(
    cli: Cli, command: list[str]
) -> None:
    for name, host in (("worker", "h1"), ("walker", "h1"), ("worker", "h2"), ("scout", "h1")):
        agent(cli.catalog, name, host, kdl=declared(name, host), status=record("busy", now_ms()))
    done = cli(*command, "wroker", env={"ST2_SESSION": "A"})
    assert (done.code, done.out) == (1, b"")
    assert done.errors.splitlines()[1:] == [
        f"hint: did you mean h1.worker, h2.worker or h1.walker; {LISTS}"
    ]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("h2.wroker", "did you mean h2.worker or h1.worker; "),
        ("h3.worker", "did you mean h1.worker or h2.worker; "),
        ("h1.folder", "did you mean h1.holder; "),
        ("h1.bad-one", ""),
        ("h1.x", ""),
    ],
)
@pytest.mark.parametrize("command", ["status", "agents"])
def test_only_an_agent_that_there_is_is_meant_and_one_of_the_same_host_first(
    cli: Cli, command: str, typed: str, meant: str
) -> None:
    """A folder whose declaration names another agent is none, nor is one of a bad name."""
    for host in ("h1", "h2"):
        agent(cli.catalog, "worker", host, kdl=declared("worker", host))
    agent(cli.catalog, "holder", status=record("busy", now_ms()))
    agent(cli.catalog, "folders", kdl=declared("something-else"))
    agent(cli.catalog, "bad one", status=record("busy", now_ms()))
    agent(cli.catalog, "bad\x1b[31mone", status=record("busy", now_ms()))
    errors = cli(command, typed).errors.splitlines()
    assert errors[1] == f"hint: {meant}{LISTS}"


def test_nothing_is_compared_while_a_name_is_found(cli: Cli) -> None:
    agent(cli.catalog, "worker", kdl=declared("worker"))
    env = {"PYTHONPROFILEIMPORTTIME": "1"}
    found, missed = (cli("status", name, env=env) for name in ("worker", "wroker"))
    assert found.code == 0 and b"difflib" not in found.err
    assert missed.code == 1 and b"difflib" in missed.err


def test_a_name_written_with_an_escape_is_found_all_the_same(cli: Cli) -> None:
    agent(cli.catalog, "folder", kdl='agent "w\\u{6f}rker" {\n    host "h1"\n    argv "true"\n}\n')
    assert cli("status", "worker").text == "offline\n"
    assert cli("status", "h1.worker").text == "offline\n"


def test_the_agent_that_content_names_is_found_and_its_folder_is_not(cli: Cli) -> None:
    agent(cli.catalog, "folder", kdl=declared("worker", "h2"))
    assert cli("status", "worker").text == cli("status", "h2.worker").text == "offline\n"
    assert cli("status", "folder").code == cli("status", "h1.folder").code == 1


def test_an_unsafe_local_folder_is_said_by_every_command_that_would_look_at_processes(
    cli: Cli,
) -> None:
    """Case A3: where evidence is not used, nobody may believe that it was."""
    agent(cli.catalog, kdl=declared())
    (cli.catalog / ".st2").mkdir()
    (cli.catalog / ".st2").chmod(0o777)
    for args in (["agents"], ["status", "a1"], ["why", "a1"]):
        told = cli(*args)
        assert "mode 0777 lets others write" in told.errors + told.text, args


def test_a_name_is_not_called_unknown_where_the_agents_cannot_be_read() -> None:
    def look(folder: str) -> object:
        agents = Path(folder, "agents")
        agents.mkdir(mode=0)
        try:
            resolve(Reader(Files(folder), Layout(folder, "h1")), "h1.w1")
        except NotFound as error:
            return str(error)
        finally:
            agents.chmod(0o700)
        return None

    assert as_nobody(look) == (
        "h1.w1: no such agent in what can be read, wanted all of the catalog"
        " (agents: permission denied)"
    )
