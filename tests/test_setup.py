"""Making a catalog, or completing one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from catalog import setup
from catalog.layout import Layout
from catalog.refusals import CatalogUnusable
from conftest import Cli


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(str(tmp_path / "deep" / "catalog"), "h1")


def test_a_catalog_is_made_with_its_folders_and_its_three_files(layout: Layout) -> None:
    assert setup.complete(layout) == ["agents/", ".gitattributes", ".gitignore", ".stignore"]
    assert Path(layout.root, "agents").is_dir()


def test_a_second_time_there_is_nothing_to_do(layout: Layout) -> None:
    setup.complete(layout)
    before = {path: path.stat().st_mtime_ns for path in Path(layout.root).iterdir()}
    assert setup.complete(layout) == []
    after = {path: path.stat().st_mtime_ns for path in Path(layout.root).iterdir()}
    assert after == before


def test_what_a_person_wrote_stays_and_only_missing_lines_are_added(layout: Layout) -> None:
    root = Path(layout.root)
    root.mkdir(parents=True)
    mine = b"# mine\r\n*.log\n/.st2/\n/agents/*/*/status"
    (root / ".gitignore").write_bytes(mine)
    (root / ".gitignore").chmod(0o640)
    setup.complete(layout)
    raw = (root / ".gitignore").read_bytes()
    assert raw.startswith(mine + b"\n/hosts/\n")
    assert raw.count(b"/.st2/") == raw.count(b"/agents/*/*/status") == 1
    assert (root / ".gitignore").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes", ".stignore"])
def test_a_symlink_in_the_place_of_a_file_is_not_written_through(
    layout: Layout, name: str, tmp_path: Path
) -> None:
    Path(layout.root).mkdir(parents=True)
    (tmp_path / "outside").write_text("mine\n")
    Path(layout.root, name).symlink_to(tmp_path / "outside")
    with pytest.raises(CatalogUnusable) as refused:
        setup.complete(layout)
    assert "cannot be completed, wanted a file" in str(refused.value)
    assert (tmp_path / "outside").read_text() == "mine\n"


def test_a_place_where_no_folder_can_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CatalogUnusable) as refused:
        setup.complete(Layout(str(tmp_path / "file" / "catalog"), "h1"))
    assert "cannot be made (not a directory), wanted a folder" in str(refused.value)


def test_git_ignores_every_runtime_file_and_no_declaration(cli: Cli) -> None:
    assert cli("init").code == 0
    subprocess.run(["git", "init", "-q", cli.catalog], check=True)
    paths = {
        "agents/h1/a1/agent.kdl": False,
        "agents/h1/a1/resources/status": False,
        "catalog.kdl": False,
        "agents/h1/a1/status": True,
        "agents/h1/a1/session.json": True,
        "agents/h1/a1/activity": True,
        "agents/h1/a1/held": True,
        "agents/h1/a1/seen": True,
        "agents/h1/a1/.status.tmp-1-2": True,
        "hosts/h1/beat": True,
        ".st2/h1/node": True,
    }
    for path, ignored in paths.items():
        found = subprocess.run(["git", "-C", cli.catalog, "check-ignore", "-q", path], check=False)
        assert (found.returncode == 0) is ignored, path


class TestInit:
    """The command: the catalog, this host's own folder, the remote."""

    def test_it_makes_the_folder_that_it_is_given_and_says_what_it_did(
        self, cli: Cli, tmp_path: Path
    ) -> None:
        done = cli("init", "mine", cwd=tmp_path)
        assert (
            done.text == f"{tmp_path}/mine: made agents/, .gitattributes, .gitignore, .stignore\n"
        )
        assert (tmp_path / "mine/.st2").stat().st_mode & 0o777 == 0o700
        assert cli("init", "mine", cwd=tmp_path).text == f"{tmp_path}/mine: complete\n"

    def test_the_node_stays_the_same(self, cli: Cli) -> None:
        cli("init")
        before = (cli.catalog / ".st2/h1/node").read_bytes()
        cli("init")
        assert (cli.catalog / ".st2/h1/node").read_bytes() == before

    @pytest.mark.parametrize("exists", [False, True])
    def test_a_free_place_becomes_a_bare_repository_set_up_for_presence(
        self, cli: Cli, tmp_path: Path, exists: bool
    ) -> None:
        remote = tmp_path / "deep" / "presence.git"
        if exists:
            remote.mkdir(parents=True)
        done = cli("init", "--remote", str(remote))
        assert f"remote {remote}: made a bare repository" in done.errors
        assert "gc -q --prune=1.hour.ago" in done.errors
        assert "--prune=now" not in done.errors
        listed = subprocess.run(
            ["git", f"--git-dir={remote}", "config", "--list", "--local"],
            capture_output=True,
            check=True,
            text=True,
        ).stdout.splitlines()
        assert {
            "core.bare=true",
            "core.fsync=all",
            "receive.autogc=false",
            "gc.auto=0",
            "receive.fsckobjects=true",
            "receive.maxinputsize=16m",
            "core.logallrefupdates=false",
            "uploadpack.allowfilter=true",
        } <= set(listed)
        assert not (remote / "hooks").exists()

    def test_a_repository_that_is_there_is_left_as_it_is_and_the_commands_are_printed(
        self, cli: Cli, tmp_path: Path
    ) -> None:
        remote = tmp_path / "a b.git"
        subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
        before = (remote / "config").read_bytes()
        done = cli("init", "--remote", str(remote))
        assert (remote / "config").read_bytes() == before
        assert f"git -C '{remote}' config core.fsync all" in done.errors

    @pytest.mark.parametrize("kind", ["file", "folder"])
    def test_a_place_that_is_taken_by_something_else_is_refused(
        self, cli: Cli, tmp_path: Path, kind: str
    ) -> None:
        place = tmp_path / "taken"
        if kind == "file":
            place.touch()
        else:
            (place / "x").mkdir(parents=True)
        refused = cli("init", "--remote", str(place))
        assert refused.code == 2
        assert "wanted a repository or a free place" in refused.errors

    def test_a_relative_path_is_meant_from_here(self, cli: Cli, tmp_path: Path) -> None:
        cli("init", "--remote", "p.git", cwd=tmp_path)
        assert (tmp_path / "p.git/HEAD").exists()
        assert cli("sync", cwd=cli.home).code == 0
