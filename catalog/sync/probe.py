"""Trying a remote: which shape of presence does it take?

The only way to know is to do it: push a ref, list it, fetch it, replace it, delete it. The ref
lies beside the presence refs, where no reader looks, and has a name that is used once.
"""

from __future__ import annotations

from dataclasses import dataclass

from catalog.sync.exchange import Exchange
from catalog.sync.fetched import listed
from catalog.sync.sending import commit, far, has, send
from catalog.sync.shape import CHAIN, HEADS, REFS, Shape
from catalog.sync.trouble import failed, way_out
from catalog.sync_errors import SyncFailed
from catalog.system.git import Ran

TRIAL_BYTES = b"a trial of st2; it may be deleted\n"


@dataclass(frozen=True, slots=True)
class Probed:
    """What was found out: the shape, what the server said to those before it, what was left.

    ``left`` has the refs that could not be deleted again, ``words`` why.
    """

    shape: Shape
    refused: tuple[tuple[str, str], ...] = ()
    left: tuple[str, ...] = ()
    words: str = ""


def probe(exchange: Exchange, *, token: str, at_ms: int) -> Probed:
    """Return the first shape that the remote takes. *token* makes the name of the trial's ref.

    Raises SyncFailed where it does not answer, or takes none.
    """
    subject = f"remote {exchange.remote.shown}"
    refused: list[tuple[str, str]] = []
    for place in (REFS, HEADS):
        trial = Trial(exchange, place.probe_ref(exchange.host, token), at_ms)
        try:
            shape = trial.run(place)
        finally:
            words = trial.clear()
            exchange.trial.git.drop()
        left = (trial.ref,) if words else ()
        if shape is not None:
            return Probed(shape, tuple(refused), left, words)
        refused.append((place.prefix, trial.words))
    told = "; ".join(f"{prefix}: {words}" for prefix, words in refused)
    sentence = f"takes presence neither as refs nor as branches: {told}"
    raise SyncFailed(subject, sentence, way_out(trial.words))


class Trial:
    """One ref at the remote, made and replaced; :meth:`clear` removes it."""

    def __init__(self, exchange: Exchange, ref: str, at_ms: int) -> None:
        self.ref = ref
        self.words = ""
        self._exchange = exchange
        self._at_ms = at_ms
        self._there = ""

    def run(self, place: Shape) -> Shape | None:
        """Try *place*; return its shape, the one with a history where only that is taken."""
        if not self._push(b"1", ""):
            return None
        if not self._is_visible():
            self.words = "the ref that it took is neither listed nor fetched"
            return None
        if self._push(b"2", ""):
            return place
        if place is REFS:
            return None
        return CHAIN if self._push(b"2", self._there) else None

    def clear(self) -> str:
        """Delete the ref; return what the remote said where it does not, empty where it did."""
        if not self._there:
            return ""
        ran = self._send(f":{self.ref}")
        return ran.words if ran.code else ""

    def _push(self, number: bytes, parent: str) -> bool:
        own, raw = self._exchange.trial, TRIAL_BYTES + number
        own.make()
        oid = commit(own, self._exchange.host, raw, at_ms=self._at_ms, parent=parent)
        ran = self._send(f"{oid}:{self.ref}")
        if ran.code == 0:
            self._there = oid
            return True
        self.words = ran.words
        if not _is_refusal(ran):
            raise failed(f"remote {self._exchange.remote.shown}", ran.words)
        return False

    def _send(self, refspec: str) -> Ran:
        guard = f"--force-with-lease={self.ref}:{self._there}"
        return send(self._exchange.trial, self._exchange.remote, guard, refspec)

    def _is_visible(self) -> bool:
        """List the ref, then bring it into an empty repository."""
        own, remote = self._exchange.trial, self._exchange.remote
        found = listed(own, remote, self.ref)
        if isinstance(found, Ran) or found.get(self.ref) != self._there:
            return False
        own.git.drop_objects()
        own.make()
        ran = own.git.run(
            *("fetch", "-q", "--no-tags", "--no-write-fetch-head", *far(remote, "upload-pack")),
            *("--end-of-options", remote.address, f"+{self.ref}:refs/trial"),
        )
        return ran.code == 0 and has(own, self._there)


def _is_refusal(ran: Ran) -> bool:
    """Say whether the remote answered, and said no: git then has a line for the ref."""
    return any(line.startswith(b"!") for line in ran.out.splitlines())
