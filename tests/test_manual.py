"""The manual: a page for each command, every option in it, and roff that its readers accept."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from generators import manual
from generators.roff import escaped
from generators.tree import commands, options, paragraphs

ROOT = Path(__file__).parent.parent
MAN = ROOT / "man"
TREE = dict(commands())
PAGES = sorted(path.name for path in MAN.glob("*.1"))


def page_of(path: str) -> str:
    """The source of the page on which a command is."""
    return (MAN / f"{'-'.join(path.split(' ')[:2])}.1").read_text("utf-8")


def test_the_pages_are_those_that_the_command_tree_makes() -> None:
    kept = {f"man/{path.name}": path.read_text("utf-8") for path in MAN.iterdir()}
    assert kept == manual.files(), "run: make generated"


@pytest.mark.parametrize("path", TREE)
def test_every_command_with_its_options_and_examples_is_on_a_page(path: str) -> None:
    page = page_of(path)
    found, examples = paragraphs(TREE[path])
    first = escaped(found[0].partition(". ")[0].rstrip("."))
    assert first.lower() in page.lower()
    assert all(f"\\fB{escaped(example)}\\fR" in page for example in examples)
    for option in options(TREE[path]):
        assert escaped(option.opts[-1]) in page


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_files_that_exist_and_other_pages_that_are_there(page: str) -> None:
    named = re.findall(r"\\fB(st2[a-z\\-]*)\\fR\(1\)", (MAN / page).read_text("utf-8"))
    assert named and {f"{name.replace(chr(92), '')}.1" for name in named} <= set(PAGES)


@pytest.mark.parametrize("reader", ["man", "mandoc"])
def test_a_reader_of_manuals_has_nothing_to_complain_about(reader: str) -> None:
    if shutil.which(reader) is None:
        pytest.skip(f"{reader} is not installed")
    call = ["man", "--warnings", "-Tutf8", "-l"] if reader == "man" else ["mandoc", "-Tlint"]
    more = [] if reader == "man" else ["-W", "warning"]
    env = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"}
    done = subprocess.run(
        [*call, *more, *(MAN / page for page in PAGES)],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    said = (done.stderr if reader == "man" else done.stdout + done.stderr).splitlines()
    # A date would be one of writing, which nobody keeps; the version is there.
    assert [line for line in said if "missing date" not in line] == []


@pytest.mark.parametrize(
    ("text", "roff"),
    [("a-b", "a\\-b"), (".x", "\\&.x"), ("'x`", "\\(aqx\\(ga"), ("a\\b", "a\\eb")],
)
def test_text_is_printed_as_it_is(text: str, roff: str) -> None:
    assert escaped(text) == roff
