"""A harness that does nothing but call a hook: run by `benchmarks.start` under a wrapper.

Prints two JSON arrays, the bare interpreter and the hook, the i-th of each next to each other:
each a pair of wall time and processor time, ms.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time

PAYLOAD = {"session_id": "s-1", "tool_name": "Bash", "tool_input": {"command": "ls -l"}}


def spent_ms(command: list[str], payload: str) -> tuple[float, float]:
    """Wall time and processor time of one run with *payload* on stdin."""
    with open(payload, "rb") as stdin:
        busy, start = _busy_s(), time.perf_counter()
        subprocess.run(command, stdin=stdin, stdout=subprocess.DEVNULL, check=True)
        return (time.perf_counter() - start) * 1000, (_busy_s() - busy) * 1000


def _busy_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure in pairs, after two that warm the caches."""
    st2, identity, rounds = sys.argv[1:]
    hook = [st2, "driver", "hook", "claude", "PostToolUse", "--identity", identity]
    bare = [sys.executable, "-c", "pass"]
    with tempfile.NamedTemporaryFile("w") as payload:
        json.dump({**PAYLOAD, "tool_response": "x" * 2_000}, payload)
        payload.flush()
        pairs = [
            (spent_ms(bare, payload.name), spent_ms(hook, payload.name))
            for _ in range(int(rounds) + 2)
        ]
    floors, hooks = zip(*pairs[2:], strict=True)
    print(json.dumps([floors, hooks]))
    assert os.path.exists(
        f"{os.environ['CATALOG']}/agents/h1/{identity.partition('.')[2]}/activity"
    )


if __name__ == "__main__":
    main()
