"""What `st2 materialize` and `run` do not touch: every refusal comes before any write."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from catalogs import agent
from conftest import Cli
from support.seat import Seat


@pytest.fixture
def seat(cli: Cli, tmp_path: Path) -> Seat:
    return Seat(cli, tmp_path)


class TestRefusals:
    """Before any write, and `run` starts nothing."""

    def refused(self, seat: Seat, sentence: str) -> str:
        before = sorted(seat.folder.rglob("*"))
        for command in (("materialize", "w"), ("run", "w")):
            done = seat.cli(*command)
            assert (done.code, done.text) == (1, "")
            assert sentence in done.errors
        assert sorted(seat.folder.rglob("*")) == before
        assert sorted(p.name for p in (seat.cli.catalog / "agents/h1/w").iterdir()) == ["agent.kdl"]
        return done.errors

    def test_comments_show_what_to_paste(self, seat: Seat) -> None:
        seat.servers.write_text('{\n  // mine\n  "mcpServers": {}\n}\n')
        errors = self.refused(seat, "st2: h1.w: .mcp.json: line 2: found a comment, wanted plain")
        fragment = errors[errors.index("{") : errors.rindex("}") + 1]
        assert json.loads(fragment)["mcpServers"]["st2"]["type"] == "stdio"

    @pytest.mark.parametrize("left", ["{ // mine\n}", "\ufeff{}", "[]", None], ids=ascii)
    def test_what_was_never_merged_is_not_to_be_taken_out(
        self, seat: Seat, left: str | None
    ) -> None:
        if left is None:
            seat.servers.mkdir()
        else:
            seat.servers.write_text(left)
        self.refused(seat, "st2: h1.w: .mcp.json: ")
        done = seat.cli("materialize", "w", "--undo")
        assert (done.code, done.text, done.errors) == (0, "", "")
        assert left is None or seat.servers.read_text() == left

    @pytest.mark.parametrize("more", [(), ("--dry-run",)])
    def test_what_a_person_merged_is_told_as_what_to_take_out(
        self, seat: Seat, more: tuple[str, ...]
    ) -> None:
        seat.cli("materialize", "w")
        merged = seat.servers.read_text()
        seat.servers.write_text(f"// mine\n{merged}")
        done = seat.cli("materialize", "w", "--undo", *more)
        assert done.code == 1 and seat.settings.exists()
        assert done.errors.startswith(f"to be taken out of .mcp.json by hand:\n{merged}st2: ")
        assert ".mcp.json: line 1: found a comment, wanted plain JSON\nhint: " in done.errors

    def test_a_tracked_file_that_would_change(self, seat: Seat) -> None:
        seat.git("init", "-q")
        seat.servers.write_text("{}\n")
        seat.git("add", ".mcp.json")
        self.refused(seat, "st2: h1.w: .mcp.json: tracked by git, and would be changed; wanted")
        seat.git("rm", "-q", "--cached", ".mcp.json")
        assert seat.cli("materialize", "w").code == 0

    def test_a_tracked_file_that_is_right_already_is_no_hindrance(self, seat: Seat) -> None:
        seat.cli("materialize", "w")
        seat.git("init", "-q")
        seat.git("add", ".")
        assert seat.cli("materialize", "w").code == 0

    def test_a_tracked_file_of_a_folder_below_the_repository(self, seat: Seat, cli: Cli) -> None:
        seat.git("init", "-q")
        inner = seat.folder / "in ner"
        inner.mkdir()
        (inner / ".mcp.json").write_text("{}")
        seat.git("add", ".")
        text = (cli.catalog / "agents/h1/w/agent.kdl").read_text()
        moved = text.replace(str(seat.folder), str(inner))
        (cli.catalog / "agents/h1/w/agent.kdl").write_text(moved)
        assert ".mcp.json: tracked by git" in cli("materialize", "w").errors

    def test_a_symlink_out(self, seat: Seat, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        (seat.folder / ".claude").symlink_to(outside)
        self.refused(seat, f"leads to {outside}/settings.local.json, out of the workspace")
        assert list(outside.iterdir()) == []

    def test_a_symlink_inside_is_followed_and_stays_one(self, seat: Seat) -> None:
        (seat.folder / "real.json").write_text('{"a": 1}')
        seat.servers.symlink_to("real.json")
        assert seat.cli("materialize", "w").code == 0
        assert seat.servers.is_symlink() and "st2" in (seat.folder / "real.json").read_text()

    @pytest.mark.parametrize("kind", ["fifo", "directory", "huge"])
    def test_something_else_in_a_file_s_place(self, seat: Seat, kind: str) -> None:
        if kind == "fifo":
            os.mkfifo(seat.servers)
        elif kind == "directory":
            seat.servers.mkdir()
        else:
            seat.servers.write_bytes(b" " * 1_048_577)
        self.refused(seat, "st2: h1.w: .mcp.json: ")

    def test_a_workspace_that_is_not_there_or_not_declared(self, seat: Seat, cli: Cli) -> None:
        os.rmdir(seat.folder)
        done = cli("materialize", "w")
        assert done.code == 1 and "wanted its workspace" in done.errors
        agent(cli.catalog, "w", kdl='agent "w" {\n    host "h1"\n    claude { prompt "x"; }\n}\n')
        done = cli("materialize", "w")
        assert done.code == 1 and "no workspace is declared" in done.errors
        assert cli("materialize").code == 0

    def test_git_that_does_not_answer_is_no_no(self, seat: Seat) -> None:
        (seat.folder / ".git").write_text("gitdir: /nowhere\n")
        self.refused(seat, "git ls-files: ")

    def test_one_agent_s_refusal_does_not_stop_the_others(self, seat: Seat, tmp_path: Path) -> None:
        seat.servers.write_text("[")
        free = tmp_path / "free"
        free.mkdir()
        body = f'    claude {{\n        prompt "y"\n    }}\n    workspace "{free}"\n'
        text = f'agent "z" {{\n    host "h1"\n{body}}}\n'
        agent(seat.cli.catalog, "z", kdl=text)
        assert seat.cli("materialize").code == 1
        assert (free / ".mcp.json").exists()
