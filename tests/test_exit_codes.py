"""The starter sees the harness's own exit (case F13)."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from support.wrapped import Wrapped

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
with_unshare = pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare")


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize(
    ("script", "expected"),
    [
        *[(f"exit {code}", code) for code in (0, 1, 7, 130, 255)],
        *[
            (f"kill -{name} $$", -number)
            for name, number in (
                ("TERM", 15),
                ("INT", 2),
                ("KILL", 9),
                ("SEGV", 11),
                ("HUP", 1),
                ("PIPE", 13),
            )
        ],
    ],
)
def test_the_exit_code_and_signal_are_the_harnesss_own(
    wrapped: Wrapped, script: str, expected: int, terminal: bool
) -> None:
    command = wrapped.command("sh", "-c", script)
    if terminal:
        leader, follower = os.openpty()
        streams = {"stdin": follower, "stdout": follower, "stderr": follower}
    process = subprocess.Popen(
        command,
        env=wrapped.cli.environment(),
        start_new_session=True,
        **(streams if terminal else {}),  # type: ignore[arg-type]
    )
    assert process.wait() == expected
    text = f"exit {expected}" if expected >= 0 else f"signal {-expected}"
    assert wrapped.ended()["exit"] == text
    if terminal:
        os.close(leader)
        os.close(follower)
