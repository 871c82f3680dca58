"""What a collect has to tell a person, in a number of sentences that nobody else decides. Pure.

Whoever may push can have any number of refs refused, under other names at each round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from catalog.finding import Finding

FEW = 5
"""How many hosts that were never heard are named, of those that are refused."""

MOST_TOLD = 50
"""How many remarks are told by name: as many hosts as a hosted remote carries, and some more."""


def of_collect(
    refused: Sequence[tuple[str, str]], kept: Sequence[str], findings: Iterable[Finding]
) -> list[str]:
    """Return a sentence for each remark, those of hosts that were heard before the others."""
    heard = [f"{name}: {why}; its last good records stay" for name, why in refused if name in kept]
    others = [f"{name}: {why}" for name, why in refused if name not in kept]
    known = [*of_findings(findings), *heard]
    told = [*known[:MOST_TOLD], *others[:FEW]]
    if more := len(known) + len(others) - len(told):
        told.append(f"{more} more remarks about hosts: st2 hosts has those of each")
    return told


def of_findings(findings: Iterable[Finding]) -> list[str]:
    """Return a sentence for each of *findings*."""
    return [f"{each.path}: {each.message}" if each.path else each.message for each in findings]
