"""Two hosts, one bare repository, one real process: its life and its end, seen on both.

Run by `make demo`. Everything happens in a temporary folder that is removed at the end, also after
a failure. Every command is printed before it runs; each can be typed by hand in that folder.
"""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BIN = Path(sys.executable).parent
DECLARATION = """\
agent "worker" {{
    host "h1"
    workspace "{workspace}"
    name "Release worker"
    description "Sleeps, and would rather not be woken"
    exec {{
        argv "sleep" "300"
    }}
}}
"""
GIT_CONFIG = """\
[user]
    name = Demo
    email = demo@example.invalid
[init]
    defaultBranch = main
"""


class Demo:
    """A folder with both hosts in it, and the commands that are run there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.harness: subprocess.Popen[bytes] | None = None
        home = folder / "home"
        home.mkdir()
        (home / ".gitconfig").write_text(GIT_CONFIG)
        self.env = {
            "HOME": str(home),
            "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "LANG": "C.UTF-8",
            "TERM": os.environ.get("TERM", "dumb"),
        }

    def show(self, text: str) -> None:
        """Print, at once and in order with what the commands print."""
        print(text, flush=True)

    def run(self, command: str) -> None:
        """Print *command* and run it in the folder; a failure ends the demo."""
        self.show(f"\n$ {command}")
        subprocess.run(shlex.split(command), cwd=self.folder, env=self.env, check=True)

    def start(self, command: str) -> int:
        """Print *command*, start it beside us, and return its pid."""
        self.show(f"\n$ {command} &")
        self.harness = subprocess.Popen(
            shlex.split(command), cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL
        )
        self.show(f"[pid {self.harness.pid}]")
        return self.harness.pid

    def wait_for(self, word: str) -> None:
        """Ask h1 until it says *word* of the worker, five seconds at most."""
        command = ["st2", "--catalog", "h1", "--host", "h1", "status", "worker"]
        limit = time.monotonic() + 5
        said = b""
        while said.strip() != word.encode():
            if time.monotonic() > limit:
                raise SystemExit(f"demo: h1 says {said!r} of the worker, want {word}")
            time.sleep(0.05)
            said = subprocess.run(
                command, cwd=self.folder, env=self.env, stdout=subprocess.PIPE, check=False
            ).stdout

    def wait_for_end(self) -> None:
        """Wait until the owner has written the end: that may be a moment after `offline`."""
        claim = self.folder / "h1/agents/h1/worker/session.json"
        limit = time.monotonic() + 5
        while json.loads(claim.read_bytes())["ended_ms"] is None:
            if time.monotonic() > limit:
                raise SystemExit("demo: the end of the session was not written within 5 s")
            time.sleep(0.05)

    def declare(self) -> None:
        """Write the worker's declaration on h1, and print it."""
        (self.folder / "work").mkdir()
        path = self.folder / "h1/agents/h1/worker/agent.kdl"
        path.parent.mkdir(parents=True)
        path.write_text(DECLARATION.format(workspace=self.folder / "work"))
        self.show(f"\n# {path.relative_to(self.folder)}\n{path.read_text()}")

    def sync(self) -> None:
        """One round on each host, h1 first; then both rosters."""
        for host in ("h1", "h2"):
            self.run(f"st2 --catalog {host} --host {host} sync")
        for host in ("h1", "h2"):
            self.run(f"st2 --catalog {host} --host {host} agents")

    def clean(self) -> None:
        """End the harness if it still runs, wait until its owner has left, remove the folder."""
        if self.harness is not None:
            self.harness.kill()
            self.harness.wait()
            _wait_until_free(self.folder / "h1/.st2/h1/owner/worker")
        shutil.rmtree(self.folder)


def _wait_until_free(lock: Path) -> None:
    if not lock.is_file():
        return
    with lock.open("rb") as file:
        for _ in range(100):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                time.sleep(0.05)


def story(demo: Demo) -> None:
    """The whole of it, in order."""
    demo.run("git init -q h1")
    demo.run("st2 --host h1 init h1 --remote fleet.git")
    demo.declare()
    demo.run("git -C h1 add .")
    demo.run("git -C h1 commit -q -m 'A catalog with one worker'")
    demo.run("git -C h1 push -q ../fleet.git HEAD:main")
    demo.run("git clone -q fleet.git h2")
    demo.run("st2 --host h2 init h2 --remote fleet.git")

    pid = demo.start("st2 --catalog h1 --host h1 run worker --beat 1000")
    demo.wait_for("available")
    demo.sync()

    demo.run(f"kill -9 {pid}")
    assert demo.harness is not None
    demo.harness.wait()
    demo.wait_for("offline")
    demo.wait_for_end()
    demo.sync()
    demo.run("st2 --catalog h2 --host h2 why worker")


def main() -> None:
    """Run the story in a folder of its own, and leave nothing behind."""
    demo = Demo(Path(tempfile.mkdtemp(prefix="st2-demo-")))
    demo.show(f"# in {demo.folder}")
    try:
        story(demo)
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"demo: exit {error.returncode} of: {shlex.join(error.cmd)}") from None
    finally:
        demo.clean()
    demo.show("\n# done; the folder is removed")


if __name__ == "__main__":
    main()
