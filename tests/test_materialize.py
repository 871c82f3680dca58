"""`st2 materialize` and `run`: real workspaces, real repositories, somebody else's files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.system.files import Files
from conftest import Cli
from drivers.driver import Render
from drivers.materialize import Changed, Workspace
from drivers.render import Plan
from support.seat import Seat

MINE = """\
{
    "env": {"A": "1"},
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "mine"}]}
        ]
    }
}
"""


@pytest.fixture
def seat(cli: Cli, tmp_path: Path) -> Seat:
    return Seat(cli, tmp_path)


def test_a_claude_seat_gets_its_server_and_its_hooks(seat: Seat) -> None:
    done = seat.cli("materialize", "w")
    assert (done.code, done.errors) == (0, "")
    assert done.text == "h1.w: create .mcp.json\nh1.w: create .claude/settings.local.json\n"
    program, catalog = str(seat.cli.command), str(seat.cli.catalog)
    server = json.loads(seat.servers.read_text())["mcpServers"]["st2"]
    assert (server["command"], server["args"][:2]) == (program, ["--catalog", catalog])
    hooks = json.loads(seat.settings.read_text())["hooks"]
    command = hooks["Stop"][0]["hooks"][0]["command"]
    assert command == f"{program} --catalog {catalog} driver hook claude Stop --identity h1.w"


def test_a_second_time_writes_nothing(seat: Seat, tree_hash: Callable[..., str]) -> None:
    seat.cli("materialize")
    before = tree_hash(seat.folder, mtimes=True)
    done = seat.cli("materialize")
    assert (done.code, done.text) == (0, "")
    assert tree_hash(seat.folder, mtimes=True) == before
    seat.settings.write_text("{}")
    seat.cli("materialize")
    assert tree_hash(seat.folder, mtimes=True) != before, "the same look does see a write"


def test_somebody_s_settings_survive_twice_and_undo_byte_for_byte(seat: Seat) -> None:
    seat.settings.parent.mkdir()
    seat.settings.write_text(MINE)
    seat.settings.chmod(0o640)
    for _ in range(2):
        assert seat.cli("materialize", "w").code == 0
        found = json.loads(seat.settings.read_text())
        assert found["env"] == {"A": "1"}
        assert found["hooks"]["Stop"][0]["hooks"][0]["command"] == "mine"
        assert len(found["hooks"]["Stop"]) == 2 and seat.settings.stat().st_mode & 0o777 == 0o640
    done = seat.cli("materialize", "w", "--undo")
    assert done.text == "h1.w: remove .mcp.json\nh1.w: change .claude/settings.local.json\n"
    assert seat.settings.read_text() == MINE and not seat.servers.exists()
    assert seat.cli("materialize", "w", "--undo").text == ""


def test_a_moved_program_supersedes_its_own_earlier_hooks(seat: Seat, cli: Cli) -> None:
    seat.settings.parent.mkdir()
    old = "/opt/old/st2 --catalog /gone driver hook claude Stop --identity h1.w"
    entry = {"matcher": "*", "hooks": [{"type": "command", "command": old}]}
    seat.settings.write_text(json.dumps({"hooks": {"Stop": [entry]}}))
    cli("materialize", "w")
    [only] = json.loads(seat.settings.read_text())["hooks"]["Stop"]
    assert only["hooks"][0]["command"].startswith(str(cli.command))


def test_two_agents_of_one_workspace_have_hooks_each(seat: Seat) -> None:
    seat.declare('    claude {\n        prompt "y"\n    }\n', "v")
    assert seat.cli("materialize").code == 0
    stop = json.loads(seat.settings.read_text())["hooks"]["Stop"]
    endings = [entry["hooks"][0]["command"].rpartition(" ")[2] for entry in stop]
    assert sorted(endings) == ["h1.v", "h1.w"]


def test_a_dry_run_writes_nothing(seat: Seat) -> None:
    done = seat.cli("materialize", "w", "--dry-run")
    assert done.text == (
        "h1.w: would create .mcp.json\nh1.w: would create .claude/settings.local.json\n"
    )
    assert list(seat.folder.iterdir()) == []


class TestRun:
    BODY = '    argv "cat" "note"\n    render {\n        file "note" "hello\\n"\n    }\n'

    def test_it_writes_what_is_needed_before_the_harness_starts(self, seat: Seat) -> None:
        seat.declare(self.BODY)
        done = seat.cli("run", "w")
        assert (done.code, done.text) == (0, "hello\n")
        assert "st2: h1.w: create note\n" in done.errors
        assert "create" not in seat.cli("run", "w").errors

    def test_a_dry_run_shows_it_and_writes_nothing(self, seat: Seat) -> None:
        seat.declare(self.BODY)
        done = seat.cli("run", "w", "--dry-run")
        assert done.code == 0 and "create note\n" in done.errors
        assert list(seat.folder.iterdir()) == []


def test_git_is_told_what_to_overlook_in_a_worktree_too(seat: Seat, tmp_path: Path) -> None:
    seat.git("init", "-q")
    seat.git("commit", "-q", "--allow-empty", "-m", "x")
    tree = tmp_path / "tree"
    seat.git("worktree", "add", "-q", str(tree))
    render = Render(op="git-exclude", path="/.mcp.json", value="")
    for folder in (seat.folder, tree):
        made = Workspace(str(folder)).plan([render])
        Workspace(str(folder)).perform(made)
    assert (seat.folder / ".git/info/exclude").read_text().endswith("\n/.mcp.json\n")
    assert made == Plan((), ()), "a worktree has the list of its repository"
    made = Workspace(str(tree)).plan([render], undo=True)
    Workspace(str(tree)).perform(made)
    assert "/.mcp.json" not in (seat.folder / ".git/info/exclude").read_text()


def test_no_program_of_the_repository_s_author_runs(seat: Seat) -> None:
    seat.git("init", "-q")
    seat.git("config", "core.fsmonitor", "touch PWNED")
    seat.git("config", "core.hooksPath", str(seat.folder))
    assert seat.cli("materialize", "w").code == 0
    assert not list(seat.folder.rglob("PWNED"))


RENDERS = [Render(op="file", path=f"f{n}", value="new") for n in range(3)]


@pytest.mark.slow
def test_whoever_is_killed_leaves_every_file_whole(seat: Seat) -> None:
    """Old bytes or new bytes, wherever the process ends."""
    files = [seat.folder / f"f{n}" for n in range(60)]
    long = "new" * 1000
    lines = "\n".join(f'        file "{file.name}" "{long}"' for file in files)
    seat.declare(f'    argv "true"\n    render {{\n{lines}\n    }}\n')
    for reached in (0, 0, 10, 20, 30, 40):
        found = {long}
        while found == {long}:
            # A kill that came too late shows nothing: then once more.
            found = killed_at(reached, files, seat.cli)
        assert found == {"old", long}
    assert seat.cli("materialize", "w").code == 0
    names = sorted(file.name for file in files)
    assert sorted(os.listdir(seat.folder)) == names, "what a kill left is swept"


def killed_at(reached: int, files: list[Path], cli: Cli) -> set[str]:
    """Kill a process as soon as its file number *reached* is new; return what is in all of them."""
    for file in files:
        file.write_text("old")
    before = files[reached].stat().st_ino
    process = cli.start("materialize", "w")
    while files[reached].stat().st_ino == before:
        assert process.poll() is None or files[reached].stat().st_ino != before
    process.kill()
    process.wait()
    return {file.read_text() for file in files}


def test_a_file_that_changed_since_it_was_looked_at_is_left_alone(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path))
    made = workspace.plan(RENDERS)
    (tmp_path / "f0").write_text("mine")
    with pytest.raises(Changed, match="f0: changed since it was looked at"):
        workspace.perform(made)
    assert (tmp_path / "f0").read_text() == "mine" and not (tmp_path / "f1").exists()


def test_two_at_once_lose_no_entry(seat: Seat) -> None:
    names = [f"n{n}" for n in range(4)]
    for name in names:
        seat.declare('    claude {\n        prompt "x"\n    }\n', name)
    running = [seat.cli.start("materialize", name) for name in names]
    assert [process.wait(timeout=60) for process in running] == [0] * 4
    assert len(json.loads(seat.settings.read_text())["hooks"]["Stop"]) == 4


def test_what_is_copied_may_lie_in_the_catalog(seat: Seat) -> None:
    (seat.cli.catalog / "notes.md").write_text("from the catalog")
    seat.declare('    argv "true"\n    render {\n        copy "n.md" "$CATALOG/notes.md"\n    }\n')
    assert seat.cli("materialize", "w").code == 0
    assert (seat.folder / "n.md").read_text() == "from the catalog"
    assert Files(str(seat.folder)).read("n.md") is not None
