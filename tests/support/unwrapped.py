"""Sessions that nobody wraps: agent a1 of h1, by the installed command."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from catalogs import agent, declared, record

if TYPE_CHECKING:
    from conftest import Cli, Result


class Unwrapped:
    """The agent's records, and callers that name their session or let the environment do it."""

    def __init__(self, cli: Cli) -> None:
        self.cli = cli
        self.folder = agent(cli.catalog, kdl=declared())
        self.evidence = cli.catalog / ".st2/h1/process/a1"

    def register(self, token: str, *args: str, by_variable: bool = False) -> Result:
        """Register *token*; a harness that happens to be above the test is no evidence."""
        named = () if by_variable else ("--session", token)
        env = {"ST2_SESSION": token} if by_variable else {}
        done = self.cli("session", "register", "a1", "--json", *named, *args, env=env)
        self.evidence.unlink(missing_ok=True)
        return done

    def beat(self, token: str | None) -> Result:
        return self.cli("beat", env={"ST_AGENT": "h1.a1", "ST2_SESSION": token})

    def raw(self, name: str) -> bytes | None:
        path = self.folder / name
        return path.read_bytes() if path.exists() else None

    def bytes(self, *names: str) -> dict[str, bytes | None]:
        return {name: self.raw(name) for name in names}

    def claim(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "session.json").read_bytes()))

    def rewrite(self, **fields: object) -> None:
        """Put other values into the claim, as if they had always stood there."""
        whole = json.dumps({**self.claim(), **fields})
        (self.folder / "session.json").write_text(whole)

    def put(self, name: str, word: str, stamp_ms: int) -> None:
        (self.folder / name).write_bytes(record(word, stamp_ms))


def told(done: Result) -> Mapping[str, Any]:
    """What a command printed as JSON."""
    return dict(json.loads(done.out))


def harness(cli: Cli, script: str, name: str = "claude", **env: str) -> tuple[int, str, str]:
    """Run *script* below a process that is called *name*; its code and both streams."""
    words = ["bash", "-c", 'exec -a "$0" bash -c "$1"', name, script]
    given = cli.environment({"ST2": str(cli.command), **env})
    done = subprocess.run(
        words, env=given, cwd=cli.home, capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout, done.stderr
