"""A process that looks like a harness and calls hooks of ours, as real ones do through a shell."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catalogs import agent, declared
from drivers.hook_trace import HookFailure, failures

if TYPE_CHECKING:
    from conftest import Cli, Result

from catalog.layout import Layout
from catalog.system.files import Files

_CALL = (
    'printf %s "$3" | "$ST2" driver hook "$HARNESS" "$1" $2 >>"$SEEN" 2>&1; echo "$1 $?" >>"$SEEN"'
)
_HARNESS = "call() { " + _CALL + "; }\n"


class Hooked:
    """Agent w of h1, declared, and hooks that are called from below a harness's name."""

    def __init__(self, cli: Cli, tmp: Path) -> None:
        self.cli = cli
        self.seen = tmp / "seen"
        self.folder = agent(cli.catalog, "w", kdl=declared("w"))
        self.files = Files(str(cli.catalog))
        self.layout = Layout(str(cli.catalog), "h1")

    def events(
        self,
        *events: str,
        session: str = "s-1",
        harness: str = "claude",
        name: str | None = None,
        identity: str | None = "h1.w",
        env: Mapping[str, str | None] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> str:
        """Call hooks below a process called *name*; return what they printed, exit codes too."""
        payload = json.dumps({"session_id": session, **(more or {})})
        return self.script(
            "\n".join(f'call {event} "$WHO" "$PAYLOAD"' for event in events),
            harness=harness,
            name=name,
            env={
                "PAYLOAD": payload,
                "WHO": f"--identity {identity}" if identity else "",
                **(env or {}),
            },
        )

    def script(
        self,
        script: str,
        *,
        harness: str = "claude",
        name: str | None = None,
        env: Mapping[str, str | None] | None = None,
    ) -> str:
        """Run *script*, in which ``call EVENT OPTIONS PAYLOAD`` calls a hook, as *name*."""
        self.seen.write_text("")
        given = {
            "ST2": str(self.cli.command),
            "SEEN": str(self.seen),
            "HARNESS": harness,
            **(env or {}),
        }
        words = ["bash", "-c", 'exec -a "$0" bash -c "$1"', name or harness, _HARNESS + script]
        done = subprocess.run(
            words,
            env=self.cli.environment(given),
            cwd=self.cli.home,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return self.seen.read_text()

    def record(self, name: str) -> bytes | None:
        """The bytes of a record of the agent."""
        try:
            return (self.folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def claim(self) -> dict[str, Any]:
        raw = self.record("session.json")
        return {} if raw is None else dict(json.loads(raw))

    def failures(self) -> list[HookFailure]:
        """What the hooks left for doctor in the catalog's own folder of this host."""
        return failures(self.files, self.layout.hook_log())

    def whys(self) -> list[str]:
        return [failure.why for failure in self.failures()]

    def run(
        self, *args: str, stdin: bytes = b"{}", env: Mapping[str, str | None] | None = None
    ) -> Result:
        """Call the hook itself, without a harness above it."""
        return self.cli("driver", "hook", *args, stdin=stdin, env=env)
