"""Which refs of a remote are taken where it lists more than a fleet can have. Pure.

Whoever may push can make any number of refs, which cost him nothing; each costs every reader a
file, and each round the reading of what it holds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from catalog.names import is_host
from catalog.sync import shape

MOST = 1_000
"""The most presence refs of one remote that are taken: twenty times what a hosted one carries."""


def admitted(refs: Mapping[str, str], first: Collection[str]) -> dict[str, str]:
    """Return those of *refs* (ref → object) that are taken, in the order to ask for them.

    The hosts in *first*, which were heard before, come before all others: whoever fills a remote
    keeps nobody's news from those who know him. They count though their refs are gone: else who
    puts other names there each round would have a reader write the records of any number.
    """
    known = frozenset(first)

    def rank(ref: str) -> tuple[bool, bool, str]:
        host = shape.host_of(ref) or ""
        return host not in known, not is_host(host), ref

    heard = sum(shape.host_of(ref) in known for ref in refs)
    room = heard + max(MOST - len(known), 0)
    if len(refs) <= min(room, MOST):
        return dict(refs)
    return {ref: refs[ref] for ref in sorted(refs, key=rank)[: min(room, MOST)]}
