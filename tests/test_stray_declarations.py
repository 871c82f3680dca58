"""What looks like a declaration and is none, and several of one agent (case F23)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Cli

GOOD = 'agent "good" {\n    host "h1"\n    exec {\n        argv "make"\n    }\n}\n'


@pytest.fixture
def good(cli: Cli) -> Path:
    """The folder of a sound agent, h1.good."""
    folder = cli.catalog / "agents" / "h1" / "good"
    folder.mkdir(parents=True)
    (folder / "agent.kdl").write_text(GOOD)
    return folder


def rows(cli: Cli) -> dict[str, list[str]]:
    """Each row's bus id and the codes of its findings."""
    done = cli("agents", "--json")
    assert done.code == 0, done.errors
    found = json.loads(done.out)
    assert len({row["identity"] for row in found}) == len(found)
    return {row["identity"]: [each["code"] for each in row["findings"]] for row in found}


def test_files_under_resources_are_no_agents(cli: Cli, good: Path) -> None:
    inner = good / "resources" / "h1" / "ghost"
    inner.mkdir(parents=True)
    (inner / "agent.kdl").write_text('agent "ghost"\n')
    (good / "resources" / "agent.json").write_text('{"agent": "ghost"}')
    assert rows(cli) == {"h1.good": []}


def test_a_symlink_for_a_declaration_or_a_folder_is_not_followed(
    cli: Cli, good: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "agent.kdl").write_text('agent "ghost"\n')
    (good.parent / "folder").symlink_to(outside)
    (good.parent / "file").mkdir()
    (good.parent / "file" / "agent.kdl").symlink_to(outside / "agent.kdl")
    found = rows(cli)
    assert "h1.ghost" not in found and "h1.folder" not in found
    assert found["h1.good"] == []


def test_a_broken_file_is_a_finding_beside_the_good_ones(cli: Cli, good: Path) -> None:
    for name, text in (
        ("one", b"a }"),
        ("two", b'agent "x" { retired true; }'),
        ("three", b"\xff\0"),
        ("four", b""),
    ):
        (good.parent / name).mkdir()
        (good.parent / name / "agent.kdl").write_bytes(text)
    assert rows(cli) == {
        "h1.good": [],
        "h1.one": ["kdl-syntax"],
        "h1.two": ["kdl-1"],
        "h1.three": ["kdl-not-utf8"],
        "h1.four": ["declaration-agents"],
    }


def test_two_declarations_of_one_bus_id_are_one_row_and_refused_where_one_must_be_chosen(
    cli: Cli, good: Path
) -> None:
    (good.parent / "twin").mkdir()
    (good.parent / "twin" / "agent.kdl").write_text(GOOD)
    assert rows(cli) == {"h1.good": ["agent-mismatch", "duplicate-declaration"]}
    done = cli("driver", "expand", "h1.good")
    assert (done.code, done.out) == (1, b"")
    assert done.errors == (
        "st2: h1.good: declared at agents/h1/good/agent.kdl, agents/h1/twin/agent.kdl, "
        "wanted exactly one\nhint: keep one of them\n"
    )


def test_a_declaration_that_cannot_be_launched_keeps_its_row(cli: Cli, good: Path) -> None:
    (good / "agent.kdl").write_text('agent "good" { claude; codex; }')
    assert rows(cli) == {"h1.good": ["declaration-two-launches"]}


SPELLED = {
    "agent.kdl": 'agent "good" { name "kdl"; exec { argv "make"; }; }',
    "agent.toml": 'agent = "good"\nname = "toml"\nexec.argv = ["make"]\n',
    "agent.json": '{"agent": "good", "name": "json", "exec": {"argv": ["make"]}}',
}


@pytest.mark.parametrize(
    "names",
    [
        ("agent.kdl", "agent.toml"),
        ("agent.kdl", "agent.json"),
        ("agent.toml", "agent.json"),
        ("agent.kdl", "agent.toml", "agent.json"),
    ],
    ids=" ".join,
)
def test_of_several_spellings_the_first_counts_and_each_other_is_a_finding(
    cli: Cli, good: Path, names: tuple[str, ...]
) -> None:
    (good / "agent.kdl").unlink()
    for name in names:
        (good / name).write_text(SPELLED[name])
    first, *others = names
    [row] = json.loads(cli("agents", "--json").out)
    assert row["name"] == first.removeprefix("agent.")
    assert [(each["code"], each["path"]) for each in row["findings"]] == [
        ("not-read", f"agents/h1/good/{name}") for name in others
    ]
    done = cli("driver", "expand", "good", "--format", "argv")
    assert (done.code, done.out.split(b"\0")[-2]) == (0, b"make")
    assert done.errors == "".join(
        f"warning: agents/h1/good/{name}: found {first} beside it, which is read in its place\n"
        "hint: keep one of them\n"
        for name in others
    )


def test_the_first_spelling_counts_even_when_it_is_broken(cli: Cli, good: Path) -> None:
    (good / "agent.kdl").write_text("a }")
    (good / "agent.json").write_text(SPELLED["agent.json"])
    assert rows(cli) == {"h1.good": ["kdl-syntax", "not-read"]}


@pytest.mark.parametrize("name", ["agent.toml", "agent.json"])
def test_a_broken_file_of_another_spelling_is_a_finding_beside_the_good_ones(
    cli: Cli, good: Path, name: str
) -> None:
    (good.parent / "bad").mkdir()
    (good.parent / "bad" / name).write_bytes(b"= {")
    found = rows(cli)
    assert found == {"h1.good": [], "h1.bad": [f"{name[6:]}-syntax"]}
    [bad, _] = json.loads(cli("agents", "--json").out)
    assert bad["findings"][0]["line"] == 1 and bad["findings"][0]["column"] is not None


@pytest.mark.parametrize("name", ["agent.toml", "agent.json"])
def test_every_command_knows_an_agent_of_another_spelling(cli: Cli, good: Path, name: str) -> None:
    (good / "agent.kdl").unlink()
    (good / name).write_text(SPELLED[name].replace("make", "true"))
    assert rows(cli) == {"h1.good": []}
    assert cli("status", "good").text == "offline\n"
    assert cli("driver", "expand", good / name, "--format", "argv").out.split(b"\0")[-2] == b"true"
    assert cli("run", "good").code == 0
    assert json.loads(cli("session", "show", "good", "--json").out)["harness"] == "exec"
