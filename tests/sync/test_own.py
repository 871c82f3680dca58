"""The repositories of st2's own: a catalog brings none along, and what we did not make goes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conftest import Cli
from support.fleet import Fleet, git, good


@pytest.fixture
def sprung(tmp_path: Path) -> Path:
    """The file that their program leaves when it runs."""
    return tmp_path / "PWNED"


def trap(repository: Path, sprung: Path) -> None:
    """Send whatever git would ask for to a program of theirs."""
    program = sprung.parent / "proxy.sh"
    program.write_text(f"#!/bin/sh\necho x >> {sprung}\nexit 1\n")
    program.chmod(0o755)
    git("init", "-q", "--bare", "--template=", repository)
    config = f"--file={repository}/config"
    git("config", config, "core.gitProxy", str(program))
    git("config", config, "url.git://nowhere.invalid/.insteadOf", "/")


def test_a_trap_sprung_by_a_plain_git_is_one(fleet: Fleet, sprung: Path, tmp_path: Path) -> None:
    trap(tmp_path / "x", sprung)
    with pytest.raises(Exception, match="non-zero"):
        git(f"--git-dir={tmp_path / 'x'}", "fetch", str(fleet.remote))
    assert sprung.exists()


def test_repositories_that_came_with_a_catalog_are_not_entered(
    cli: Cli, fleet: Fleet, sprung: Path
) -> None:
    """Everything that stands in snapshots, and everything that another copy of ours shows."""
    good(cli("sync", "--remote", str(fleet.remote)))
    known = fleet.published("h1").node
    other = cli.catalog.parent / "pulled"
    shutil.copytree(cli.catalog, other)
    for folder in [known, *(p.name for p in (other / ".st2/h1/repository").iterdir())]:
        for name in ("read", "publish"):
            trap(other / ".st2/h1/repository" / folder / name, sprung)
    pulled = cli("sync", "--remote", str(fleet.remote), env={"CATALOG": str(other)})
    assert "duplicate" in pulled.errors or "published by node" in pulled.errors
    assert not sprung.exists()


@pytest.mark.parametrize("name", ["read", "publish"])
def test_a_configuration_in_a_repository_of_ours_is_dropped_with_it(
    fleet: Fleet, sprung: Path, name: str
) -> None:
    h1 = fleet.host("h1")
    h1.sync()
    trap(h1.own(name), sprung)
    assert (h1.own(name) / "config").exists()
    h1.sync()
    assert not (h1.own(name) / "config").exists()
    assert not sprung.exists()


@pytest.mark.parametrize(
    "planted",
    ["info/attributes", "hooks/x", "objects/info/alternates", "worktrees/x/HEAD", "commondir"],
)
def test_whatever_we_did_not_make_is_dropped(fleet: Fleet, planted: str) -> None:
    h1 = fleet.host("h1")
    h1.sync()
    path = h1.own("read") / planted
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("/nowhere\n")
    assert h1.sync().failed is None
    assert not path.exists()


@pytest.mark.parametrize("folder", ["objects", "refs"])
def test_a_folder_of_it_that_is_a_symbolic_link_is_dropped(
    fleet: Fleet, folder: str, tmp_path: Path
) -> None:
    h1 = fleet.host("h1")
    h1.sync()
    place, moved = h1.own("read") / folder, tmp_path / "moved"
    place.rename(moved)
    place.symlink_to(moved)
    h1.sync()
    assert place.is_dir() and not place.is_symlink()
    assert moved.is_dir()


def test_a_folder_of_repositories_that_is_a_link_is_a_sentence(
    fleet: Fleet, tmp_path: Path
) -> None:
    h1 = fleet.host("h1")
    (tmp_path / "elsewhere").mkdir()
    place = h1.root / h1.site.layout.repository()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(tmp_path / "elsewhere")
    report = h1.sync()
    assert "wanted a folder of our own" in str(report.failed)
    assert "wanted a folder of our own" in str(report.uncollected)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_a_round_leaves_is_plain_so_that_nothing_is_fetched_twice(fleet: Fleet) -> None:
    h1, h2 = fleet.host("h1"), fleet.host("h2")
    h2.sync()
    h1.sync()
    before = (h1.own("read") / "HEAD").stat().st_ino
    h2.sync()
    h1.sync()
    assert (h1.own("read") / "HEAD").stat().st_ino == before
