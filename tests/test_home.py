"""Where a user keeps what lies in no catalog: one place, whatever folder a command starts in."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Cli

NOWHERE = {"CATALOG": None, "XDG_STATE_HOME": None}


@pytest.mark.parametrize(
    ("state", "said", "folder"),
    [
        (None, "{own}", "{own}/.local/state"),
        ("", "{own}", "{own}/.local/state"),
        ("{own}/s", "{own}", "{own}/s"),
        ("{own}/s", "relative", "{own}/s"),
        ("relative", "{own}", "{own}/.local/state"),
        ("./s", "{own}/", "{own}/.local/state"),
    ],
)
def test_the_default_catalog_lies_below_an_absolute_path(
    cli: Cli, state: str | None, said: str, folder: str
) -> None:
    own = str(cli.home)
    env = {**NOWHERE, "HOME": said.format(own=own)}
    env["XDG_STATE_HOME"] = state and state.format(own=own)
    assert cli("init", env=env).code == 0
    assert Path(folder.format(own=own), "st2/default/catalog/agents").is_dir()


@pytest.mark.parametrize("said", ["relative", "~", "."])
def test_without_a_home_that_is_known_no_folder_is_made_where_a_command_starts(
    cli: Cli, tmp_path: Path, said: str
) -> None:
    """Python leaves ~ as it is for a user whom the system does not know, as containers have."""
    here = tmp_path / "here"
    here.mkdir()
    env = {**NOWHERE, "HOME": said}
    for line in (("init",), ("agents",), ("status", "a1"), ("doctor",)):
        done = cli(*line, env=env, cwd=here)
        assert (done.code, done.out) == (1, b"")
        assert done.errors == (
            "st2: catalog: none is named, and no home of this user is known, wanted either\n"
            "hint: --catalog or $CATALOG names one; or set HOME\n"
        )
    for catalog in (None, str(cli.catalog)):
        more = {**env, "CATALOG": catalog}
        done = cli("driver", "hook", "claude", "Stop", "--identity", "h1.a1", env=more, cwd=here)
        assert (done.code, done.out, done.err) == (0, b"", b"")
    assert cli("doctor", env={**env, "CATALOG": str(cli.catalog)}, cwd=here).code in (0, 1)
    assert list(here.iterdir()) == []
