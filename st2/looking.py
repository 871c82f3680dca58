"""The looks of one answer at this host's harnesses; nothing is loaded before the first."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.claim import Claim
    from catalog.witness import Looks, Sight
    from st2.context import Context


class Looking:
    """What a roster calls with each claim of this host; a ``with`` lets go of what it opened."""

    __slots__ = ("_context", "_looks")

    def __init__(self, context: Context) -> None:
        self._context = context
        self._looks: Looks | None = None

    def __call__(self, claim: Claim) -> Sight:
        """Look at the harness of a claim of this host."""
        if self._looks is None:
            self._looks = self._context.looks()
        return self._looks.look(claim)

    def __enter__(self) -> Looking:
        return self

    def __exit__(self, *_: object) -> None:
        if self._looks is not None:
            self._looks.close()
