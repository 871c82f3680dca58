"""`st2 doctor` about workspaces."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.claim import Claim
from catalogs import agent, claim, declared, now_ms
from conftest import Cli
from test_doctor_command import diagnosed


class TestDrift:
    """The workspace of an agent that was started, beside what its declaration asks for."""

    RENDERED = """    workspace "{}"
    argv "sh"
    render {{
        json-upsert "settings.json" {{
            port 1
        }}
    }}
"""

    @pytest.fixture
    def workspace(self, tmp_path: Path) -> Path:
        folder = tmp_path / "workspace"
        folder.mkdir()
        return folder

    def test_a_workspace_that_is_as_asked_for_is_fine(self, cli: Cli, workspace: Path) -> None:
        agent(cli.catalog, kdl=declared(body=self.RENDERED.format(workspace)), session=over())
        (workspace / "settings.json").write_text('{"port": 1, "own": 2}')
        assert diagnosed(cli) == []

    @pytest.mark.parametrize("before", ['{"port": 2}', None])
    def test_one_that_is_not_is_named_with_the_file(
        self, cli: Cli, workspace: Path, before: str | None
    ) -> None:
        agent(cli.catalog, kdl=declared(body=self.RENDERED.format(workspace)), session=over())
        if before is not None:
            (workspace / "settings.json").write_text(before)
        [finding] = diagnosed(cli)
        assert (finding["code"], finding["path"]) == ("render-drift", f"{workspace}/settings.json")

    def test_one_that_cannot_be_merged_is_named(self, cli: Cli, workspace: Path) -> None:
        agent(cli.catalog, kdl=declared(body=self.RENDERED.format(workspace)), session=over())
        (workspace / "settings.json").write_text("{// mine\n}")
        assert [each["code"] for each in diagnosed(cli)] == ["render-refused"]

    def test_before_the_first_start_nothing_has_drifted(self, cli: Cli, workspace: Path) -> None:
        agent(cli.catalog, kdl=declared(body=self.RENDERED.format(workspace)))
        assert diagnosed(cli) == []

    def test_looking_at_a_workspace_writes_nothing(
        self, cli: Cli, workspace: Path, tree_hash: Callable[..., str]
    ) -> None:
        agent(cli.catalog, kdl=declared(body=self.RENDERED.format(workspace)), session=over())
        (workspace / "settings.json").write_text('{"port": 2}')
        before = tree_hash(workspace, mtimes=True), tree_hash(mtimes=True)
        assert len(diagnosed(cli)) == 1
        assert (tree_hash(workspace, mtimes=True), tree_hash(mtimes=True)) == before


def over() -> Claim:
    """A session that has ended."""
    return claim(ended_ms=now_ms(), end_reason="exited")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ('    workspace "/no/where"\n    claude { prompt "x" }\n', "no-workspace"),
        ('    workspace "/tmp"\n    claude { effort "x" }\n', "bad-declaration"),
    ],
)
def test_what_is_wrong_with_its_launch_is_told_once(cli: Cli, body: str, code: str) -> None:
    agent(cli.catalog, kdl=declared(body=body), session=over())
    assert [each["code"] for each in diagnosed(cli)] == [code]
