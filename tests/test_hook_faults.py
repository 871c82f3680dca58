"""A hook, with every call of the system that it makes failing once: its harness never notices."""

from __future__ import annotations

import json
import os
from pathlib import Path

from catalog.system.files import Files
from drivers.hook_trace import failures
from st2.serve import hook
from support.faulty_files import Kernel, faults, under
from support.writes import held_by_a, local

ARGS = ("claude", "PostToolUse", '{"session_id":"A"}', "--identity", "h1.a1")
REFUSED = "a1: no claude among the processes above this hook"


def serve(root: Path, kernel: Kernel) -> tuple[int, bytes, list[str]]:
    """Serve one call in a process of its own; return its exit code, output and calls."""
    said, told = root.parent / "said", root.parent / "told"
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(out, 1)
            os.dup2(out, 2)
            with under(kernel):
                code = hook.run(str(root), "h1", ARGS, {"HOME": str(root.parent)})
            told.write_text(json.dumps(kernel.calls))
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), said.read_bytes(), json.loads(told.read_text())


def test_whatever_fails_a_refused_hook_exits_0_says_nothing_and_leaves_its_trace(
    tmp_path: Path,
) -> None:
    """No claude is above it: the call is refused, and its trace is what it writes."""
    code, said, calls = serve(catalog(tmp_path / "clean"), Kernel())
    assert (code, said, calls.count("write")) == (0, b"", 1)
    assert whys(tmp_path / "clean") == [REFUSED]
    for number, what in faults(calls):
        if isinstance(what, int):
            place = tmp_path / f"{number} {what}"
            root = catalog(place)
            before = (root / "agents/h1/a1/status").read_bytes()
            where = f"call {number} ({calls[number]}): {what}"
            code, said, _ = serve(root, Kernel(number, what))
            assert (code, said) == (0, b""), where
            # A line that was written and whose file could not be closed is left twice.
            assert len(whys(place)) == 1 + (calls[number] == "close"), where
            assert (root / "agents/h1/a1/status").read_bytes() == before, where
            assert serve(root, Kernel())[:2] == (0, b""), where
            assert REFUSED in whys(place), where


def catalog(place: Path) -> Path:
    root = place / "catalog"
    root.mkdir(parents=True)
    held_by_a(root)
    return root


def whys(place: Path) -> list[str]:
    """What was left with the catalog, then in the user's own folder."""
    files, layout = local(place / "catalog")
    own = Files(str(place / ".local/state/st2"))
    return [each.why for each in (*failures(files, layout.hook_log()), *failures(own, "hooks"))]
