"""The line between one host and the remote: where pushes are lost, late, or sent twice."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.sync.exchange import Pushed
from catalog.sync.shape import host_of
from support.memory import Crash
from sync.model.remote import Port

FAULTS = ("none", "refused", "lost reply", "late", "died before", "died after")
"""What can become of a push; *late*: it arrives when somebody delivers it."""

LOST = "fatal: the remote end hung up unexpectedly"


@dataclass(frozen=True)
class Offer:
    """One push as it was sent."""

    port: Port
    raw: bytes
    at_ms: int
    lease: str | None
    ref: str | None = None

    @property
    def host(self) -> str:
        """The host under whose ref it was sent."""
        return host_of(self.ref or self.port.ref) or ""

    def deliver(self) -> Pushed:
        """Let it arrive, for the first time or again."""
        return self.port.push(self.raw, at_ms=self.at_ms, lease=self.lease, ref=self.ref)


class Line:
    """A port whose next push has a fault."""

    def __init__(self, port: Port, sent: list[Offer]) -> None:
        self.port = port
        self.sent = sent
        self.fault = "none"

    def push(self, raw: bytes, *, at_ms: int, lease: str | None, ref: str | None = None) -> Pushed:
        """Send it into the fault."""
        fault, self.fault = self.fault, "none"
        offer = Offer(self.port, raw, at_ms, lease, ref)
        self.sent.append(offer)
        if fault == "died before":
            raise Crash("before the push")
        if fault == "refused":
            return Pushed("", False, "remote: fatal: cannot lock ref")
        if fault == "late":
            return Pushed("", False, LOST)
        pushed = offer.deliver()
        if fault == "died after":
            raise Crash("after the push")
        return Pushed(pushed.oid, False, LOST) if fault == "lost reply" else pushed

    def __getattr__(self, name: str) -> object:
        """Everything else is asked of the port."""
        return getattr(self.port, name)
