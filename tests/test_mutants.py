"""The table of mutation testing names what is there, and all that is to be tested so."""

from __future__ import annotations

import tomllib
from pathlib import Path

from mutants.run import modules

ROOT = Path(__file__).parent.parent
NO_FUNCTIONS = {"catalog.verbs", "catalog.windows"}


def test_every_module_and_every_test_of_the_table_exist() -> None:
    for module, tests in modules().items():
        assert (ROOT / module).is_file(), f"{module}: no such file"
        for test in tests:
            file, *names = test.split("::")
            assert (ROOT / file).is_file(), f"{module}: no file {file}"
            text = (ROOT / file).read_text("utf-8")
            assert all(f" {name}" in text for name in names), f"{module}: no test {test}"


def test_the_whole_pure_middle_is_in_the_table() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    [pure] = [each["source_modules"] for each in contracts if each["id"] == "pure"]
    known = {module.removesuffix(".py").replace("/", ".") for module in modules()}
    assert set(pure) - known == NO_FUNCTIONS
