"""The entry point: the fast path where it is certain, click for everything else."""

from __future__ import annotations

import gc
import os
import sys

import st2
from catalog.system import own_modules

# Before the many that follow: this makes finding them a third cheaper.
own_modules.install(st2.__path__[0].rpartition("/")[0])

from st2.boundary import guarded, keep_own_bits, keep_standard_descriptors  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    args = list(sys.argv[1:] if argv is None else argv)
    served = _prepared(args)
    return _through_click(args) if served is None else guarded(served)


def start() -> NoReturn:
    """Run the process's command line and end the process.

    The fast path leaves without the interpreter's own tidying up, which would take as long as
    all that it did: it has nothing buffered, no thread and no child. It ends before there is
    anything to collect, so nobody looks for that either.
    """
    args = sys.argv[1:]
    gc.disable()
    served = _prepared(args)
    if served is not None:
        os._exit(guarded(served))
    gc.enable()
    code = _through_click(args)
    sys.exit(0 if _is_hook(args) else code)


def _prepared(args: Sequence[str]) -> Callable[[], int] | None:
    if not _becomes_a_program(args):
        keep_standard_descriptors()

    from st2.fast import plan

    return plan(args)


def _through_click(args: Sequence[str]) -> int:
    from st2.cli.main import run

    if not _becomes_a_program(args):
        keep_own_bits()
    return guarded(lambda: run(args))


def _is_hook(args: list[str]) -> bool:
    """Say whether a harness waits for this: another code than 0 would stop its work."""
    return "driver" in args and args[args.index("driver") + 1 :][:1] == ["hook"]


def _becomes_a_program(args: Sequence[str]) -> bool:
    """Say whether the command may become a harness, which gets the descriptors as they are."""
    return "driver" in args or "run" in args


if __name__ == "__main__":
    start()
