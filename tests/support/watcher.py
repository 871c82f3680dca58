"""A running ``st2 sync --watch``, and what it has said so far."""

from __future__ import annotations

import json
import signal
from typing import Any

from conftest import Cli
from support.wrapped import until

QUICK = ("sync", "--watch", "--publish-every", "1", "--collect-every", "1")
PATIENCE_S = 120.0


class Watcher:
    """One running command, its stderr and stdout in files."""

    def __init__(self, one: Cli, *args: str, env: dict[str, str] | None = None) -> None:
        self.one = one
        self.place = one.catalog.parent / f"watch-{one.catalog.name}"
        self.place.mkdir(exist_ok=True)
        with (self.place / "out").open("wb") as out, (self.place / "err").open("wb") as err:
            self.process = one.start(*QUICK, *args, env=env, stdout=out, stderr=err)

    @property
    def err(self) -> str:
        return (self.place / "err").read_text()

    @property
    def events(self) -> list[dict[str, Any]]:
        lines = (self.place / "out").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def says(self, words: str, times: int = 1) -> None:
        """Wait until stderr has *words* so often."""
        until(lambda: self.err.count(words) >= times or self.process.poll() is not None, PATIENCE_S)
        assert self.err.count(words) >= times, self.err

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        """End it, however it is."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait()
