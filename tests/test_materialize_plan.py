"""A workspace looked at, planned and written, in one process and without git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from drivers.driver import Render
from drivers.materialize import Changed, Workspace
from drivers.render import LIMIT, WORKSPACE, Action, Plan, Refusal, Target

NEW = Render(op="file", path="new", value="text")
EXCLUDE = Render(op="git-exclude", path="/new", value="")
TRACKED = "tracked by git, and would be changed; wanted a file of this workspace alone"


def file(path: str, value: str = "text") -> Render:
    return Render(op="file", path=path, value=value)


def copy(source: str) -> Render:
    return Render(op="copy", path="to", value=source)


def target(path: str) -> Target:
    return Target(root=WORKSPACE, path=path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    made.mkdir()
    return made


@pytest.fixture
def workspace(folder: Path) -> Workspace:
    return Workspace(str(folder))


class TestPlan:
    """What would happen, over what is there; nothing is written."""

    def test_what_is_missing_is_made_and_what_is_right_is_left(
        self, workspace: Workspace, folder: Path
    ) -> None:
        (folder / "right").write_text("text")
        (folder / "other").write_text("old")
        made = workspace.plan([file("right"), file("other"), NEW])
        assert made == Plan(
            (
                Action(target=target("other"), data=b"text", before=b"old"),
                Action(target=target("new"), data=b"text", before=None),
            ),
            (),
        )
        assert sorted(os.listdir(folder)) == ["other", "right"]

    def test_without_a_repository_nothing_is_to_be_overlooked(self, workspace: Workspace) -> None:
        [action] = workspace.plan([EXCLUDE, NEW]).actions
        assert action.target == target("new")

    def test_a_text_is_no_path(self, workspace: Workspace) -> None:
        [action] = workspace.plan([file("new", "a\0b")]).actions
        assert action.data == b"a\0b"

    def test_undone_what_it_made_goes(self, workspace: Workspace, folder: Path) -> None:
        (folder / "new").write_text("text")
        gone = Action(target=target("new"), data=None, before=b"text")
        assert workspace.plan([NEW, EXCLUDE], undo=True) == Plan((gone,), ())

    def test_undone_a_folder_is_none_of_ours_and_what_cannot_be_looked_at_is_refused(
        self, workspace: Workspace, folder: Path
    ) -> None:
        (folder / "dir").mkdir()
        long = "x" * 300
        made = workspace.plan([file("dir"), file(long)], undo=True)
        refusal = Refusal(path=long, sentence="file name too long, wanted a file")
        assert made == Plan((), (refusal,))

    def test_what_is_no_file_is_refused_and_the_rest_is_planned(
        self, workspace: Workspace, folder: Path
    ) -> None:
        (folder / "dir").mkdir()
        made = workspace.plan([file("dir"), file("../x"), NEW])
        assert made.refusals == (
            Refusal(path="dir", sentence="is a directory, not a file, wanted a file"),
            Refusal(path="../x", sentence="found .. in it, wanted a path inside the workspace"),
        )
        assert [action.target for action in made.actions] == [target("new")]

    @pytest.mark.parametrize("more", [0, 1])
    def test_a_file_is_read_to_its_bound_and_not_beyond(
        self, workspace: Workspace, folder: Path, more: int
    ) -> None:
        (folder / "new").write_bytes(b"x" * (LIMIT + more))
        made = workspace.plan([NEW])
        assert len(made.actions) == 1 - more
        too_long = Refusal(path="new", sentence=f"longer than {LIMIT} bytes, wanted a file")
        assert made.refusals == (too_long,) * more

    def test_a_place_outside_is_not_even_looked_at(
        self, workspace: Workspace, tmp_path: Path
    ) -> None:
        os.mkfifo(tmp_path / "fifo")
        for path in ("../fifo", str(tmp_path / "fifo"), ".git/config"):
            [refusal] = workspace.plan([file(path)]).refusals
            assert refusal.sentence.endswith("wanted a path inside the workspace")


class TestLinks:
    """Symlinks are followed inside the workspace, and nowhere else."""

    def test_one_that_leads_out_is_refused(
        self, workspace: Workspace, folder: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "out").mkdir()
        (folder / "link").symlink_to(tmp_path / "out")
        (folder / "git").symlink_to(folder / ".git")
        made = workspace.plan([file("link/new"), file("git/config"), NEW])
        assert made.refusals == (
            Refusal(
                path="link/new",
                sentence=f"leads to {tmp_path}/out/new, out of the workspace, wanted a file",
            ),
            Refusal(
                path="git/config",
                sentence=f"leads to {folder}/.git/config, out of the workspace, wanted a file",
            ),
        )
        assert len(made.actions) == 1

    def test_one_that_stays_inside_is_written_through(
        self, workspace: Workspace, folder: Path
    ) -> None:
        (folder / "real").write_text("old")
        (folder / "new").symlink_to("real")
        workspace.perform(workspace.plan([NEW]))
        assert (folder / "new").is_symlink() and (folder / "real").read_text() == "text"

    def test_the_workspace_itself_may_be_one(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(folder)
        workspace = Workspace(str(tmp_path / "link"))
        assert workspace.folder == str(tmp_path / "link")
        workspace.perform(workspace.plan([file("deep/new")]))
        assert (folder / "deep/new").read_text() == "text"

    def test_where_it_leads_is_asked_again_when_it_is_written(
        self, workspace: Workspace, folder: Path, tmp_path: Path
    ) -> None:
        made = workspace.plan([file("deep/new")])
        (tmp_path / "out").mkdir()
        (folder / "deep").symlink_to(tmp_path / "out")
        with pytest.raises(Changed) as refused:
            workspace.perform(made)
        sentence = f"deep/new: leads to {tmp_path}/out/new, out of the workspace, wanted a file"
        assert str(refused.value) == sentence
        assert os.listdir(tmp_path / "out") == []


class TestCopies:
    """A source may lie anywhere; one that cannot be read is told."""

    @pytest.mark.parametrize("where", ["../source", "source", "{tmp}/source"])
    def test_a_source_is_of_the_workspace_or_of_anywhere_by_a_whole_path(
        self, workspace: Workspace, folder: Path, tmp_path: Path, where: str
    ) -> None:
        (folder / "source").write_bytes(b"here")
        (tmp_path / "source").write_bytes(b"there")
        wanted = b"here" if where == "source" else b"there"
        [action] = workspace.plan([copy(where.format(tmp=tmp_path))]).actions
        assert (action.target, action.data) == (target("to"), wanted)

    @pytest.mark.parametrize("more", [0, 1])
    def test_it_is_read_to_its_bound_and_not_beyond(
        self, workspace: Workspace, folder: Path, more: int
    ) -> None:
        (folder / "source").write_bytes(b"x" * (LIMIT + more))
        assert len(workspace.plan([copy("source")]).actions) == 1 - more

    @pytest.mark.parametrize("source", ["gone", "dir", "gone/x", ""])
    def test_one_that_cannot_be_read_is_refused(
        self, workspace: Workspace, folder: Path, source: str
    ) -> None:
        (folder / "dir").mkdir()
        (folder / "good").write_text("x")
        made = workspace.plan([copy(source), Render(op="copy", path="b", value="good")])
        assert [(each.path, source in each.sentence) for each in made.refusals] == [("to", True)]
        assert [action.target.path for action in made.actions] == ["b"]

    def test_undone_a_copy_goes_and_a_changed_one_stays(
        self, workspace: Workspace, folder: Path
    ) -> None:
        (folder / "source").write_text("x")
        (folder / "to").write_text("x")
        [action] = workspace.plan([copy("source")], undo=True).actions
        assert action.data is None
        (folder / "to").write_text("mine")
        assert workspace.plan([copy("source")], undo=True).actions == ()


class TestPerform:
    def test_each_file_is_written_whole_or_removed(
        self, workspace: Workspace, folder: Path
    ) -> None:
        renders = [NEW, file("deep/in/it", "more")]
        workspace.perform(workspace.plan(renders))
        assert (folder / "new").read_text() == "text"
        assert (folder / "deep/in/it").read_text() == "more"
        assert workspace.plan(renders) == Plan((), ())
        workspace.perform(workspace.plan(renders, undo=True))
        assert not (folder / "new").exists() and not (folder / "deep/in/it").exists()

    @pytest.mark.parametrize("before", [None, "old"])
    @pytest.mark.parametrize("after", [None, "mine"])
    def test_a_file_that_another_one_wrote_meanwhile_is_left_alone(
        self, workspace: Workspace, folder: Path, before: str | None, after: str | None
    ) -> None:
        if before:
            (folder / "new").write_text(before)
        made = workspace.plan([NEW])
        if after:
            (folder / "new").write_text(after)
        elif before:
            (folder / "new").unlink()
        if before == after:
            workspace.perform(made)
            assert (folder / "new").read_text() == "text"
            return
        with pytest.raises(Changed) as refused:
            workspace.perform(made)
        assert str(refused.value) == "new: changed since it was looked at, wanted it as it was"
        assert (folder / "new").read_text() == after if after else not list(folder.iterdir())

    def test_a_long_file_is_compared_as_a_whole(self, workspace: Workspace, folder: Path) -> None:
        (folder / "new").write_text("x" * 1_000)
        made = workspace.plan([NEW])
        workspace.perform(made)
        assert (folder / "new").read_text() == "text"

    def test_a_plan_with_a_refusal_is_not_performed(
        self, workspace: Workspace, folder: Path
    ) -> None:
        with pytest.raises(AssertionError):
            workspace.perform(workspace.plan([NEW, file("../x")]))
        assert list(folder.iterdir()) == []
