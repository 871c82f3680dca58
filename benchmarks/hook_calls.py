"""A harness that does nothing but call a hook: run by `benchmarks.start` under a wrapper.

Prints two JSON arrays, ms: the bare interpreter, and the hook, the i-th of each next to each other.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

ROUNDS = 60
PAYLOAD = {"session_id": "s-1", "tool_name": "Bash", "tool_input": {"command": "ls -l"}}


def spent_ms(command: list[str], payload: str) -> float:
    """Wall time of one run with *payload* on stdin."""
    with open(payload, "rb") as stdin:
        start = time.perf_counter()
        subprocess.run(command, stdin=stdin, stdout=subprocess.DEVNULL, check=True)
        return (time.perf_counter() - start) * 1000


def main() -> None:
    """Measure in pairs, the first two of which warm the caches."""
    st2, identity = sys.argv[1:]
    hook = [st2, "driver", "hook", "claude", "PostToolUse", "--identity", identity]
    bare = [sys.executable, "-c", "pass"]
    with tempfile.NamedTemporaryFile("w") as payload:
        json.dump({**PAYLOAD, "tool_response": "x" * 2_000}, payload)
        payload.flush()
        pairs = [
            (spent_ms(bare, payload.name), spent_ms(hook, payload.name)) for _ in range(ROUNDS)
        ]
    floors, hooks = zip(*pairs[2:], strict=True)
    print(json.dumps([floors, hooks]))
    assert os.path.exists(
        f"{os.environ['CATALOG']}/agents/h1/{identity.partition('.')[2]}/activity"
    )


if __name__ == "__main__":
    main()
