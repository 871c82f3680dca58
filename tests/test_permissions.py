"""Who may look into what st2 writes: this host's own state is its user's alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.layout import Layout
from catalog.refusals import LocalStateUnsafe
from catalog.sync import latest
from catalog.system.files import Files
from catalogs import agent
from conftest import Cli
from support.nobody import as_nobody
from support.wrapped import Wrapped, until

LINES = (
    ("init", "--remote", "../remote.git"),
    ("session", "register", "h1.a1", "--session", "A"),
    ("beat", "h1.a1", "--session", "A"),
    ("activity", "touch", "h1.a1", "--session", "A"),
    ("status", "h1.a1", "--set", "busy"),
    ("driver", "hook", "claude", "Stop", "--identity", "h1.a1"),
    ("materialize", "h1.a1"),
    ("agents",),
    ("agents", "--json"),
    ("sync",),
    ("sync", "--signing", "warn"),
    ("doctor",),
    ("hosts",),
    ("session", "end", "h1.a1"),
    ("forget", "h1.a1"),
)
"""Something of every kind that leaves this host's own state."""


def umasked(cli: Cli, umask: int) -> Cli:
    """The same command, run with another umask."""
    script = cli.home / "st2"
    script.write_text(f'#!/bin/sh\numask {umask:03o}\nexec {cli.command} "$@"\n')
    script.chmod(0o755)
    return Cli(cli.catalog, cli.home, cli.env, script)


def open_to_others(root: Path) -> list[str]:
    """Everything below *root* that somebody else could reach, as mode and path.

    What lies below a folder that is closed can be reached by nobody; so of git's own files the
    folder above them has to be.
    """
    found = [f"{stat.S_IMODE(root.stat().st_mode):04o} {root.name}"] if reachable(root) else []
    for folder, folders, names in os.walk(root):
        for name in (*folders, *names):
            path = Path(folder, name)
            if reachable(path):
                found.append(f"{stat.S_IMODE(path.stat().st_mode):04o} {path.relative_to(root)}")
        if "repository" in folders:
            folders.remove("repository")
    return found


def reachable(path: Path) -> bool:
    return bool(stat.S_IMODE(path.lstat().st_mode) & 0o077)


@pytest.fixture
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    """The umask of the test, which whatever it starts has as well."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077], ids="{:03o}".format, indirect=True)
def test_after_every_kind_of_command_this_host_s_own_state_is_closed_to_others(
    cli: Cli, tmp_path: Path, umask: int
) -> None:
    (tmp_path / "workspace").mkdir()
    text = f'agent "a1" {{ host "h1"; workspace "{tmp_path}/workspace"; claude {{ prompt "x"; }} }}'
    agent(cli.catalog, kdl=f"{text}\n")
    for line in LINES:
        done = cli(*line)
        assert done.code == 0 or line == ("doctor",), (line, done.errors)
        assert open_to_others(cli.catalog / ".st2") == [], line
    assert stat.S_IMODE((cli.catalog / "agents/h1/a1/agent.kdl").stat().st_mode) == 0o666 & ~umask
    made = {path.name for path in (cli.catalog / ".st2/h1").iterdir()}
    assert made >= {"node", "settings", "cache", "lock", "published", "latest", "repository"}
    own = cli.home / ".local/state/st2"
    assert not own.exists() or not reachable(own)


@pytest.mark.parametrize("umask", [0o000, 0o077], ids="{:03o}".format)
def test_so_it_is_while_a_session_runs_and_once_its_owner_was_replaced(
    wrapped: Wrapped, umask: int
) -> None:
    wrapped.cli = umasked(wrapped.cli, umask)
    wrapped.running("sleep", "60")
    local = wrapped.cli.catalog / ".st2"
    assert open_to_others(local) == []
    wrapped.kill_owner()
    assert wrapped.cli("session", "adopt", "h1.w").code == 0
    until(lambda: wrapped.reader.owner_free("w") is False)
    assert open_to_others(local) == []
    assert (local / "h1/process/w").exists() and (local / "h1/owner/w").exists()


@pytest.mark.parametrize("closed", [".st2", "."])
def test_where_the_local_folder_is_closed_to_a_writer_a_way_out_is_told(closed: str) -> None:
    """As after a command that root ran."""

    def write(folder: str) -> object:
        if closed == ".st2":
            Path(folder, closed).mkdir()
        Path(folder, closed).chmod(0o500 if closed == "." else 0)
        files = Files(folder)
        try:
            files.lock(".st2/h1/lock/a1", wait_ms=0)
        except LocalStateUnsafe as error:
            latest.save(files, Layout(folder, "h1"), 5, None)
            return str(error), error.hint
        finally:
            Path(folder, closed).chmod(0o700)
        return None

    assert as_nobody(write) == (
        ".st2: permission denied, wanted a folder of our own",
        "make .st2 a folder of your own with mode 0700",
    )


def test_in_a_folder_that_came_open_with_a_catalog_what_is_new_is_closed(cli: Cli) -> None:
    """git makes folders that others may read; nobody but us may write, so it is used."""
    (cli.catalog / ".st2").mkdir()
    (cli.catalog / ".st2").chmod(0o755)
    assert cli("sync", "--signing", "warn", "--remote", "https://me:secret@localhost:1/x").code == 1
    assert cli("init").code == 0
    assert open_to_others(cli.catalog / ".st2") == ["0755 .st2"]
    assert (cli.catalog / ".st2/h1/node").exists()


@pytest.mark.parametrize("umask", [0o177, 0o777], ids="{:03o}".format)
def test_no_umask_takes_what_is_made_from_its_own_user(
    cli: Cli, tmp_path: Path, umask: int
) -> None:
    """What git makes for it neither."""
    (tmp_path / "workspace").mkdir()
    text = f'agent "a1" {{ host "h1"; workspace "{tmp_path}/workspace"; claude {{ prompt "x"; }} }}'
    agent(cli.catalog, kdl=f"{text}\n")
    masked = umasked(cli, umask)
    for line in LINES:
        done = masked(*line)
        assert done.code == 0 or line == ("doctor",), (line, done.errors)
    assert (tmp_path / "remote.git").exists() and (tmp_path / "workspace/.mcp.json").exists()
    closed = []
    for folder, folders, names in os.walk(tmp_path):
        wanted = {**dict.fromkeys(folders, 0o700), **dict.fromkeys(names, 0o400)}
        modes = {name: Path(folder, name).lstat().st_mode for name in wanted}
        closed += [f"{folder}/{name}" for name in wanted if ~modes[name] & wanted[name]]
    assert closed == []
    assert open_to_others(cli.catalog / ".st2") == []


def test_a_umask_takes_nothing_from_the_user_of_what_is_new_and_stays_as_it_was(
    tmp_path: Path,
) -> None:
    files = Files(str(tmp_path))
    umask = os.umask(0o737)
    try:
        files.replace("agents/h2/a1/status", b"busy\n")
        files.replace("agents/h2/a1/status", b"away\n")
        with files.lock(".st2/h1/lock/a1", wait_ms=0):
            pass
    finally:
        after = os.umask(umask)
    assert after == 0o737
    made = ("agents/h2", "agents/h2/a1/status", ".st2/h1/lock", ".st2/h1/lock/a1")
    modes = [stat.S_IMODE((tmp_path / path).stat().st_mode) for path in made]
    assert modes == [0o740, 0o640, 0o700, 0o600]


def test_records_and_what_is_in_a_workspace_have_what_the_umask_leaves(
    cli: Cli, tmp_path: Path
) -> None:
    agent(cli.catalog, kdl='agent "a1" { host "h1"; argv "true"; }\n')
    assert umasked(cli, 0o027)("status", "h1.a1", "--set", "busy").code == 0
    found = (cli.catalog / "agents/h1/a1/status").stat().st_mode
    assert stat.S_IMODE(found) == 0o640
