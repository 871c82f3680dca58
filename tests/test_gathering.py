"""The order in which tests run."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_files_with_a_slow_test_come_first_and_whole() -> None:
    files = ["tests/test_flat.py", "tests/test_mcp_sdk.py", "tests/test_formats.py"]
    words = [sys.executable, "-m", "pytest", "--collect-only", "-q", *files]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    found = [line.partition(":")[0] for line in done.stdout.splitlines() if "::" in line]
    assert list(dict.fromkeys(found)) == [files[1], files[2], files[0]]


def test_what_was_gathered_is_no_garbage_and_what_comes_later_is() -> None:
    assert gc.isenabled() and gc.get_freeze_count() > 10_000
