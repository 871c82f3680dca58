"""Where a host syncs from: its files, its node, its remote, its clock and its chances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from catalog.claim import Claim
from catalog.layout import Layout
from catalog.store import Writer
from catalog.sync.exchange import Exchange
from catalog.system.files import Files
from catalog.system.signatures import Keyring
from catalog.witness import Looks


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Everything that one round needs.

    ``verdict_of`` is asked about this host's harnesses alone. ``jitter`` returns a number from
    0 to 1, ``sleep`` takes seconds, ``now_ms`` is the wall clock. ``boot`` is this boot's
    identity, empty where it cannot be told: then every record that is collected waits for the disk.
    ``boot_ms`` is the time since that boot, None where it cannot be told either.
    ``looks`` begins one round of looks at them, None where each is asked for alone.
    ``signing`` is the least that this host asks of signatures, whatever the catalog asks.
    """

    files: Files
    layout: Layout
    node: str
    exchange: Exchange
    verdict_of: Callable[[Claim], str]
    now_ms: Callable[[], int]
    sleep: Callable[[float], None]
    jitter: Callable[[], float]
    boot: str = ""
    boot_ms: Callable[[], int] | None = None
    signing: str = "off"
    looks: Callable[[], Looks] | None = None
    keyring: Keyring = field(default_factory=Keyring)

    @property
    def host(self) -> str:
        """The host that this site publishes as."""
        return self.layout.host

    @property
    def writer(self) -> Writer:
        """The writer of this host's own records."""
        return Writer(self.files, self.layout)
