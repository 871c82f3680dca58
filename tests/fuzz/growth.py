"""What a call costs, told by counting: lines of Python that ran, and the most memory it held.

No clock is asked, so that a busy machine changes nothing. Loops inside of C are not seen.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType

LINES = 2_000
"""How many lines are no cost to speak of: what is loaded or made at a first call."""
BYTES = 200_000
FACTOR = 2.6
"""The most that an input of twice the size may cost, beside that: 2, and room for its edges."""


def lines_of(call: Callable[[], object]) -> int:
    """Count the lines of Python that *call* runs, each round of a loop anew."""
    count = 0

    def local(frame: FrameType, event: str, arg: object) -> object:
        nonlocal count
        count += 1
        return local

    before = sys.gettrace()
    sys.settrace(lambda frame, event, arg: local)  # type: ignore[arg-type, return-value]
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def peak_of(call: Callable[[], object]) -> int:
    """Return the most bytes that Python held for *call* at one time."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def check_growth(check: Callable[[bytes], object], made: Callable[[int], bytes], size: int) -> None:
    """Fail where an input of twice the *size* costs more than about twice as much."""
    small, large = made(size), made(2 * size)
    check(small)  # what is loaded once is no cost of an input
    for cost, room in ((lines_of, LINES), (peak_of, BYTES)):
        one, two = cost(lambda: check(small)), cost(lambda: check(large))
        assert two <= FACTOR * one + room, f"{cost.__name__}: {one} for {size}, {two} for twice"
