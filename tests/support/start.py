"""Starts a harness through the wrapper where the kernel seems to have no pidfds.

``start.py CATALOG HOST AGENT BEAT_MS -- argv...``
"""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from catalog.errors import St2Error
from catalog.layout import Layout
from catalog.store import Writer
from catalog.system.clock import Clock
from catalog.system.files import Files
from catalog.system.processes import Processes
from drivers.launch import Launch, launch


class WithoutPidfds(Processes):
    """The real port on an old kernel, or under a filter that forbids pidfd_open."""

    __slots__ = ()

    def open(self, pid: int) -> int | None:
        return None


def say(line: str) -> None:
    os.write(2, f"st2: {line}\n".encode())


def main() -> int:
    cut = sys.argv.index("--")
    root, host, agent, beat_ms = sys.argv[1:cut]
    wanted = Launch(
        agent=agent,
        harness="exec",
        runtime=f"{host}.{agent}",
        node=None,
        argv=sys.argv[cut + 1 :],
        force=False,
        beat_ms=int(beat_ms),
    )
    writer = Writer(Files(root), Layout(root, host))
    try:
        launch(wanted, writer=writer, processes=WithoutPidfds(), clock=Clock(), say=say)
    except St2Error as error:
        say(f"{error}\nhint: {error.hint}")
        return error.exit_code
    return 3


if __name__ == "__main__":
    sys.exit(main())
