"""The entry point: the fast path where it is certain, click for everything else."""

from __future__ import annotations

import sys

from st2.boundary import guarded, keep_standard_descriptors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    args = list(sys.argv[1:] if argv is None else argv)
    if not _becomes_a_program(args):
        keep_standard_descriptors()

    from st2.fast import plan

    served = plan(args)
    if served is not None:
        return guarded(served)

    from st2.cli.main import run

    return guarded(lambda: run(args))


def _becomes_a_program(args: Sequence[str]) -> bool:
    """Say whether the command may become a harness, which gets the descriptors as they are."""
    return "driver" in args or "run" in args


if __name__ == "__main__":
    sys.exit(main())
