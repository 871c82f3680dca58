"""A remote that is a folder of somebody else's: what its own configuration cannot make us run."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Cli
from support.fleet import Fleet, git, put

REF = "refs/st2/presence/h1"


class Filtered:
    """A repository with a work tree, whose filter leaves a file when it runs."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "theirs"
        self.sprung = folder / "PWNED"
        program = folder / "filter.sh"
        program.write_text(f"#!/bin/sh\necho x >> {self.sprung}\nexec cat\n")
        program.chmod(0o755)
        git("init", "-q", self.path)
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        for key in ("clean", "smudge", "process"):
            self.git("config", f"filter.x.{key}", str(program))
        self.git("config", "receive.denyCurrentBranch", "updateInstead")
        self.git("config", "receive.denyDeleteCurrent", "ignore")
        (self.path / ".git/info").mkdir(exist_ok=True)
        (self.path / ".git/info/attributes").write_text("* filter=x\n")

    def git(self, *args: str) -> str:
        """Run git there."""
        return git("-C", self.path, "-c", "user.name=x", "-c", "user.email=x@x", *args)


@pytest.fixture
def theirs(tmp_path: Path) -> Filtered:
    return Filtered(tmp_path)


def twice(cli: Cli, remote: Path) -> list[str]:
    """Publish two snapshots that differ; return what was said."""
    said = []
    for word in (b"busy\n", b"away\n"):
        put(cli, "a1", "status", word)
        said.append(cli("sync", "--remote", str(remote)).errors)
    return said


def test_a_push_onto_its_checked_out_ref_is_refused_and_runs_no_filter(
    cli: Cli, theirs: Filtered
) -> None:
    (theirs.path / ".git/HEAD").write_text(f"ref: {REF}\n")
    assert "branch is currently checked out" in twice(cli, theirs.path)[1]
    assert not theirs.sprung.exists()


def test_a_push_onto_the_ref_of_a_linked_work_tree_is_refused_and_runs_no_filter(
    cli: Cli, theirs: Filtered, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    theirs.git("worktree", "add", "-q", "-b", "other", str(linked))
    theirs.sprung.unlink(missing_ok=True)
    (theirs.path / ".git/worktrees/linked/HEAD").write_text(f"ref: {REF}\n")
    for remote in (theirs.path, linked):
        assert "branch is currently checked out" in twice(cli, remote)[1]
    assert not theirs.sprung.exists()


def test_an_object_that_is_missing_there_is_fetched_from_nowhere(
    cli: Cli, fleet: Fleet, tmp_path: Path
) -> None:
    """A promisor remote of theirs, whose program would run when an object is missing."""
    sprung, program = tmp_path / "PWNED", tmp_path / "promise.sh"
    program.write_text(f"#!/bin/sh\necho x >> {sprung}\nexit 1\n")
    program.chmod(0o755)
    for key, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "o"),
        ("remote.o.promisor", "true"),
        ("remote.o.url", str(tmp_path / "none.git")),
        ("remote.o.uploadpack", str(program)),
    ):
        fleet.git("config", key, value)
    folder = fleet.remote / "refs/st2/presence"
    folder.mkdir(parents=True)
    (folder / "h9").write_text("1" * 40 + "\n")
    cli("sync", "--remote", str(fleet.remote))
    assert not sprung.exists()
