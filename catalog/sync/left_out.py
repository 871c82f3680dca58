"""The refs that could not be fetched, remembered from one fetch to the next. Pure.

Finding them takes a fetch for each half, and one that hangs costs its whole time limit. As long as
such a ref holds the same object it is left out; at every tenth fetch all are tried again, since
what was wrong may have been put right behind it. What there was no time for is gone on with.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from catalog.sync.halves import Halves, chunks

EVERY = 10
"""At which fetch after a full one the next full one is due."""


class LeftOut:
    """What one reader of one remote leaves out: each ref, what it held, and why.

    ``is_full`` says that this fetch tries everything, ``is_crowded`` that the remote lists more
    refs than are taken.
    """

    __slots__ = ("_known", "_rest", "_spared", "is_crowded", "is_full")

    def __init__(self) -> None:
        self._spared = 0
        self.is_full = True
        self.clear()

    def clear(self) -> None:
        """Forget everything: all could be had at once."""
        self._known: dict[str, tuple[str, str]] = {}
        self._rest: tuple[Sequence[str], ...] = ()
        self.is_crowded = False

    def begin(self) -> bool:
        """Begin a fetch; True where it is to try everything."""
        is_spared = bool(self._known or self._rest or self.is_crowded)
        self.is_full = not is_spared or self._spared >= EVERY - 1
        self._spared = 0 if self.is_full else self._spared + 1
        return self.is_full

    def among(self, listed: Mapping[str, str]) -> dict[str, str]:
        """Return those of *listed* that are not to be tried, each with the reason."""
        return {} if self.is_full else self.known(listed)

    def groups(self, refs: Mapping[str, str], first: Collection[str]) -> list[Sequence[str]]:
        """Return *refs* (ref → object) in groups, in the order to try: those in *first* first.

        In both parts what could not be had before comes last; what waited goes on where it
        was, so that with little time each round finds out something.
        """
        once = self.known(refs).keys()
        waited = [[ref for ref in group if ref in refs and ref not in once] for group in self._rest]
        known = {ref for group in waited for ref in group} | once
        new = [ref for ref in refs if ref not in known]
        found: list[Sequence[str]] = chunks([ref for ref in new if ref in first])
        for is_first in (True, False):
            found += [[ref for ref in group if (ref in first) is is_first] for group in waited]
            if not is_first:
                found += chunks([ref for ref in new if ref not in first])
            found += chunks([ref for ref in refs if ref in once and (ref in first) is is_first])
        return [group for group in found if group]

    def remember(self, listed: Mapping[str, str], halves: Halves) -> None:
        """Keep what this fetch found broken, what it had no time for, and nothing else.

        Where nothing at all could be had it may be the remote, and no ref is held against its host.
        """
        waits = {ref for group in halves.rest for ref in group}
        same = self.known(listed)
        kept = same if not (halves.answers and self.is_full) else same.keys() & waits
        known = {ref: (listed[ref], same[ref]) for ref in kept}
        if halves.answers:
            known |= {ref: (listed[ref], why) for ref, why in halves.broken.items()}
        self._known, self._rest = known, halves.rest

    def known(self, listed: Mapping[str, str]) -> dict[str, str]:
        """Return those of *listed* that still hold what could not be had, each with the reason."""
        same = {ref: known for ref, known in self._known.items() if listed.get(ref) == known[0]}
        return {ref: why for ref, (_, why) in same.items()}
