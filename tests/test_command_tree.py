"""The tree of commands as a person meets it: mistakes, help, full devices."""

from __future__ import annotations

import errno
import subprocess

import pytest

from conftest import Cli
from st2.cli import main as tree


@pytest.mark.parametrize(
    ("typed", "meant"), [("agnets", ", did you mean agents"), ("xyzzy", "")], ids=str
)
def test_a_mistyped_command_is_told_what_it_may_have_meant(
    cli: Cli, typed: str, meant: str
) -> None:
    done = cli(typed)
    assert (done.code, done.errors) == (
        *(2, f"st2: command line: found no command '{typed}'{meant}\nhint: st2 --help\n"),
    )


def test_without_a_command_it_prints_help_and_says_that_nothing_was_asked(cli: Cli) -> None:
    done = cli()
    assert (done.code, done.text.splitlines()[0]) == (2, "Usage: st2 [OPTIONS] COMMAND [ARGS]...")


def test_a_file_on_a_full_disk_is_named_and_not_called_the_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", ".st2/h1/watching")

    monkeypatch.setattr(tree.main, "main", full)
    with pytest.raises(OSError, match="watching"):
        tree.run(["sync", "--watch"])


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_on_a_full_device_is_a_clear_failure(cli: Cli, option: str) -> None:
    """Case F21."""
    script = f"st2 {option} >/dev/full"
    done = subprocess.run(
        ["bash", "-c", script], env=cli.environment(), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (
        *(1, b"st2: stdout: no space left on device, wanted a place to write to\n"),
    )


@pytest.mark.parametrize("option", ["--catalog=", "--host="])
def test_an_empty_value_is_not_taken_for_none(cli: Cli, option: str) -> None:
    assert cli(option, "agents").code == 2
