"""st2 driver expand: the printed launch of a file or of an agent of the catalog."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Cli
from launches import EXAMPLES, GOLDEN, ROOT

NAMELESS = 'agent {\n    exec {\n        argv "make"\n    }\n}\n'


def declare(cli: Cli, host: str, agent: str, text: str) -> Path:
    path = cli.catalog / "agents" / host / agent / "agent.kdl"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def identity(out: str) -> str:
    argv = json.loads(out)["argv"]
    return str(argv[argv.index("--identity") + 1])


@pytest.mark.parametrize("format", ["kdl", "json", "argv", "shell"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_command_prints_what_is_kept_for_each_example(
    cli: Cli, path: Path, format: str
) -> None:
    done = cli("driver", "expand", path, "--format", format)
    assert (done.code, done.err) == (0, b"")
    assert done.out == (GOLDEN / path.stem / f"launch.{format}").read_bytes()


def test_kdl_is_the_format_when_none_is_asked_for(cli: Cli) -> None:
    done = cli("driver", "expand", ROOT / "examples" / "exec.kdl")
    assert done.out == (GOLDEN / "exec" / "launch.kdl").read_bytes()


def test_a_file_needs_no_catalog(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "any.kdl").write_text('agent "a" {\n    exec { argv "make"; }\n}\n')
    done = cli(
        *("driver", "expand", "./any.kdl", "--format", "json"),
        cwd=tmp_path,
        env={"CATALOG": str(tmp_path / "none")},
    )
    assert (done.code, identity(done.text)) == (0, "h1.a")


def test_host_and_agent_fill_in_a_file_that_names_neither(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.kdl").write_text(NAMELESS)
    options = ("--agent", "a", "--host", "h9", "--format", "json")
    done = cli("driver", "expand", tmp_path / "x.kdl", *options)
    assert (done.code, identity(done.text)) == (0, "h9.a")


def test_host_does_not_move_a_declaration_that_has_one(cli: Cli) -> None:
    path = ROOT / "examples" / "codex.kdl"
    done = cli("driver", "expand", path, "--host", "h9", "--format", "json")
    assert identity(done.text) == "h2.reviewer"


def test_a_file_of_the_catalog_belongs_to_its_folders(cli: Cli) -> None:
    path = declare(cli, "h7", "a", NAMELESS)
    done = cli("driver", "expand", path, "--host", "h9", "--format", "json")
    assert (done.code, identity(done.text)) == (0, "h7.a")


def test_a_file_deeper_in_the_catalog_is_a_file_like_any_other(cli: Cli) -> None:
    path = cli.catalog / "agents" / "h7" / "a" / "resources" / "x.kdl"
    path.parent.mkdir(parents=True)
    path.write_text(NAMELESS)
    done = cli("driver", "expand", path, "--agent", "b", "--format", "json")
    assert (done.code, identity(done.text)) == (0, "h1.b")


def test_another_agent_than_the_one_asked_for_is_refused(cli: Cli) -> None:
    done = cli("driver", "expand", ROOT / "examples" / "codex.kdl", "--agent", "x")
    assert (done.code, done.out) == (1, b"")
    assert "codex.kdl: found agent reviewer, wanted x\nhint: --agent names the " in done.errors


def test_an_agent_of_the_catalog_is_named_by_bus_id_or_bare_name(cli: Cli) -> None:
    declare(cli, "h7", "a", NAMELESS)
    declare(cli, "h8", "a", NAMELESS)
    declare(cli, "h8", "b", NAMELESS)
    done = cli("driver", "expand", "h7.a", "--format", "json")
    assert (done.code, identity(done.text)) == (0, "h7.a")
    assert identity(cli("driver", "expand", "b", "--format", "json").text) == "h8.b"
    assert cli("driver", "expand", "a").errors.startswith("st2: a: found h7.a, h8.a, ")


def test_expanding_writes_nothing(cli: Cli, tree_hash: Callable[..., str]) -> None:
    path = declare(cli, "h1", "a", NAMELESS)
    before = tree_hash(mtimes=True)
    assert cli("driver", "expand", "a").code == 0
    assert tree_hash(mtimes=True) == before and not (cli.catalog / ".st2").exists()
    path.write_text(NAMELESS + "\n")
    assert tree_hash(mtimes=True) != before


def test_a_mismatch_with_the_folder_is_a_warning_and_the_content_is_printed(cli: Cli) -> None:
    path = declare(cli, "h1", "a", 'agent "b" {\n    exec { argv "make"; }\n}\n')
    done = cli("driver", "expand", path, "--format", "json")
    assert (done.code, identity(done.text)) == (0, "h1.b")
    assert done.errors == f"warning: {path}:1:1: agent: found 'b' in folder a, wanted a\n"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            'agent "a" { claude { prompt "p"; }; argv "x"; }',
            "st2: x.kdl:1:37: found claude and argv, wanted one launch\n"
            "hint: keep one driver block, or argv, or command\n",
        ),
        (
            'agent "a" { claude { dev-channels true; }; }',
            "st2: x.kdl:1:35: found KDL 1, wanted KDL 2\nhint: write #true for true\n",
        ),
        (
            'agent "a" { codex; }',
            "st2: x.kdl:1:13: codex: found no prompt, wanted one\n"
            'hint: write prompt "…" in the block\n',
        ),
        (
            'agent "a" { opencode { effort "high"; prompt "p"; }; }',
            "st2: x.kdl:1:24: opencode: found effort, wanted model, prompt, args; "
            "opencode has no effort axis\nhint: leave it out\n",
        ),
        ("agent", "st2: x.kdl:1:1: agent name: found '', wanted a letter or digit first"),
    ],
)
def test_a_refusal_names_the_file_and_the_way_out(
    cli: Cli, tmp_path: Path, text: str, error: str
) -> None:
    (tmp_path / "x.kdl").write_text(text)
    done = cli("driver", "expand", "x.kdl", cwd=tmp_path)
    assert (done.code, done.out) == (1, b"")
    assert done.errors.startswith(error)


@pytest.mark.parametrize("option", [("--agent", "../a"), ("--host", "H1"), ("--host", "")])
def test_a_name_that_breaks_the_rule_is_refused_first(cli: Cli, option: tuple[str, str]) -> None:
    done = cli("driver", "expand", "/no/such.kdl", *option)
    assert done.code == 2
    assert "name: found " in done.errors


def test_a_file_that_is_not_there_or_is_no_file_is_refused(cli: Cli, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.kdl")
    for name, found in (("none.kdl", "no such file"), ("fifo.kdl", "is a ")):
        done = cli("driver", "expand", name, cwd=tmp_path, timeout=90)
        assert done.code == 1
        assert done.errors.startswith(f"st2: {name}: {found}")


def test_on_a_terminal_argv_is_one_word_a_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.kdl").write_text('agent "a" { argv "one two" "\\u{1b}x"; }')
    leader, follower = pty.openpty()
    subprocess.run(
        [cli.command, "driver", "expand", "x.kdl", "--format", "argv"],
        env=cli.environment(),
        cwd=tmp_path,
        stdout=follower,
        check=True,
    )
    os.close(follower)
    shown = os.read(leader, 1000)
    os.close(leader)
    assert shown == b"one two\r\n\\u{1b}x\r\n"


def test_a_hostile_text_is_printed_escaped_in_every_format_for_people(
    cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "x.kdl").write_text('agent "a" { argv "\\u{1b}]0;x\\u{7}" "\\u{202e}"; }')
    for format in ("kdl", "json", "shell"):
        done = cli("driver", "expand", "x.kdl", "--format", format, cwd=tmp_path)
        assert done.code == 0
        assert not [each for each in done.text if not each.isprintable() and each != "\n"]
