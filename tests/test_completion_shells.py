"""The scripts of `st2 completion` in real shells: candidates arrive, and nothing is evaluated."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import Cli
from st2.completion_scripts import script

BASH = """
eval "$(st2 completion bash)"
compopt() { echo "compopt $*"; }
COMP_LINE=$1 COMP_POINT=${#1}
_st2_complete
for each in "${COMPREPLY[@]}"; do printf '%s\\n' "$each"; done
"""
ZSH = """
compadd() { shift 4; print -rl -- "$@"; }
_files() { print -r -- files "$@"; }
compdef() { print -r -- compdef "$@" >&2; }
eval "$(st2 completion zsh)"
words=(${(z)1})
[[ $1 == *' ' ]] && words+=('')
CURRENT=$#words PREFIX=${words[-1]}
_st2
"""
FISH = "st2 completion fish | source\ncomplete -C $argv[1]\n"
SHELLS = {
    "bash": ["bash", "--norc", "-c", BASH, "bash"],
    "zsh": ["zsh", "-f", "-c", ZSH, "zsh"],
    "fish": ["fish", "--no-config", "-c", FISH],
}


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if shutil.which(name) is None:
        if os.environ.get("CI"):
            pytest.fail(f"{name} is missing: .ci/run installs it")
        pytest.skip(f"{name} is not installed")
    return name


@pytest.fixture
def fleet(cli: Cli) -> Cli:
    for name in [
        "h1/worker",
        "h1/scout",
        "h1/$(touch pwned)",
        "h1/`touch pwned`",
        "h1/;touch pwned",
    ]:
        folder = cli.catalog / "agents" / name
        folder.mkdir(parents=True)
        (folder / "status").write_bytes(b"busy\nv1 1\n")
    return cli


def asked(cli: Cli, shell: str, line: str) -> list[str]:
    """The candidates that a shell shows for *line*, without their help."""
    done = subprocess.run(
        [*SHELLS[shell], line],
        env=cli.environment({"XDG_CONFIG_HOME": str(cli.home / "config")}),
        cwd=cli.home,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.stderr in ("", "compdef _st2 st2\n")
    return sorted(line.partition("\t")[0] for line in done.stdout.splitlines())


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("st2 sess", ["session"]),
        ("st2 session a", ["adopt"]),
        ("st2 agents --jso", ["--json"]),
        ("st2 status w", ["worker"]),
        ("st2 status h1.", ["h1.scout", "h1.worker"]),
        ("st2 status --set b", ["busy"]),
        ("st2 agents --host ", ["h1"]),
    ],
)
def test_a_tab_offers_what_fits(fleet: Cli, shell: str, line: str, found: list[str]) -> None:
    assert asked(fleet, shell, line) == found


def test_names_of_an_enemy_are_not_evaluated(fleet: Cli, shell: str) -> None:
    every = ["h1.scout", "h1.worker", "scout", "worker"]
    assert asked(fleet, shell, "st2 why ") == every
    assert asked(fleet, shell, "st2 --catalog $(touch pwned) why ") == []
    assert not list(fleet.home.rglob("pwned")) and not list(Path.cwd().glob("pwned"))


def test_the_catalog_on_the_line_is_asked(fleet: Cli, shell: str, tmp_path: Path) -> None:
    folder = tmp_path / "two words/agents/h1/z"
    folder.mkdir(parents=True)
    (folder / "status").write_bytes(b"busy\nv1 1\n")
    assert asked(fleet, shell, "st2 --catalog $HOME/../two\\ words why ") == ["h1.z", "z"]


def test_an_option_and_its_value_may_be_one_word(fleet: Cli, shell: str) -> None:
    found = asked(fleet, shell, "st2 driver expand --format=s")
    assert found == (["shell"] if shell == "bash" else ["--format=shell"])


def test_where_a_folder_is_wanted_the_shell_offers_its_own(fleet: Cli, shell: str) -> None:
    (fleet.home / "a place").mkdir()
    own = {"bash": ["compopt -o dirnames"], "zsh": ["files -/"], "fish": ["a place/"]}
    line = "st2 init a" if shell == "fish" else "st2 init "
    assert asked(fleet, shell, line) == own[shell]


def sourced(cli: Cli, shell: str, place: Path) -> subprocess.CompletedProcess[str]:
    """Ask with a script that was kept in a file."""
    argv = list(SHELLS[shell])
    for line in (f'eval "$(st2 completion {shell})"', f"st2 completion {shell} | source"):
        argv[3] = argv[3].replace(line, f"source '{place}'")
    return subprocess.run(
        [*argv, "st2 status w"],
        env=cli.environment(),
        cwd=cli.home,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_whatever_is_answered_is_taken_literally(cli: Cli, shell: str, tmp_path: Path) -> None:
    answers = ["w$(touch pwned)", "w`touch pwned`", "w;touch pwned", "w*", "w\\x"]
    liar = tmp_path / "st2"
    liar.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(["none", *answers]) + "\nEND\n")
    liar.chmod(0o755)
    place = tmp_path / "script"
    place.write_text(script(shell, str(liar)))
    done = sourced(cli, shell, place)
    assert sorted(done.stdout.splitlines()) == sorted(answers), done.stderr
    assert not list(cli.home.rglob("pwned"))


def test_another_st2_is_found_where_the_one_that_wrote_the_script_is_gone(
    fleet: Cli, shell: str, tmp_path: Path
) -> None:
    gone = tmp_path / "it's gone" / "st2"
    gone.parent.mkdir()
    gone.symlink_to(fleet.command)
    text = subprocess.run(
        [gone, "completion", shell], env=fleet.environment(), capture_output=True, text=True
    ).stdout
    assert "gone/st2" in text
    gone.unlink()
    place = tmp_path / "script"
    place.write_text(text)
    done = sourced(fleet, shell, place)
    assert done.stdout.partition("\t")[0].strip() == "worker", done.stderr
