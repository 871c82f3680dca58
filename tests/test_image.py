"""Becoming another program: the search, the shell for scripts, the environment."""

from __future__ import annotations

import os
import subprocess
import sys
from errno import EACCES, ENOENT, ENOTDIR
from pathlib import Path

import pytest

from drivers.image import become, errno_name


def become_in_child(argv: list[str], environment: dict[bytes, bytes]) -> tuple[int, str]:
    """Fork, become *argv*, and return its exit code (200 for an OSError) and what it printed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writing, 1)
        try:
            become([os.fsencode(word) for word in argv], environment)
        except OSError as error:
            os.write(1, errno_name(error).encode())
        os._exit(200)
    os.close(writing)
    with open(reading, "rb") as pipe:
        printed = pipe.read().decode()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), printed


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
    (tmp_path / "first/denied").write_text("text")
    (tmp_path / "first/both").write_text("text")
    for name in ("second/both", "second/prog"):
        (tmp_path / name).write_text('#!/bin/sh\necho "$0 $*"; exit 3\n')
        (tmp_path / name).chmod(0o755)
    (tmp_path / "second/bare").write_text('echo "shell $0 $*"; exit 4\n')
    (tmp_path / "second/bare").chmod(0o755)
    return tmp_path


def path_of(folder: Path, *names: str) -> dict[bytes, bytes]:
    return {b"PATH": os.fsencode(":".join(str(folder / name) for name in names))}


@pytest.mark.parametrize(
    ("argv", "code", "printed"),
    [
        (["prog", "a", ""], 3, "{}/second/prog a \n"),
        (["both"], 3, "{}/second/both \n"),
        (["bare", "x"], 4, "shell {}/second/bare x\n"),
        (["denied"], 200, "EACCES"),
        (["nonesuch"], 200, "ENOENT"),
        ([""], 200, "ENOENT"),
        (["./nonesuch"], 200, "ENOENT"),
        (["/etc/passwd/x"], 200, "ENOTDIR"),
        (["/"], 200, "EACCES"),
    ],
)
def test_a_program_is_found_as_execvp_finds_it(
    programs: Path, argv: list[str], code: int, printed: str
) -> None:
    environment = path_of(programs, "none", "first", "first/denied", "second")
    assert become_in_child(argv, environment) == (code, printed.format(programs))


def test_an_empty_entry_of_the_path_is_the_working_directory(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(programs / "second")
    assert become_in_child(["prog"], {b"PATH": b"/nonesuch:"})[0] == 3


def test_without_a_path_the_systems_own_is_searched() -> None:
    assert become_in_child(["true"], {}) == (0, "")


LATER = """\
import os
from drivers.image import inherited_environment
os.environ["ST2_TEST_LATER"] = "x"
found = inherited_environment()
assert b"ST2_TEST_LATER" not in found and found[b"PATH"]
"""


def test_the_environment_is_what_the_kernel_was_given_and_not_what_python_made_of_it() -> None:
    """In a process of its own: pytest's workers may write a title over what they were given."""
    subprocess.run([sys.executable, "-P", "-c", LATER], check=True)


@pytest.mark.parametrize("number", [ENOENT, EACCES, ENOTDIR])
def test_an_error_is_named_as_the_kernel_names_it(number: int) -> None:
    assert getattr(__import__("errno"), errno_name(OSError(number, ""))) == number
    assert errno_name(OSError()) == "EIO"
