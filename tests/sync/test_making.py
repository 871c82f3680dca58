"""A remote whose making is cut short: none is seen before it is whole, and the next one is."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.sync import afar, bare
from catalog.sync.bare import CONFIGURATION
from catalog.sync.remote import check
from catalog.sync.upkeep import upkeep
from catalog.sync_errors import RemoteRefused, SyncFailed
from catalog.system import making
from conftest import Cli
from support.faulty_files import Kernel, Killed, faults
from support.fleet import git, good

STEPS = 1 + len(CONFIGURATION)
"""How often git is run to make one."""


def configured(path: Path) -> bool:
    listed = git(f"--git-dir={path}", "config", "--local", "--list").splitlines()
    return {f"{key.lower()}={value}" for key, value in CONFIGURATION} <= set(listed)


def whole(path: Path) -> bool:
    """Say whether a repository with its whole configuration lies here, and nothing besides."""
    return configured(path) and set(os.listdir(path)) == {"HEAD", "config", "objects", "refs"}


def make(path: Path) -> bool:
    return bare.prepare(check(str(path), base="/")).made


def under(kernel: Kernel, path: Path) -> BaseException | None:
    """Make one with *kernel* between us and the system; return what was raised."""
    making.os = kernel  # type: ignore[assignment]
    try:
        make(path)
    except (OSError, Killed, KeyboardInterrupt) as error:
        return error
    finally:
        making.os = os
    return None


@pytest.mark.parametrize("there", [False, True], ids=["a free path", "an empty folder"])
def test_at_every_call_every_fault_leaves_none_or_a_whole_one_and_the_next_attempt_succeeds(
    tmp_path: Path, there: bool
) -> None:
    clean = Kernel()
    assert under(clean, tmp_path / "first") is None
    assert clean.calls.count("rename") == 4
    for number, what in faults(["listdir"] * there + clean.calls):
        path = tmp_path / f"{number}-{what}"
        if there:
            path.mkdir()
        raised = under(Kernel(number, what), path)
        where = f"call {number}: {what}: {raised!r}"
        assert raised is not None, where
        assert not bare.is_repository(str(path)) or configured(path), where
        make(path)
        assert whole(path), where


def dying(folder: Path, names: tuple[str, ...], before: str) -> Path:
    """Return a folder of programs, of which the DIES-th that is run does *before*, and kills.

    Who is killed is who ran it, and no program of theirs is run.
    """
    folder.mkdir()
    for name in names:
        real = shutil.which(name)
        program = folder / name
        program.write_text(
            f'#!/bin/sh\necho >> {folder}/ran\n[ "$(wc -l < {folder}/ran)" -ne "$DIES" ]'
            f' || {{ {before}; kill -9 "$PPID"; exit 9; }}\nexec {real} "$@"\n'
        )
        program.chmod(0o755)
    return folder


@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_whoever_is_killed_while_git_runs_leaves_what_the_next_init_finishes(
    cli: Cli, tmp_path: Path, step: int
) -> None:
    path = tmp_path / "p.git"
    left = f"touch {path}/{making.ASIDE}/config.lock {path}/{making.ASIDE}/HEAD.lock"
    programs = dying(tmp_path / "bin", ("git",), left)
    path_of_programs = f"{programs}{os.pathsep}{cli.env['PATH']}"
    killed = cli.start("init", "--remote", path, env={"PATH": path_of_programs, "DIES": str(step)})
    assert killed.wait(timeout=90) == -signal.SIGKILL
    assert not bare.is_repository(str(path))
    assert "made a bare repository" in good(cli("init", "--remote", str(path))).errors
    assert whole(path)
    good(cli("sync"))


def test_a_server_where_the_shell_is_killed_at_any_step_has_a_whole_one_after_the_next(
    tmp_path: Path,
) -> None:
    programs = dying(tmp_path / "bin", ("git", "mkdir", "mv", "rm"), ":")
    steps = 0
    while True:
        steps += 1
        path = tmp_path / f"p {steps}"
        (programs / "ran").unlink(missing_ok=True)
        line = ["sh", "-c", afar.script(str(path))]
        env = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "DIES": str(steps)}
        done = subprocess.run(line, env=env, check=False)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
        if bare.is_repository(str(path)):
            upkeep(str(path), now_ms=0)
            assert configured(path)
            assert not (path / making.ASIDE).exists()
        else:
            subprocess.run(line, check=True)
            assert whole(path), steps
    assert steps == STEPS + 3 + 4 + 1


@pytest.fixture
def few_files(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own for the remote."""
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a small disk")
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "nr_inodes=100", "st2", place], check=True)
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_disk_that_is_full_at_any_file_of_it_leaves_the_place_free(few_files: Path) -> None:
    room = 1
    while True:
        room += 1
        remount(few_files, room)
        path = few_files / "p.git"
        try:
            make(path)
        except (SyncFailed, OSError):
            assert not bare.is_repository(str(path))
            assert making.is_free(str(path))
        else:
            break
        remount(few_files, 100)
        assert make(path)
        assert whole(path)
        shutil.rmtree(path)
    assert room >= 8
    assert whole(path)


def remount(place: Path, files: int) -> None:
    subprocess.run(["mount", "-o", f"remount,nr_inodes={files}", place], check=True)


def test_a_folder_in_which_anything_else_lies_is_left_alone(tmp_path: Path) -> None:
    """Our own folder in it does not make the rest of it ours."""
    for number, names in enumerate((["notes"], ["config"], ["HEAD", "refs"], ["objects"])):
        place = tmp_path / str(number)
        for name in names:
            (place / name).mkdir(parents=True)
        if names in (["notes"], ["objects"]):
            (place / making.ASIDE).mkdir()
        before = sorted(os.listdir(place))
        with pytest.raises(RemoteRefused, match="a folder with other things in it"):
            make(place)
        assert subprocess.run(["sh", "-c", afar.script(str(place))], check=False).returncode == 17
        assert sorted(os.listdir(place)) == before


def test_a_link_in_the_place_of_our_folder_is_not_ours(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "x").touch()
    place = tmp_path / "p.git"
    place.mkdir()
    (place / making.ASIDE).symlink_to(mine)
    with pytest.raises(RemoteRefused):
        make(place)
    assert subprocess.run(["sh", "-c", afar.script(str(place))], check=False).returncode == 17
    assert os.listdir(mine) == ["x"]
