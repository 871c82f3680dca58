"""A restart in a loop, as people write it: every run ends cleanly, and nothing is taken over.

ST2_RESTARTS=50 makes it the whole of the case.
"""

from __future__ import annotations

import json
import os
import subprocess
import time

import pytest

from support.wrapped import Wrapped

TIMES = int(os.environ.get("ST2_RESTARTS", "12"))
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SPEC = """agent "w" {
    host "h1"
    exec {
        argv "sh" "-c" "cat $CATALOG/agents/h1/w/session.json > $OUT/$$; exit 3"
    }
}
"""
LOOP = 'i=0; while [ $i -lt "$1" ]; do "$0" run w; echo $?; i=$((i+1)); done'


def test_restarts_in_a_loop_count_up_and_take_nothing_over(wrapped: Wrapped) -> None:
    """Case B17, as `while :; do st2 run w; done`; each run looks at the claim that it holds."""
    (wrapped.folder() / "agent.kdl").write_text(SPEC)
    out = wrapped.cli.home / "claims"
    out.mkdir()
    loop = subprocess.Popen(
        ["sh", "-c", LOOP, str(wrapped.cli.command), str(TIMES)],
        env=wrapped.cli.environment({"OUT": str(out)}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    ends = set()
    while loop.poll() is None:
        claim = wrapped.claim()
        if claim.get("ended_ms"):
            ends.add((claim["end_reason"], claim["exit"]))
        time.sleep(0.005)
    codes, errors = loop.communicate()
    assert (codes.split(), errors) == ([b"3"] * TIMES, b"")
    held = sorted(
        (json.loads(each.read_bytes()) for each in out.iterdir()), key=lambda c: c["generation"]
    )
    assert [claim["generation"] for claim in held] == list(range(1, TIMES + 1))
    assert len({claim["session"] for claim in held}) == TIMES
    # A claim of another token that has not ended is taken over: so each one before had its end.
    assert not any(claim["took_over"] or claim["previous"] for claim in held)
    last = wrapped.ended()
    assert (last["generation"], last["exit"]) == (TIMES, "exit 3")
    assert ends | {(last["end_reason"], last["exit"])} == {("exited", "exit 3")}
