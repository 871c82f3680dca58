"""More writes: what a host keeps beside its records, and how a catalog changes its way."""

from __future__ import annotations

from pathlib import Path

from catalog import setup
from catalog.sync.own import Own
from catalog.system import log
from drivers.hook_trace import Trace
from support.writes import NOW, Write, local, logged, nothing

_OWN = ".st2/h1/repository/x/read"


def nearly_full(root: Path) -> None:
    """A log that the next line fills."""
    logged(root)
    with (root / local(root)[1].log()).open("ab") as file:
        file.write(b"x" * (log.LOG_BYTES - file.tell() - 5) + b"\n")


def traced(root: Path) -> None:
    files, layout = local(root)
    line = Trace(hook="claude Stop", identity="h1.a1", why="what was in its way", now_ms=NOW)
    line.leave(files, layout.hook_log())


def goes_by(root: Path, presence: str) -> None:
    setup.complete(local(root)[1], presence)


def own(root: Path) -> None:
    Own(*local(root), _OWN).make()


def not_ours(root: Path) -> None:
    """A repository of ours into which somebody put a configuration."""
    nothing(root)
    own(root)
    (root / _OWN / "config").write_text("[core]\n\tfsmonitor = evil\n")


LOCAL_WRITES = (
    Write("log the line that fills the log", nearly_full, logged),
    Write("leave a hook's trace", nothing, traced),
    Write("make a repository of our own", nothing, own),
    Write("make one anew that is not ours", not_ours, own),
    Write(
        "switch to the branch",
        lambda root: goes_by(root, setup.REFS),
        lambda root: goes_by(root, setup.BRANCH),
    ),
    Write(
        "switch back from the branch",
        lambda root: goes_by(root, setup.BRANCH),
        lambda root: goes_by(root, setup.REFS),
    ),
)
