"""What a mistyped name may have meant. Loaded where a name was not found, and nowhere else."""

from __future__ import annotations

from difflib import SequenceMatcher
from heapq import nlargest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST = 3
"""How many are told."""
_COMPARED = 100
"""How many are compared letter by letter: those that begin and end most like what was typed."""
_ALIKE = 0.6


def near(typed: str, names: Iterable[str]) -> list[str]:
    """Return the few of *names* that are written much like *typed*, the likeliest first."""
    word = typed.lower()
    ends = {name: _same_ends(word, name.lower()) for name in names}
    matcher = SequenceMatcher(None, "", word, autojunk=False)
    found = []
    for name in nlargest(_COMPARED, ends, key=lambda each: (ends[each], each)):
        matcher.set_seq1(name.lower())
        found.append((-matcher.ratio(), -ends[name], name))
    return [name for alike, _, name in sorted(found)[:MOST] if -alike >= _ALIKE]


def meant(names: Sequence[str]) -> str:
    """Return the question about *names*, with nothing behind it."""
    *others, last = names
    return f"did you mean {', '.join(others)} or {last}" if others else f"did you mean {last}"


def _same_ends(word: str, other: str) -> int:
    """Return how much of two words is the same from their beginnings and from their ends."""
    alike = _same_beginning(word, other) + _same_beginning(word[::-1], other[::-1])
    return alike - abs(len(word) - len(other))


def _same_beginning(word: str, other: str) -> int:
    for number, (one, two) in enumerate(zip(word, other, strict=False)):
        if one != two:
            return number
    return min(len(word), len(other))
