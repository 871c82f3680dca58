"""The oldest versions that are allowed can be written down, each as one exact requirement."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from generators.oldest import RUNNERS, oldest

ROOT = Path(__file__).parent.parent


def test_every_dependency_has_an_oldest_version_and_so_has_what_runs_its_tests() -> None:
    """Before anything is installed: the program needs nothing but the interpreter."""
    done = subprocess.run(
        [sys.executable, "-S", "-m", "generators.oldest"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = [line.split("==")[0] for line in done.stdout.splitlines()]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert names == [*(each.split(">")[0] for each in project["dependencies"]), *RUNNERS]


@pytest.mark.parametrize("requirement", ["click", "click>=8,<9", "click==8.4", "click>8"])
def test_a_requirement_without_one_oldest_version_is_refused(requirement: str) -> None:
    project = {"dependencies": [requirement], "optional-dependencies": {"dev": []}}
    with pytest.raises(ValueError, match=r"want a name, >= and the oldest version"):
        oldest(project)
