"""Adopts, without the command line: ``adopt.py CATALOG HOST AGENT BEAT_MS [PID [--force]]``."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from catalog.errors import St2Error
from catalog.layout import Layout
from catalog.store import Writer
from catalog.system.clock import Clock
from catalog.system.files import Files
from catalog.system.processes import host_processes
from drivers.adopt import adopt, claim_running


def say(line: str) -> None:
    os.write(2, f"st2: {line}\n".encode())


def main() -> int:
    root, host, agent, beat_ms, *rest = sys.argv[1:]
    writer = Writer(Files(root), Layout(root, host))
    processes = host_processes()
    try:
        if rest:
            adopted = claim_running(
                agent,
                int(rest[0]),
                writer=writer,
                processes=processes,
                clock=Clock(),
                node=None,
                force="--force" in rest,
                beat_ms=int(beat_ms),
                say=say,
            )
        else:
            adopted = adopt(agent, writer=writer, processes=processes, beat_ms=int(beat_ms))
    except St2Error as error:
        say(f"{error}\nhint: {error.hint}")
        return error.exit_code
    print(f"pid {adopted.pid}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
