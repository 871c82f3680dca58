"""`st2 doctor`: everything that a person should mend, each with a path and a way out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catalogs import T, agent, claim, declared, now_ms, record
from conftest import Cli
from st2.check_models import Diagnosis

SOUND = declared(body='    exec { argv "sh" }\n')


def diagnosed(cli: Cli, **options: Any) -> list[dict[str, Any]]:
    """The findings; the exit code says whether there are any, and each has a way out."""
    done = cli("doctor", "--json", **options)
    assert done.err == b""
    Diagnosis.model_validate_json(done.out)
    told = json.loads(done.out)
    assert (done.code, told["ok"]) == ((1, False) if told["findings"] else (0, True))
    assert all(each["path"] and each["message"] and each["hint"] for each in told["findings"])
    findings: list[dict[str, Any]] = told["findings"]
    return findings


def named(findings: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(each["code"], each["path"]) for each in findings]


def test_in_a_sound_catalog_nothing_is_found(cli: Cli) -> None:
    cli("init")
    agent(cli.catalog, kdl=SOUND, status=record("busy", now_ms()))
    assert diagnosed(cli) == []
    assert cli("doctor").text == "nothing was found\n"


class TestCaseF22:
    """What breaks elsewhere is named, read only, exit 1."""

    def test_twins_in_case_and_in_unicode_form(self, cli: Cli) -> None:
        for name in ("Worker", "worker", "caf\u00e9", "cafe\u0301"):
            (cli.catalog / "agents/h1" / name).mkdir(parents=True)
        for name in ("status", "Status"):
            (cli.catalog / "agents/h1/worker" / name).write_bytes(record("busy", now_ms()))
        assert named(diagnosed(cli)) == [
            ("twins", "agents/h1/Worker"),
            ("twins", "agents/h1/cafe\u0301"),
            ("twins", "agents/h1/worker/Status"),
        ]

    def test_reserved_names(self, cli: Cli) -> None:
        agent(cli.catalog, "con", "h1", kdl=declared("con", body='    argv "sh"\n'))
        (cli.catalog / "agents/nul").mkdir()
        assert named(diagnosed(cli)) == [
            ("reserved-name", "agents/h1/con"),
            ("reserved-name", "agents/nul"),
        ]

    def test_conflict_copies_wherever_they_lie(self, cli: Cli) -> None:
        folder = agent(cli.catalog, kdl=SOUND)
        copy = "status.sync-conflict-20260101-120000-ABCDEFG"
        (folder / copy).write_bytes(record("busy", T))
        (folder / "agent.kdl~").write_text("agent {")
        (cli.catalog / "catalog (conflicted copy).kdl").write_text("")
        (cli.catalog / "agents/h1/a1.orig").mkdir()
        (cli.catalog / "agents/h1/a1.orig/status").write_bytes(b"\0\0")
        assert named(diagnosed(cli)) == [
            ("conflict-copy", "agents/h1/a1.orig"),
            ("conflict-copy", "agents/h1/a1/agent.kdl~"),
            ("conflict-copy", f"agents/h1/a1/{copy}"),
            ("conflict-copy", "catalog (conflicted copy).kdl"),
        ]

    @pytest.mark.parametrize(
        ("raw", "code"),
        [
            (b"busy\r\nv1 5\r\n", "crlf"),
            (b"\0" * 20, "nul-filled"),
            (b"busy\nv1 5\n\0", "nul-filled"),
        ],
    )
    @pytest.mark.parametrize("name", ["status", "held", "activity", "seen"])
    @pytest.mark.parametrize("host", ["h1", "h2"])
    def test_a_damaged_record_is_told_once(
        self, cli: Cli, host: str, name: str, raw: bytes, code: str
    ) -> None:
        folder = agent(cli.catalog, host=host, status=record("busy", now_ms()))
        (folder / name).write_bytes(raw)
        assert named(diagnosed(cli)) == [(code, f"agents/{host}/a1/{name}")]

    def test_what_is_no_file_in_the_place_of_a_record(self, cli: Cli) -> None:
        folder = agent(cli.catalog, kdl=SOUND)
        os.mkfifo(folder / "status")
        (folder / "seen").symlink_to("/dev/null")
        (folder / "held").mkdir()
        found = diagnosed(cli)
        assert [(each["path"], each["message"]) for each in found] == [
            ("agents/h1/a1/held", "is a directory, not a file"),
            ("agents/h1/a1/seen", "is a symlink, not a file"),
            ("agents/h1/a1/status", "is a fifo, not a file"),
        ]
        assert {each["code"] for each in found} == {"unreadable"}

    def test_a_folder_behind_a_symlink_has_no_row_and_is_named(
        self, cli: Cli, tmp_path: Path
    ) -> None:
        (tmp_path / "elsewhere").mkdir()
        (cli.catalog / "agents/h1").mkdir()
        (cli.catalog / "agents/h1/a1").symlink_to(tmp_path / "elsewhere")
        assert named(diagnosed(cli)) == [("symlink", "agents/h1/a1")]

    def test_the_beat_of_a_host_is_a_record_too(self, cli: Cli) -> None:
        (cli.catalog / "hosts/h2").mkdir(parents=True)
        (cli.catalog / "hosts/h2/beat").write_bytes(b"\0\0\0")
        assert named(diagnosed(cli)) == [("nul-filled", "hosts/h2/beat")]


@pytest.mark.parametrize(
    ("files", "code", "name"),
    [
        ({"status": b"busy\n"}, "legacy-record", "status"),
        ({"status": b"Busy\nv1 5\n"}, "invalid-state", "status"),
        ({"status": record("busy", 2**62)}, "future", "status"),
        ({"status": b"busy\nv2 5\n"}, "newer-version", "status"),
        ({"session": b"{"}, "claim-unreadable", "session.json"),
        ({"kdl": "agent {"}, "kdl-syntax", "agent.kdl"),
        ({"kdl": declared(body='    codex { effort "x" }\n')}, "bad-declaration", "agent.kdl"),
        ({"kdl": declared(body='    workspace "/no/where"\n    argv "sh"\n')}, "no-workspace",
         "agent.kdl"),
        ({"kdl": declared(body='    exec { argv "no-such-program" }\n')}, "program-missing",
         "agent.kdl"),
        ({"kdl": declared(body='    argv "/etc/passwd"\n')}, "program-missing", "agent.kdl"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_agent_of_this_host(
    cli: Cli, files: dict[str, Any], code: str, name: str
) -> None:
    agent(cli.catalog, **files)
    assert named(diagnosed(cli)) == [(code, f"agents/h1/a1/{name}")]


@pytest.mark.parametrize(
    ("files", "hint"),
    [
        ({"session": b"{"}, "look at the file; st2 run AGENT --force replaces it"),
        ({"kdl": "agent {"}, "correct it; st2 validate checks every declaration"),
        ({"status": b"Busy\nv1 5\n"}, "declare a word: st2 status AGENT --set WORD"),
    ],
)
def test_what_the_roster_finds_has_a_way_out_here(
    cli: Cli, files: dict[str, Any], hint: str
) -> None:
    agent(cli.catalog, **files)
    assert [each["hint"] for each in diagnosed(cli)] == [hint]


def test_a_program_is_looked_for_as_it_would_be_run(cli: Cli, tmp_path: Path) -> None:
    program = tmp_path / "here/run-me"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    body = f'    workspace "{tmp_path}"\n    exec {{ argv "here/run-me" }}\n'
    agent(cli.catalog, kdl=declared(body=body))
    assert [each["message"] for each in diagnosed(cli)] == [
        "h1.a1: here/run-me is not found as a program, wanted what it runs"
    ]
    program.chmod(0o755)
    assert diagnosed(cli) == []
    agent(cli.catalog, kdl=declared(body='    exec { argv "run-me" }\n'))
    assert [each["message"] for each in diagnosed(cli)] == [
        "h1.a1: run-me is not found on PATH, wanted what it runs"
    ]
    path = f"{program.parent}:{cli.env['PATH']}"
    assert diagnosed(cli, env={"PATH": path}) == []


@pytest.mark.parametrize("state", ["suspended", "retired"])
def test_what_is_not_to_run_needs_no_program(cli: Cli, state: str) -> None:
    agent(cli.catalog, kdl=declared(body=f'    desired-state "{state}"\n    argv "no-such"\n'))
    assert diagnosed(cli) == []


def test_launches_of_other_hosts_are_theirs(cli: Cli) -> None:
    agent(cli.catalog, host="h2", kdl=declared(host="h2", body='    argv "no-such"\n'))
    assert diagnosed(cli) == []


def test_one_line_of_another_host_is_legacy_there(cli: Cli) -> None:
    agent(cli.catalog, host="h2", status=b"busy\n")
    assert named(diagnosed(cli)) == [("legacy-mtime", "agents/h2/a1/status")]


def test_it_says_each_finding_and_its_way_out(cli: Cli) -> None:
    agent(cli.catalog, status=b"busy\n")
    done = cli("doctor")
    assert (done.code, done.text) == (
        *(
            1,
            "agents/h1/a1/status: legacy-record: found one line, so its age is the time of the "
            "file; wanted a record of two\n"
            "  hint: declare its word again (st2 status AGENT --set WORD), or upgrade what "
            "writes it\n",
        ),
    )


def test_names_from_the_disk_are_printed_without_a_control_byte(cli: Cli) -> None:
    name = b"x\x1b[31m\xff.orig"
    os.mkdir(os.fsencode(cli.catalog / "agents") + b"/" + name)
    done = cli("doctor")
    assert done.code == 1 and b"\x1b" not in done.out
    assert b"agents/x\\x1b[31m\\udcff.orig: conflict-copy: " in done.out
    [finding] = json.loads(cli("doctor", "--json").out)["findings"]
    assert os.fsencode(finding["path"]) == b"agents/" + name


def test_looking_writes_nothing(cli: Cli, tree_hash: Callable[..., str]) -> None:
    cli("init")
    agent(cli.catalog, kdl=SOUND, session=claim(), status=b"\0\0")
    agent(cli.catalog, "b", kdl="agent {")
    local = cli.catalog / ".st2"
    before = tree_hash(mtimes=True), tree_hash(local, mtimes=True), tree_hash(cli.home)
    assert cli("doctor").code == 1 and cli("doctor", "--json").code == 1
    assert (tree_hash(mtimes=True), tree_hash(local, mtimes=True), tree_hash(cli.home)) == before
