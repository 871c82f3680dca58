"""In which shape a remote takes presence: under which ref, replaced or with a history. Pure.

Plain git takes a ref of any name and lets it be replaced. Some servers take branches alone, and
some let a branch only grow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from catalog.snapshot import Refused, Snapshot
from catalog.sync.policy import COLLECT_INTERVAL_MS
from catalog.windows import REFRESH_MS, STALE_MS

REF_PREFIX = "refs/st2/presence/"
"""Where presence lies, where a server takes any ref."""

BRANCH_PREFIX = "refs/heads/st2/presence/"
"""Where presence lies on a server that takes branches alone."""

PREFIXES = (REF_PREFIX, BRANCH_PREFIX)
"""Every place that a reader looks into."""

TRIALS = ("refs/st2/probe/", "refs/heads/st2/probe/")
"""Where the refs of a trial lie, which no reader looks at."""

HOSTED_PUSH_MS = 10_000
"""How far apart the pushes to one hosted repository have to be: about six a minute are taken."""

HOSTED_HOSTS = (STALE_MS - REFRESH_MS - COLLECT_INTERVAL_MS) * 10 // (12 * HOSTED_PUSH_MS)
"""How many hosts one hosted repository carries: 300 000 + interval x 1.2 + 15 000 < 900 000 ms,
with an interval of 10 000 ms x hosts."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One way to publish: the place of a host's ref, and whether each publish replaces the last.

    ``name`` is its word in this host's settings.
    """

    name: str
    prefix: str
    replaces: bool

    def ref(self, host: str) -> str:
        """Return the ref that *host* publishes to."""
        return self.prefix + host

    def probe_ref(self, host: str, token: str) -> str:
        """Return a ref beside the presence refs, for one probe; no reader looks at it."""
        return f"{self.prefix.removesuffix('presence/')}probe/{host}/{token}"


REFS = Shape("refs", REF_PREFIX, True)
HEADS = Shape("heads", BRANCH_PREFIX, True)
CHAIN = Shape("chain", BRANCH_PREFIX, False)

SHAPES = {shape.name: shape for shape in (REFS, HEADS, CHAIN)}
"""Every shape by its word, the one to be preferred first."""


def host_of(ref: str) -> str | None:
    """Return what follows the prefix of a presence ref; None for any other ref."""
    for prefix in PREFIXES:
        if ref.startswith(prefix):
            return ref.removeprefix(prefix)
    return None


def chosen(refs: dict[str, str], read: Callable[[str], Snapshot | Refused]) -> dict[str, str]:
    """Return the one ref that speaks for each host, of those in *refs* (ref → object).

    A host that has moved from one place to the other has a ref in both. The one under
    ``refs/st2/`` speaks for it, unless the branch holds a later snapshot of the same node, or
    the only sound one. *read* is asked only then.
    """
    found = {ref.removeprefix(REF_PREFIX): ref for ref in refs if ref.startswith(REF_PREFIX)}
    for ref in refs:
        if not ref.startswith(BRANCH_PREFIX):
            continue
        host = ref.removeprefix(BRANCH_PREFIX)
        if host not in found or _is_later(read(ref), read(found[host])):
            found[host] = ref
    return found


def _is_later(branch: Snapshot | Refused, other: Snapshot | Refused) -> bool:
    if isinstance(branch, Refused):
        return False
    if isinstance(other, Refused):
        return True
    return branch.node == other.node and branch.seq > other.seq
