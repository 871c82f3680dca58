"""One round: publish ours, then collect theirs, as the only publisher of this host."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.errors import St2Error, SyncFailed
from catalog.finding import Finding
from catalog.sync import latest
from catalog.sync.collect import Collected, collect
from catalog.sync.publish import Published, publish
from catalog.sync.site import Site
from catalog.windows import LOCK_WAIT_MS

NOTHING = Collected((), (), ())


@dataclass(frozen=True, slots=True)
class Report:
    """What one round did: why nothing was published, and why nothing was collected, too."""

    published: Published | None
    unpublished: St2Error | None
    collected: Collected
    uncollected: St2Error | None = None

    @property
    def failed(self) -> St2Error | None:
        """The failure that is the round's: the publish's, else the collect's."""
        return self.unpublished or self.uncollected

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every remark of the round; of two failures that differ the second is one."""
        own = self.published.findings if self.published is not None else ()
        second = self.uncollected if self.unpublished is not None else None
        if second is None or str(second) == str(self.unpublished):
            return (*own, *self.collected.findings)
        told = Finding("collect-failed", str(second))
        return (*own, *self.collected.findings, told)


def run(site: Site, *, replace_node: bool = False) -> Report:
    """Publish, then collect: a name claimed twice does not keep the others' news from us.

    What failed stands in the report, and with its time in this host's own state. Raises
    LockBusy where another publisher of this host does not end.
    """
    lock = site.layout.publisher_lock()
    with site.files.lock(lock, wait_ms=LOCK_WAIT_MS):
        published, unpublished, uncollected = None, None, None
        collected = NOTHING
        try:
            published = publish(site, replace_node=replace_node)
        except St2Error as error:
            unpublished = error
        except OSError as error:
            unpublished = SyncFailed("publish", f"this host's own state cannot be written: {error}")
        try:
            collected = collect(site)
        except St2Error as error:
            uncollected = error
        except OSError as error:
            uncollected = SyncFailed("collect", f"what was heard cannot be kept: {error}")
        report = Report(published, unpublished, collected, uncollected)
        latest.save(site.files, site.layout, site.now_ms(), report.failed)
        return report
