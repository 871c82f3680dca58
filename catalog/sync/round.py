"""One round: publish ours, then collect theirs, as the only publisher of this host."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.errors import St2Error, SyncFailed
from catalog.finding import Finding
from catalog.sync.collect import Collected, collect
from catalog.sync.publish import Published, publish
from catalog.sync.site import Site
from catalog.windows import LOCK_WAIT_MS


@dataclass(frozen=True, slots=True)
class Report:
    """What one round did. ``failed`` is why nothing was published, where nothing was."""

    published: Published | None
    failed: St2Error | None
    collected: Collected

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every remark of the round."""
        own = self.published.findings if self.published is not None else ()
        return (*own, *self.collected.findings)


def run(site: Site, *, replace_node: bool = False) -> Report:
    """Publish, then collect: a name claimed twice does not keep the others' news from us.

    Raises LockBusy where another publisher of this host does not end, SyncFailed where the
    remote cannot be read at all.
    """
    lock = site.layout.publisher_lock()
    with site.files.lock(lock, wait_ms=LOCK_WAIT_MS):
        published, failed = None, None
        try:
            published = publish(site, replace_node=replace_node)
        except St2Error as error:
            failed = error
        except OSError as error:
            failed = SyncFailed("publish", f"this host's own state cannot be written: {error}")
        try:
            return Report(published, failed, collect(site))
        except SyncFailed:
            if failed is not None:
                raise failed from None
            raise
