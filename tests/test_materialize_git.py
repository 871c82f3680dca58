"""A workspace in somebody else's repository: what git tracks there, and what it overlooks."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from catalog.sync_errors import SyncFailed
from drivers.driver import Render
from drivers.materialize import Workspace
from drivers.render import EXCLUDES, Plan, Refusal, Target

NEW = Render(op="file", path="new", value="text")
EXCLUDE = Render(op="git-exclude", path="/new", value="")
TRACKED = "tracked by git, and would be changed; wanted a file of this workspace alone"


def file(path: str, value: str = "text") -> Render:
    return Render(op="file", path=path, value=value)


def git(folder: Path, *args: str) -> None:
    subprocess.run(["git", "-C", str(folder), *args], check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    made.mkdir()
    return made


@pytest.fixture
def workspace(folder: Path) -> Workspace:
    return Workspace(str(folder))


class TestGit:
    @pytest.fixture(autouse=True)
    def _repository(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        git(folder, "init", "-q")

    def test_a_tracked_file_that_would_change_is_refused(
        self, workspace: Workspace, folder: Path
    ) -> None:
        for name in ("new", "right"):
            (folder / name).write_text("text" if name == "right" else "old")
        git(folder, "add", ".")
        made = workspace.plan([NEW, file("right"), file("other")])
        assert made.refusals == (Refusal(path="new", sentence=TRACKED),)

    def test_so_is_one_behind_a_link_that_git_tracks_or_does_not(
        self, workspace: Workspace, folder: Path
    ) -> None:
        (folder / "real").write_text("old")
        git(folder, "add", "real")
        (folder / "link").symlink_to("real")
        (folder / "own").write_text("old")
        (folder / "new").symlink_to("own")
        git(folder, "add", "new")
        made = workspace.plan([file("link"), NEW, file("free")])
        assert [each.path for each in made.refusals] == ["link", "new"]

    def test_a_place_that_is_refused_anyway_is_not_asked_about(
        self, workspace: Workspace, folder: Path
    ) -> None:
        made = workspace.plan([file("../x"), NEW])
        assert [each.path for each in made.refusals] == ["../x"]
        assert len(made.actions) == 1

    def test_its_list_of_what_is_overlooked_gets_a_line(
        self, workspace: Workspace, folder: Path
    ) -> None:
        made = workspace.plan([EXCLUDE])
        assert [action.target for action in made.actions] == [
            Target(root=EXCLUDES, path="info/exclude")
        ]
        workspace.perform(made)
        path = folder / ".git/info/exclude"
        assert path.read_text().splitlines()[-1] == "/new"
        assert workspace.plan([EXCLUDE]) == Plan((), ())

    def test_the_list_may_be_a_link_to_anywhere(
        self, workspace: Workspace, folder: Path, tmp_path: Path
    ) -> None:
        path = folder / ".git/info/exclude"
        path.unlink(missing_ok=True)
        (tmp_path / "list").write_text("mine\n")
        path.symlink_to(tmp_path / "list")
        workspace.perform(workspace.plan([EXCLUDE]))
        assert (tmp_path / "list").read_text() == "mine\n/new\n"

    def test_git_that_does_not_answer_is_no_no(self, folder: Path, tmp_path: Path) -> None:
        other = tmp_path / "other"
        other.mkdir()
        (other / ".git").write_text("gitdir: /nowhere\n")
        with pytest.raises(SyncFailed, match=r"^git ls-files: "):
            Workspace(str(other)).plan([NEW])
        with pytest.raises(SyncFailed, match=r"^git rev-parse: "):
            Workspace(str(other)).plan([EXCLUDE])
        assert Workspace(str(other)).plan([]) == Plan((), ())
