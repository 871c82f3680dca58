"""For pytest: leaves out the tests that start a program; a mutant would wait for each of them."""

from __future__ import annotations

import pytest

PROGRAMS = {"cli", "connect", "doll", "fleet", "hub", "repository", "sshd", "wrapped"}
"""The fixtures that do: the command, servers, repositories."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect them."""
    out = [item for item in items if PROGRAMS.intersection(getattr(item, "fixturenames", ()))]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in out]
