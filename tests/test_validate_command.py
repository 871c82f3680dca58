"""`st2 validate`: every declaration, judged as the roster and `run` read it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catalogs import agent, declared
from conftest import Cli
from st2.check_models import Validation

EXEC = '    exec { argv "true" }\n'
CODEX = '    codex {\n        prompt "hi"\n    }\n'


def validated(cli: Cli, *options: str) -> tuple[int, dict[str, Any]]:
    done = cli("validate", "--json", *options)
    assert done.err == b""
    Validation.model_validate_json(done.out)
    told: dict[str, Any] = json.loads(done.out)
    return done.code, told


def found(told: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Severity, code and path of every finding."""
    every = [*told["findings"], *(each for file in told["files"] for each in file["findings"])]
    return [(each["severity"], each["code"], each["path"]) for each in every]


def test_a_sound_catalog_is_fine(cli: Cli) -> None:
    agent(cli.catalog, kdl=declared(body=EXEC))
    code, told = validated(cli, "--strict")
    [file] = told["files"]
    assert (code, told["ok"], file["identity"], file["driver"]) == (0, True, "h1.a1", "exec")
    assert found(told) == []
    assert cli("validate").text == "1 file: 0 problems, 0 advisories, 0 notes\n"


def test_an_empty_catalog_is_fine(cli: Cli) -> None:
    assert (cli("validate").code, cli("validate").text) == (
        *(0, "0 files: 0 problems, 0 advisories, 0 notes\n"),
    )


@pytest.mark.parametrize(
    ("kdl", "code", "line"),
    [
        ("agent {", "kdl-syntax", 1),
        ('agent "a1" {\n    host 5\n}\n', "declaration-field", 2),
        (declared(body='    codex {\n        prompt "x"\n        bogus "y"\n    }\n'),
         "bad-declaration", 5),
        (declared(body='    opencode {\n        prompt "x"\n        effort "low"\n    }\n'),
         "bad-declaration", 5),
        (declared(body='    argv "a"\n    render {\n        nonsense "x"\n    }\n'),
         "bad-declaration", 5),
    ],
)  # fmt: skip
def test_a_problem_is_named_with_its_line_and_exits_1(
    cli: Cli, kdl: str, code: str, line: int
) -> None:
    agent(cli.catalog, kdl=kdl)
    agent(cli.catalog, "good", kdl=declared("good", body=EXEC))
    status, told = validated(cli)
    path = "agents/h1/a1/agent.kdl"
    assert (status, found(told)) == (1, [("problem", code, path)])
    [finding] = told["files"][0]["findings"]
    assert finding["line"] == line
    first = cli("validate").text.splitlines()[0]
    assert first == f"{path}:{line}:{finding['column']}: problem {code}: {finding['message']}"


def test_a_fault_is_told_once(cli: Cli) -> None:
    agent(cli.catalog, kdl=declared(body=f'{EXEC}    argv "a"\n'))
    code, told = validated(cli)
    assert (code, [each[1] for each in found(told)]) == (1, ["declaration-two-launches"])


@pytest.mark.parametrize(
    ("body", "severity", "code", "strict"),
    [
        (CODEX, "advisory", "codex-daemon", 1),
        ("", "advisory", "nothing-to-launch", 1),
        (CODEX.replace("codex", "claude"), "note", "claude-channels-off", 0),
        ('    command "exec claude"\n', "note", "claude-channels-unknown", 0),
        (CODEX.replace("codex {", "claude {\n        dev-channels #true"), "advisory",
         "claude-channels-dialog", 1),
    ],
)  # fmt: skip
def test_strict_counts_advisories_and_no_notes(
    cli: Cli, body: str, severity: str, code: str, strict: int
) -> None:
    agent(cli.catalog, kdl=declared(body=body))
    status, told = validated(cli)
    assert (status, told["ok"], told["strict"]) == (0, True, False)
    assert found(told) == [(severity, code, "agents/h1/a1/agent.kdl")]
    status, told = validated(cli, "--strict")
    assert (status, told["ok"], told["strict"]) == (strict, not strict, True)


def test_an_advisory_about_a_block_has_its_place(cli: Cli) -> None:
    agent(cli.catalog, kdl=declared(body=CODEX))
    assert cli("validate").text == (
        "agents/h1/a1/agent.kdl:3:5: advisory codex-daemon: "
        "codex: found no --no-daemon, wanted it: its TUI leaves processes behind\n"
        '  hint: write args "--no-daemon"\n'
        "1 file: 0 problems, 1 advisory, 0 notes\n"
    )


def in_one_workspace(
    cli: Cli, place: Path, *rests: str, other_host: str = "h1"
) -> list[tuple[str, str, str]]:
    for name, host, rest in zip("ab", ("h1", other_host), rests, strict=True):
        body = f'    workspace "{place}"\n    {rest}\n'
        agent(cli.catalog, name, host, kdl=declared(name, host, body=body))
    code, told = validated(cli)
    assert code == 0
    return [each for each in found(told) if each[1] != "claude-channels-off"]


CLAUDE = 'claude { prompt "x"; }'


def test_two_claude_agents_in_one_workspace_write_the_same_file_there(
    cli: Cli, tmp_path: Path
) -> None:
    [shared] = in_one_workspace(cli, tmp_path, CLAUDE, CLAUDE)
    assert shared[:2] == ("advisory", "workspace-shared")
    code, told = validated(cli, "--strict")
    [finding] = [f for each in told["files"] for f in each["findings"] if "shared" in f["code"]]
    assert (code, finding["path"], finding["line"]) == (1, "agents/h1/b/agent.kdl", 4)
    assert finding["message"] == (
        f"found {tmp_path}, where h1.a writes its own .mcp.json, wanted a workspace of its own"
    )


@pytest.mark.parametrize(
    ("other", "host"),
    [
        ('exec { argv "true"; }', "h1"),
        ('codex { args "--no-daemon"; prompt "x"; }', "h1"),
        (f'{CLAUDE}\n    desired-state "suspended"', "h1"),
        (CLAUDE, "h2"),
    ],
)
def test_a_workspace_is_shared_by_those_who_write_no_file_of_one_alone(
    cli: Cli, tmp_path: Path, other: str, host: str
) -> None:
    assert in_one_workspace(cli, tmp_path, CLAUDE, other, other_host=host) == []


def test_two_declarations_of_one_agent_are_a_problem(cli: Cli) -> None:
    """Case F23."""
    agent(cli.catalog, kdl=declared(body=EXEC))
    agent(cli.catalog, "other", kdl=declared(body=EXEC))
    status, told = validated(cli)
    other = "agents/h1/other/agent.kdl"
    assert (status, found(told)) == (
        *(1, [("advisory", "agent-mismatch", other), ("problem", "duplicate-declaration", other)]),
    )
    message = told["files"][1]["findings"][1]["message"]
    assert message == ("found h1.a1, which agents/h1/a1/agent.kdl declares, wanted one declaration")


def test_a_second_spelling_is_not_read_and_said(cli: Cli) -> None:
    folder = agent(cli.catalog, kdl=declared(body=EXEC))
    (folder / "agent.json").write_text("not even JSON")
    status, told = validated(cli)
    assert (status, found(told)) == (0, [("advisory", "not-read", "agents/h1/a1/agent.json")])


def test_every_host_is_checked_and_names_that_break_elsewhere_are_problems(cli: Cli) -> None:
    """Case F22."""
    for name in ("Worker", "worker", "con"):
        agent(cli.catalog, name, "h2", kdl=declared(name, "h2", EXEC))
    status, told = validated(cli)
    assert status == 1
    assert found(told) == [
        ("problem", "reserved-name", "agents/h2/con"),
        ("problem", "twins", "agents/h2/Worker"),
    ]
    assert len(told["files"]) == 3


def test_the_settings_of_the_catalog_are_checked(cli: Cli) -> None:
    (cli.catalog / "catalog.kdl").write_text('remote "x"\n')
    assert validated(cli)[0] == 0
    (cli.catalog / "catalog.kdl").write_text("remote {")
    status, told = validated(cli)
    assert (status, found(told)) == (1, [("problem", "kdl-syntax", "catalog.kdl")])
    (cli.catalog / "catalog.kdl").write_text('signing "reqire"\n')
    status, told = validated(cli)
    assert (status, found(told)) == (1, [("problem", "setting-unusable", "catalog.kdl")])


@pytest.mark.parametrize("options", [(), ("--strict",), ("--json",)])
def test_checking_writes_nothing(
    cli: Cli, tree_hash: Callable[..., str], options: tuple[str, ...]
) -> None:
    agent(cli.catalog, kdl=declared(body=CODEX))
    agent(cli.catalog, "broken", kdl="agent {")
    cli("init")
    local = cli.catalog / ".st2"
    before = tree_hash(mtimes=True), tree_hash(local, mtimes=True), tree_hash(cli.home)
    assert cli("validate", *options).code == 1
    assert (tree_hash(mtimes=True), tree_hash(local, mtimes=True), tree_hash(cli.home)) == before


def test_text_of_a_declaration_is_printed_without_a_control_byte(cli: Cli) -> None:
    agent(cli.catalog, kdl='agent "a1" {\n    host "\\u{1b}[31m\\u{202e}"\n}\n')
    done = cli("validate")
    assert done.code == 1 and b"\x1b" not in done.out and "\u202e" not in done.text


def test_a_missing_catalog_is_refused(cli: Cli, tmp_path: Path) -> None:
    for command in ("validate", "tasks", "doctor"):
        done = cli("--catalog", tmp_path / "nowhere", command)
        assert (done.code, done.out) == (1, b"")
        assert "no such folder, wanted a catalog" in done.errors
