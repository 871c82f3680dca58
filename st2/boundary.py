"""The one place where an error becomes a message and an exit code (spec/commands.md)."""

from __future__ import annotations

import os
from errno import EPIPE

from catalog.errors import St2Error, reason_of
from st2.out import ClosedPipe, plain, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

INTERRUPTED = 130
UNEXPECTED = 3


def keep_standard_descriptors() -> None:
    """Open /dev/null for each of 0, 1, 2 that the caller closed.

    Else the next file that we open would take its number, and output would go into it.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def keep_own_bits() -> None:
    """Let a umask take away nothing of what is made here from its own user.

    git and ssh make files as well, which nobody else could give back their modes.
    """
    os.umask(os.umask(0o077) & 0o077)


def guarded(command: Callable[[], int]) -> int:
    """Run *command* and return the exit code, errors told on stderr."""
    try:
        return command()
    except ClosedPipe:
        return 0
    except St2Error as error:
        tell(error)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except RecursionError as error:
        return _unexpected(error)
    except OSError as error:
        return _system(error)
    except Exception as error:  # the boundary: whatever is left is a fault of ours
        return _unexpected(error)


def tell(error: St2Error) -> None:
    """Say what was refused, and the way out."""
    say(f"st2: {plain(str(error))}")
    if error.hint:
        say(f"hint: {plain(error.hint)}")


def _system(error: OSError) -> int:
    """A file that cannot be used is the user's to mend, not a fault of ours."""
    if error.errno == EPIPE:
        return 0
    if error.filename is None and _is_folder_gone():
        from catalog.refusals import BadUsage

        hint = "go to a folder that is there, or give the whole path"
        gone = BadUsage(
            "path", "the current folder is gone, wanted one that it can start from", hint
        )
        tell(gone)
        return gone.exit_code
    if error.filename is None or error.errno is None:
        return _unexpected(error)
    name = os.fsdecode(error.filename) if isinstance(error.filename, bytes) else error.filename
    say(f"st2: {plain(str(name))}: {reason_of(error)}")
    return 1


def _is_folder_gone() -> bool:
    """Whether the system cannot name the current folder, which it then says of no file."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def _unexpected(error: BaseException) -> int:
    import traceback

    report = "".join(traceback.format_exception(error))
    say(f"st2: unexpected: {plain(type(error).__name__)}: {plain(str(error))}")
    say("hint: this is a fault of st2; the report follows, please send it")
    for line in report.rstrip().split("\n"):
        say(f"  {plain(line)}")
    return UNEXPECTED
