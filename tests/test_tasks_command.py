"""`st2 tasks`: what each agent of this host would run, beside what is observed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catalogs import T, agent, claim, declared, now_ms, record
from conftest import Cli
from st2.check_models import Tasks
from support.wrapped import Wrapped


def tasks(cli: Cli) -> dict[str, Any]:
    done = cli("tasks", "--json")
    assert (done.code, done.err) == (0, b"")
    Tasks.model_validate_json(done.out)
    told: dict[str, Any] = json.loads(done.out)
    return told


def task(cli: Cli) -> dict[str, Any]:
    [only] = tasks(cli)["tasks"]
    found: dict[str, Any] = only
    return found


def body(folder: Path, launch: str) -> str:
    return f'    workspace "{folder}"\n    {launch}\n'


def test_a_task_is_bound_as_run_would_bind_it(cli: Cli, tmp_path: Path) -> None:
    launch = 'exec { argv "sleep" "$CATALOG" "a b" }'
    agent(cli.catalog, kdl=declared(body=body(tmp_path, launch)))
    told = task(cli)
    dry = cli("run", "a1", "--dry-run").text
    assert told["argv"] == [
        *(str(cli.command), "--catalog", str(cli.catalog), "driver", "exec-session"),
        *("--identity", "h1.a1", "--runtime-id", "h1.a1", "--", "sleep", "$CATALOG", "a b"),
    ]
    assert (told["workspace"], told["driver"], told["error"]) == (str(tmp_path), "exec", None)
    assert dry == f"cd {tmp_path}\nST2_HOST=h1 {cli('tasks').text.split(chr(9))[3]}"
    assert (told["desiredState"], told["status"], told["uncertain"]) == ("running", "offline", [])


def test_what_a_launch_wants_in_its_workspace_is_named(cli: Cli) -> None:
    agent(cli.catalog, kdl=declared(body='    claude { prompt "hi" }\n'))
    assert task(cli)["render"] == [
        "json-upsert .mcp.json",
        "json-upsert .claude/settings.local.json",
    ]


def test_only_agents_of_this_host_have_a_task(cli: Cli) -> None:
    agent(cli.catalog, kdl=declared())
    agent(cli.catalog, "b", "h2", kdl=declared("b", "h2"), status=record("busy", T))
    assert [each["identity"] for each in tasks(cli)["tasks"]] == ["h1.a1"]
    assert tasks(cli)["complete"] is True


def test_a_living_session_is_observed(wrapped: Wrapped) -> None:
    process = wrapped.running("sleep", "60")
    told = task(wrapped.cli)
    assert told["process"] == {"pid": process.pid, "verdict": "alive"}
    assert (told["owner"], told["status"]) == ({"running": True}, "available")
    assert told["session"]["id"] == wrapped.claim()["session"]
    assert tasks(wrapped.cli)["complete"] is True
    wrapped.kill_owner()
    told = task(wrapped.cli)
    assert (told["owner"], told["process"]["verdict"]) == ({"running": False}, "alive")


def test_an_ended_session_has_no_process(cli: Cli) -> None:
    ended = claim(ended_ms=now_ms(), end_reason="exited", exit="exit 0")
    agent(cli.catalog, kdl=declared(), session=ended)
    told = task(cli)
    assert (told["process"], told["owner"], told["session"]["exit"]) == (None, None, "exit 0")
    assert tasks(cli)["complete"] is True


@pytest.mark.parametrize(
    ("launch", "code", "runs"),
    [
        ('workspace "/nowhere/at/all"\n    exec { argv "true" }', "no-workspace", True),
        ("codex { }", "bad-declaration", False),
        ("", "cannot-expand", False),
    ],
)
def test_what_run_would_refuse_says_why_and_is_not_uncertain(
    cli: Cli, launch: str, code: str, runs: bool
) -> None:
    agent(cli.catalog, kdl=declared(body=f"    {launch}\n"))
    told = task(cli)
    assert told["error"]["code"] == code and told["error"]["message"]
    assert (told["argv"] is not None) == runs
    assert tasks(cli)["complete"] is True


@pytest.mark.parametrize(
    ("files", "uncertain"),
    [
        ({"kdl": "agent {"}, "broken-declaration"),
        ({"kdl": declared(body='    desired-state "sleeping"\n')}, "desired-state"),
        ({"kdl": declared(), "session": b"{"}, "claim-unreadable"),
        ({"kdl": declared(), "session": claim(started_ms=T)}, "process"),
        ({"kdl": declared(), "status": record("busy", 1)}, "status-stale"),
        ({"kdl": declared(), "status": b"busy\nv1 x\n"}, "status-malformed"),
        ({"kdl": declared(), "status": b"Busy\n"}, "status-invalid-state"),
        ({"kdl": declared(), "status": record("busy", 2**62)}, "status-future"),
    ],
)
def test_whatever_cannot_be_told_makes_the_answer_incomplete(
    cli: Cli, files: dict[str, Any], uncertain: str
) -> None:
    agent(cli.catalog, **files)
    agent(cli.catalog, "sure", kdl=declared("sure"))
    told = tasks(cli)
    assert told["complete"] is False
    assert [each["uncertain"] for each in told["tasks"]] == [[uncertain], []]


@pytest.mark.parametrize("spoil", ["link", "fifo", "no KDL"])
def test_a_declaration_that_cannot_be_used_says_why_run_would_refuse(cli: Cli, spoil: str) -> None:
    file = agent(cli.catalog, kdl="agent {") / "agent.kdl"
    if spoil != "no KDL":
        file.unlink()
        os.mkfifo(file) if spoil == "fifo" else file.symlink_to("/dev/null")
    told = task(cli)
    assert (told["argv"], told["uncertain"]) == (None, ["broken-declaration"])
    assert told["error"]["code"] == "bad-declaration"
    assert cli("run", "a1").errors.startswith(f"st2: {told['error']['message']}\n")


def test_two_declarations_of_one_agent_are_never_one_launch(cli: Cli) -> None:
    for folder in ("a1", "b"):
        agent(cli.catalog, folder, kdl=declared(body='    exec { argv "true" }\n'))
    told = tasks(cli)
    [only] = told["tasks"]
    assert (only["argv"], only["uncertain"]) == (None, ["duplicate-declaration"])
    assert only["error"]["code"] == "ambiguous"
    assert cli("run", "a1").errors.startswith(f"st2: {only['error']['message']}\n")
    assert told["complete"] is False


def test_a_folder_that_cannot_be_walked_makes_it_incomplete(cli: Cli) -> None:
    folder = cli.catalog / "agents/h1/bad name"
    folder.mkdir(parents=True)
    (folder / "status").write_bytes(record("busy", T))
    told = tasks(cli)
    assert (told["complete"], [each["code"] for each in told["findings"]]) == (False, ["bad-name"])


def test_without_json_a_line_an_agent(cli: Cli) -> None:
    agent(cli.catalog, kdl=declared(body='    desired-state "suspended"\n    argv "a" "b c"\n'))
    agent(cli.catalog, "b", status=record("busy", now_ms()))
    agent(cli.catalog, "c", kdl="agent {")
    why = cli("run", "c").errors.splitlines()[0].removeprefix("st2: ")
    assert cli("tasks").text == (
        "h1.a1\tsuspended\toffline\ta 'b c'\n"
        "h1.b\t-\tbusy\t(not declared)\n"
        f"h1.c\t-\toffline\t({why})\n"
    )


def test_looking_writes_nothing(cli: Cli, tree_hash: Callable[..., str]) -> None:
    agent(cli.catalog, kdl=declared(), session=claim(), status=record("busy", T))
    cli("init")
    local = cli.catalog / ".st2"
    before = tree_hash(mtimes=True), tree_hash(local, mtimes=True), tree_hash(cli.home)
    tasks(cli)
    assert (tree_hash(mtimes=True), tree_hash(local, mtimes=True), tree_hash(cli.home)) == before
