"""A declared claude with a workspace of its own, as somebody has it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from catalogs import agent

if TYPE_CHECKING:
    from conftest import Cli


class Seat:
    """Agent w of h1, a claude, with a workspace."""

    def __init__(self, cli: Cli, tmp: Path) -> None:
        self.cli = cli
        self.folder = tmp / "workspace"
        self.folder.mkdir()
        self.declare('    claude {\n        prompt "x"\n    }\n')

    def declare(self, body: str, name: str = "w") -> None:
        text = f'agent "{name}" {{\n    host "h1"\n    workspace "{self.folder}"\n{body}}}\n'
        agent(self.cli.catalog, name, kdl=text)

    def git(self, *args: str) -> bytes:
        command = ["git", "-C", str(self.folder), *args]
        return subprocess.run(
            command, env=self.cli.environment(), check=True, capture_output=True
        ).stdout

    @property
    def settings(self) -> Path:
        return self.folder / ".claude/settings.local.json"

    @property
    def servers(self) -> Path:
        return self.folder / ".mcp.json"
