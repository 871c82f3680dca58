"""In which order the snapshots of a round are read, and how much of them.

Two orders share a round. Small ones come first, so that most hosts are current beside some that are
large; but whoever sent many small ones at each round would have a large one wait for ever. So the
other half is for those that were heard longest ago.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from catalog.snapshot import SNAPSHOT_BYTES, Refused

ROUND_BYTES = 16 * SNAPSHOT_BYTES
"""After how much one collect leaves the other hosts for the next one: nothing is published
meanwhile. 48 hosts of 1 000 agents are a fifth of it."""

_AT_ONCE = 16

Raw = bytes | Refused
Read = Callable[[dict[str, str]], Iterator[tuple[str, Raw]]]


def in_turn(
    tips: dict[str, str],
    *,
    read: Read,
    take: Callable[[str, Raw], int],
    heard_ms: Callable[[str], int],
    most: int = ROUND_BYTES,
) -> set[str]:
    """Hand what *read* finds of *tips* to *take*, which says what it cost; return the names.

    It ends where that is more than *most*. *heard_ms* is when a host was heard last, 0 for never:
    those come last.
    """
    done: set[str] = set()
    left = most

    def through(some: dict[str, str], least: int) -> None:
        nonlocal left
        for name, raw in read(some):
            left -= take(name, raw)
            done.add(name)
            if left < least:
                return

    through(tips, most // 2)
    heard = {name: heard_ms(name) for name in tips.keys() - done}
    rest = sorted(heard, key=lambda name: (not heard[name], heard[name], name))
    for start in range(0, len(rest), _AT_ONCE):
        if left < 0:
            break
        through({name: tips[name] for name in rest[start : start + _AT_ONCE]}, 0)
    return done
