"""drivers/exec.py: any program, word for word."""

from __future__ import annotations

from launches import launch, provider


def test_exec_is_the_argv_itself() -> None:
    assert provider("exec-session", 'exec { argv "make" "--" "x"; }') == ("make", "--", "x")


def test_such_a_program_finds_nothing_of_ours_in_the_workspace() -> None:
    assert launch('exec { argv "a"; }').render == ()
