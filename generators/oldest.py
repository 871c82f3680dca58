"""The oldest that ``pyproject.toml`` allows, exactly: ``python -m generators.oldest``.

Each lower bound of what st2 needs, and of what runs its tests. Nothing but the standard library
is imported, so that any interpreter can print them before anything is installed.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
RUNNERS = ("hatchling", "hypothesis", "jsonschema", "pytest", "pytest-timeout", "pytest-xdist")
BOUND = re.compile(r"(?P<name>[\w-]+)>=(?P<version>[\w.]+)")


def oldest(project: dict[str, Any]) -> list[str]:
    """Return ``name==version`` for each; ValueError for a requirement without one lower bound."""
    tools = project["optional-dependencies"]["dev"]
    chosen = [each for each in tools if re.split(r"[<>=!~ ]", each)[0] in RUNNERS]
    return [_pinned(each) for each in (*project["dependencies"], *chosen)]


def _pinned(requirement: str) -> str:
    match = BOUND.fullmatch(requirement)
    if match is None:
        raise ValueError(f"{requirement}: want a name, >= and the oldest version that works")
    return f"{match['name']}=={match['version']}"


if __name__ == "__main__":
    print(*oldest(tomllib.loads(PROJECT.read_text("utf-8"))["project"]), sep="\n")
