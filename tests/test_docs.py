"""What is written down runs: fenced examples, commands, options."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import ckdl
import click
import pytest

from conftest import Cli
from st2.cli.main import main

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "spec").rglob("*.md"),
        *(ROOT / "examples").rglob("*.md"),
    ]
)
COMMANDS = (ROOT / "spec" / "commands.md").read_text("utf-8")
FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
CLAUSE = re.compile(r"^- \*\*([A-Z]+-?\d+)\*\*", re.MULTILINE)
NOT_RUN = 4
"""Blocks marked `not-run`, each with its reason in the info string. Raise it with a reason only."""


@dataclass(frozen=True)
class Block:
    """One fenced block: where it stands, its language, why it does not run, its text."""

    page: str
    language: str
    excuse: str
    text: str


def blocks() -> Iterator[Block]:
    for page in PAGES:
        for match in FENCE.finditer(page.read_text("utf-8")):
            language, _, rest = match["info"].partition(" ")
            yield Block(str(page.relative_to(ROOT)), language, rest.strip(), match["text"])


BLOCKS = list(blocks())
SHELL = sorted({block.page for block in BLOCKS if block.language == "sh" and not block.excuse})


def of(language: str) -> list[object]:
    chosen = [block for block in BLOCKS if block.language == language and not block.excuse]
    return [pytest.param(block, id=f"{block.page}:{n}") for n, block in enumerate(chosen)]


def commands(group: click.Command, path: str = "st2") -> Iterator[tuple[str, click.Command]]:
    """Every command of the tree, hidden ones too."""
    yield path, group
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            if (command := group.get_command(context, name)) is not None:
                yield from commands(command, f"{path} {name}")


TREE = dict(commands(main))


@pytest.mark.parametrize("block", of("kdl"))
def test_a_kdl_example_parses(block: Block) -> None:
    assert ckdl.parse(block.text, version=2).nodes


@pytest.mark.parametrize("block", of("json"))
def test_a_json_example_parses(block: Block) -> None:
    json.loads(block.text)


@pytest.mark.parametrize("block", of("toml"))
def test_a_toml_example_parses(block: Block) -> None:
    assert tomllib.loads(block.text)


def test_the_json_row_of_the_spec_has_the_keys_that_are_printed(cli: Cli) -> None:
    folder = cli.catalog / "agents/h2/builder"
    folder.mkdir(parents=True)
    (folder / "status").write_bytes(b"busy\nv1 1\n")
    shown = next(b.text for b in BLOCKS if b.page == "spec/commands.md" and b.language == "json")
    (printed,), (written,) = json.loads(cli("agents", "--json").text), json.loads(shown)
    assert list(printed) == list(written)
    assert list(printed["presence"]) == list(written["presence"])


@pytest.mark.slow
@pytest.mark.parametrize("page", SHELL)
def test_the_shell_examples_of_a_page_run_in_order_in_a_new_home(page: str, cli: Cli) -> None:
    chosen = [b.text for b in BLOCKS if b.page == page and b.language == "sh" and not b.excuse]
    script = "set -euo pipefail\n" + "\n".join(chosen)
    env = cli.environment({"CATALOG": None, "ST2_HOST": None, "XDG_STATE_HOME": None})
    done = subprocess.run(
        ["bash", "-c", script], cwd=cli.home, env=env, capture_output=True, timeout=250, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr).decode()


def test_every_block_has_a_language_and_what_does_not_run_says_why() -> None:
    assert {block.language for block in BLOCKS} <= {"sh", "kdl", "json", "text", "toml"}
    excused = [block.excuse for block in BLOCKS if block.excuse]
    assert all(re.fullmatch(r"not-run: \S.+", excuse) for excuse in excused)
    assert len(excused) == NOT_RUN


@pytest.mark.parametrize("path", TREE)
def test_every_command_is_documented_and_has_help(path: str) -> None:
    assert TREE[path].help, f"{path}: no help"
    assert f"`{path}" in COMMANDS, f"{path}: not in spec/commands.md"


@pytest.mark.parametrize("path", TREE)
def test_every_option_is_documented_and_has_help(path: str) -> None:
    for option in TREE[path].params:
        if not isinstance(option, click.Option):
            continue
        name = max(option.opts, key=len)
        assert option.help or option.hidden, f"{path} {name}: no help"
        assert f"`{name}" in section(path), f"{path} {name}: not in its part of spec/commands.md"


def test_a_clause_of_the_contract_has_an_id_of_its_own() -> None:
    pages = sorted((ROOT / "spec").glob("*.md"))
    ids = [each for page in pages for each in CLAUSE.findall(page.read_text("utf-8"))]
    assert [each for each, count in Counter(ids).items() if count > 1] == []


def section(path: str) -> str:
    """The part of spec/commands.md about *path*: from its heading to the next one."""
    start = COMMANDS.index(f"## `{path}")
    end = COMMANDS.find("\n## ", start)
    return COMMANDS[start : end if end >= 0 else len(COMMANDS)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_links_to_is_there(page: Path) -> None:
    text = FENCE.sub("", page.read_text("utf-8"))
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_map_of_the_house_names_what_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = re.findall(r"`((?:st2|catalog|drivers|tests|spec)/[a-z_./]+)`", text)
    assert len(named) > 5
    assert [name for name in named if not (ROOT / name).exists()] == []
    targets = re.findall(r"`make ([a-z-]+)`", text)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert [target for target in targets if f"\n{target}:" not in makefile] == []
