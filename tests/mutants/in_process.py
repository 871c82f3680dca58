"""For pytest, in the process of one mutant: what is run, and that it is made of the mutant.

Tests that start a program are left out: a mutant would wait for each of them. And the modules of
tests are loaded anew: mutmut forks from a process that has loaded them, where the values of
parametrized tests were made by functions that had not been changed.
"""

from __future__ import annotations

import os
import sys

import pytest

PROGRAMS = {"cli", "connect", "doll", "fleet", "hub", "repository", "sshd", "wrapped"}
"""The fixtures that start the command, servers, repositories; a test's own needs another name."""


def pytest_configure() -> None:
    """Forget the modules of tests, from whichever run they are."""
    # Between two functions of a mutant stand two of mutmut.
    sys.setrecursionlimit(3_000)
    tests = os.path.join(os.getcwd(), "tests", "")
    for name, module in list(sys.modules.items()):
        if name != "conftest" and (getattr(module, "__file__", "") or "").startswith(tests):
            del sys.modules[name]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what starts a program."""
    out = [item for item in items if PROGRAMS.intersection(getattr(item, "fixturenames", ()))]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in out]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Call it a failure where a test has another name now: a value in the name is the mutant's."""
    if exitstatus == pytest.ExitCode.USAGE_ERROR:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
