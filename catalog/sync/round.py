"""One round: publish ours, then collect theirs, as the only publisher of this host."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.errors import St2Error, words_of
from catalog.finding import Finding
from catalog.refusals import LockBusy
from catalog.sync import latest
from catalog.sync.collect import Collected, collect
from catalog.sync.gather import OwnRecords
from catalog.sync.publish import Published, publish
from catalog.sync.site import Site
from catalog.sync_errors import SyncFailed
from catalog.system.locks import Lock
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
    with alone(site):
        published, unpublished = try_publish(site, replace_node=replace_node)
        collected, uncollected = try_collect(site)
        report = Report(published, unpublished, collected or NOTHING, uncollected)
        latest.save(site.files, site.layout, site.now_ms(), report.failed)
        return report


def alone(site: Site) -> Lock:
    """Take the lock of the one publisher of this host. Raises LockBusy, naming the holder."""
    path = site.layout.publisher_lock()
    try:
        return site.files.lock(path, wait_ms=LOCK_WAIT_MS)
    except LockBusy as error:
        hint = "one st2 sync a host: the other one publishes and collects too, or has to end first"
        raise LockBusy(error.subject, error.sentence, error.hint or hint) from None


def try_publish(
    site: Site, *, replace_node: bool = False, found: OwnRecords | None = None
) -> tuple[Published | None, St2Error | None]:
    """Publish; return what the remote took, or why it took nothing."""
    try:
        return publish(site, replace_node=replace_node, found=found), None
    except St2Error as error:
        return None, error
    except OSError as error:
        return None, SyncFailed(
            "publish", f"this host's own state cannot be written: {words_of(error)}"
        )


def try_collect(site: Site) -> tuple[Collected | None, St2Error | None]:
    """Collect; return what came, or why nothing did."""
    try:
        return collect(site), None
    except St2Error as error:
        return None, error
    except OSError as error:
        return None, SyncFailed("collect", f"what was heard cannot be kept: {words_of(error)}")
