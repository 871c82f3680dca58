"""drivers/exec.py: any program, word for word."""

from __future__ import annotations

import pytest

from catalog.declaration_errors import BadDeclaration
from launches import launch, provider


def test_exec_is_the_argv_itself() -> None:
    assert provider("exec-session", 'exec { argv "make" "--" "x"; }') == ("make", "--", "x")


def test_such_a_program_finds_nothing_of_ours_in_the_workspace() -> None:
    assert launch('exec { argv "a"; }').render == ()


def test_an_empty_word_is_no_program() -> None:
    with pytest.raises(BadDeclaration, match="exec argv: found an empty first word") as refused:
        provider("exec-session", 'exec { argv "" "x"; }')
    assert refused.value.hint == "write its name or path"
    assert provider("exec-session", 'exec { argv "x" ""; }') == ("x", "")
