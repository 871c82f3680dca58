"""Words to a service manager that listens: ready, alive, stopping. Where none does, nothing."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

_LETTERS = 200
_WAIT_S = 5.0


class ServiceManager:
    """The manager that started us, by ``NOTIFY_SOCKET`` and ``WATCHDOG_USEC`` of *environ*.

    ``watchdog_ms`` is the longest silence that it takes, None where it does not mind.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        place = environ.get("NOTIFY_SOCKET", "")
        # A name in the abstract namespace is written with @ for the zero byte that it begins with.
        self._address = f"\0{place[1:]}" if place.startswith("@") else place
        self.watchdog_ms = _watchdog_ms(environ)

    def ready(self) -> None:
        """We do what we are here for."""
        self._send("READY=1", wait_s=_WAIT_S)

    def alive(self) -> None:
        """We are not stuck."""
        if self.watchdog_ms is not None:
            self._send("WATCHDOG=1")

    def status(self, line: str) -> None:
        """What we are at, for people."""
        self._send(f"STATUS={' '.join(line.split())[:_LETTERS]}")

    def stopping(self) -> None:
        """We end."""
        self._send("STOPPING=1", wait_s=_WAIT_S)

    def _send(self, words: str, *, wait_s: float = 0.0) -> None:
        if not self._address.startswith(("/", "\0")):
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ours:
                # A manager that does not read must not stop us, and is told the rest next time.
                ours.settimeout(wait_s)
                ours.sendto(words.encode("utf-8", "replace"), self._address)
        except OSError:
            return


def _watchdog_ms(environ: Mapping[str, str]) -> int | None:
    usec, pid = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", "")
    if pid not in ("", str(os.getpid())) or not (usec.isascii() and usec.isdigit()):
        return None
    return int(usec) // 1_000 or None
