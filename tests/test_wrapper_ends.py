"""What is written when a harness ends, or never begins (cases D2-D4)."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time

import pytest

from support.wrapped import Wrapped, is_running, until


@pytest.mark.parametrize(
    ("make", "code", "found"),
    [
        (lambda path: "./nonesuch", 127, "not found"),
        (lambda path: "nonesuch-program", 127, "not found"),
        (lambda path: str(path / "plain"), 126, "permission denied"),
        (lambda path: str(path), 126, "permission denied"),
        (lambda path: str(path / "orphan"), 127, "not found"),
        (lambda path: "", 127, "not found"),
    ],
)
def test_a_program_that_cannot_be_started_is_a_launch_error_and_was_never_available(
    wrapped: Wrapped, tmp_path: object, make: object, code: int, found: str
) -> None:
    """Case D2."""
    from pathlib import Path

    folder = Path(str(tmp_path)) / "programs"
    folder.mkdir()
    (folder / "plain").write_text("text")
    (folder / "orphan").write_text("#!/nonesuch/interpreter\n")
    (folder / "orphan").chmod(0o755)
    program = make(folder)  # type: ignore[operator]
    done = wrapped.run(program)
    assert done.code == code
    assert done.errors.startswith(f"st2: {program}: {found}, wanted a program")
    claim = wrapped.claim()
    assert (claim["end_reason"], claim["exit"]) == ("launch-error", None)
    assert wrapped.status() is None
    assert wrapped.row()["status"] == "offline"


def test_a_harness_that_exits_at_once_never_ends_as_available(wrapped: Wrapped) -> None:
    """Case D3."""
    for _ in range(10):
        assert wrapped.run("sh", "-c", "exit 7").code == 7
        assert wrapped.ended()["exit"] == "exit 7"
        assert wrapped.word() == "offline"


def test_a_clean_exit_writes_each_record_once_and_then_nothing_more(wrapped: Wrapped) -> None:
    """Case D4."""
    process = wrapped.running("sleep", "60", beat_ms=100)
    owner = wrapped.owner_pid()
    trace = wrapped.cli.home / "trace"
    watcher = subprocess.Popen(
        [
            *["strace", "-f", "-qq", "-e", "trace=rename,renameat,renameat2", "-o"],
            trace,
            "-p",
            str(owner),
        ],
        stderr=subprocess.PIPE,
    )
    until(lambda: trace.exists() and b"status" in trace.read_bytes())
    process.send_signal(signal.SIGTERM)
    watcher.wait()
    watcher.communicate()
    renames = [line for line in trace.read_text().splitlines() if "rename" in line]
    assert '"session.json"' in renames[-1]
    assert '"status"' in renames[-2]
    assert sum('"session.json"' in line for line in renames) == 1
    assert wrapped.word() == "offline"


def test_the_owner_of_a_catalog_that_was_removed_leaves(wrapped: Wrapped) -> None:
    process = wrapped.running("sleep", "60")
    owner = wrapped.owner_pid()
    shutil.rmtree(wrapped.cli.catalog)
    assert is_running(owner), "its harness lives"
    process.kill()
    process.wait()
    until(lambda: not is_running(owner))


@pytest.mark.slow
def test_the_owner_of_a_catalog_that_is_away_for_a_while_writes_the_end_when_it_is_back(
    wrapped: Wrapped,
) -> None:
    process = wrapped.running("sleep", "60")
    away = wrapped.cli.catalog.with_name("away")
    wrapped.cli.catalog.rename(away)
    process.kill()
    process.wait()
    time.sleep(2.5)  # two tries that fail
    away.rename(wrapped.cli.catalog)
    assert wrapped.ended()["exit"] == "signal 9"
