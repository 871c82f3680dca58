"""`st2 watch` that runs beside a test, and what it has printed so far."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from support.wrapped import until

if TYPE_CHECKING:
    from conftest import Cli

LONG = 120.0


class Watcher:
    """A watch that runs, and what it has printed so far."""

    def __init__(self, cli: Cli, *args: str, env: dict[str, str] | None = None) -> None:
        self.out = cli.home / "watch.out"
        self.err = cli.home / "watch.err"
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = cli.start("watch", *args, env=env, stdout=out, stderr=err)
        until(self.lines, LONG)

    def lines(self) -> list[str]:
        """The whole lines that were printed."""
        return [line for line in self.out.read_text("utf-8").splitlines(True) if line[-1] == "\n"]

    def kinds(self) -> list[str]:
        """What was told, without the beginning: ``who kind``."""
        words = [line.split(":", 3)[2].split(" ") for line in self.lines()]
        told = [f"{who} {kind}" for _, who, kind in words]
        return [each for each in told if each.split()[1] not in ("watching", "present")]

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines()]

    def waits_for(self, *kinds: str) -> None:
        until(lambda: self.kinds() == list(kinds), LONG)

    def close(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(LONG)


Watching = Callable[..., Watcher]
