"""The refs that could not be fetched, remembered from one fetch to the next. Pure.

Finding them takes a fetch for each half, and one that hangs costs its whole time limit. As long as
such a ref holds the same object it is left out; at every tenth fetch all are tried again, since
what was wrong may have been put right behind it.
"""

from __future__ import annotations

from collections.abc import Mapping

EVERY = 10
"""At which fetch after a full one the next full one is due."""


class LeftOut:
    """What one reader of one remote leaves out: each ref, what it held, and why.

    ``is_crowded`` says that the remote lists more refs than are taken.
    """

    __slots__ = ("_known", "_spared", "is_crowded")

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._known: dict[str, tuple[str, str]] = {}
        self._spared = 0
        self.is_crowded = False

    def begin(self) -> bool:
        """Begin a fetch; True where it is to try everything."""
        if (self._known or self.is_crowded) and self._spared < EVERY - 1:
            self._spared += 1
            return False
        self._forget()
        return True

    def among(self, listed: Mapping[str, str]) -> dict[str, str]:
        """Return those of *listed* that still hold what could not be had, each with the reason."""
        same = {ref: known for ref, known in self._known.items() if listed.get(ref) == known[0]}
        return {ref: why for ref, (_, why) in same.items()}

    def remember(self, listed: Mapping[str, str], broken: Mapping[str, str]) -> None:
        """Keep what this fetch found broken, and nothing else."""
        self._known = {ref: (listed[ref], why) for ref, why in broken.items()}
