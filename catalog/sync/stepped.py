"""This host's own clock may be set between two looks: what was observed by it is moved with it.

A host that fell silent an hour ago would read fresh again where the clock is set back by an hour.
The time since boot, which nobody sets, tells by how much the clock was set while nobody looked.
"""

from __future__ import annotations

from catalog import heard
from catalog.heard import Heard
from catalog.names import is_host
from catalog.offset import Interval
from catalog.sync import polled
from catalog.sync.site import Site
from catalog.windows import STEPPED_MS

_TOGETHER_MS = 1_000


def reading(site: Site) -> polled.Reading:
    """Read both clocks of this host, as one moment; only the wall clock where that cannot be."""
    if site.boot_ms is None or not site.boot:
        return polled.Reading(site.now_ms())
    before_ms, now_ms, after_ms = site.boot_ms(), site.now_ms(), site.boot_ms()
    if after_ms - before_ms >= _TOGETHER_MS:
        return polled.Reading(now_ms)
    return polled.Reading(now_ms, site.boot, before_ms)


def follow(site: Site, now: polled.Reading) -> None:
    """Move what was observed of other hosts by as much as this host's clock was set.

    Raises OSError: then the next look does it, and what was moved twice vouches for nothing.
    """
    last = polled.last(site.files, site.layout)
    if last is None:
        return
    by_ms = step_ms(last[0], now)
    if abs(by_ms) < STEPPED_MS:
        return
    found = site.files.scan(site.layout.heard())
    for host, _ in found if isinstance(found, list) else ():
        if is_host(host):
            known = heard.load_certain(site.files, site.layout, host)
            heard.save(site.files, site.layout, host, moved(known, by_ms))
    began, remote = last
    then = polled.Reading(began.at_ms + by_ms, began.boot, began.boot_ms)
    polled.save(site.files, site.layout, then, remote=remote)


def step_ms(last: polled.Reading, now: polled.Reading) -> int:
    """Return by how much the clock was set between two readings; 0 where that cannot be told."""
    if not now.boot or now.boot != last.boot:
        return 0
    return (now.at_ms - last.at_ms) - (now.boot_ms - last.boot_ms)


def moved(known: Heard, by_ms: int) -> Heard:
    """Return the same observations by a clock that shows *by_ms* more."""
    return Heard(
        known.heard_ms and max(known.heard_ms + by_ms, 1),
        tuple(
            Interval(None if each.low_ms is None else each.low_ms + by_ms, each.high_ms + by_ms)
            for each in known.observed
        ),
        signer=known.signer,
        signer_before=known.signer_before,
        signer_ms=known.signer_ms and max(known.signer_ms + by_ms, 1),
        doubt=known.doubt,
        checked=known.checked,
    )
