"""The soak's agents: wrapped fakes on two hosts, and what happens to them at random."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.fleet import ST2, environment
from catalog.claim import Claim
from catalog.errors import St2Error
from catalog.reader import Hold
from catalog.record import render
from catalog.windows import STALL_MS
from st2.context import Context, make

SILENCE_S = 20.0
"""How long a back-dated stall is left to be noticed."""


class Host:
    """One of the two hosts: its catalog, its context, and the programs of ours that run on it."""

    def __init__(self, folder: Path, name: str, remote: Path) -> None:
        self.name = name
        self.catalog = folder / name
        self.env = {**environment(folder, self.catalog), "ST2_HOST": name}
        self.run("init", "--remote", str(remote))
        self.context: Context = make(str(self.catalog), name, {})
        self.told = folder / f"{name}.events"
        self.sync = self.start("sync", "--watch", "--publish-every", "2", "--collect-every", "2")
        self.watch = self.start("watch", "--json", out=self.told)
        self.partitioned_until = 0.0

    def run(self, *args: str) -> None:
        """Run a command of ours to its end."""
        subprocess.run([ST2, *args], env=self.env, check=True, capture_output=True)

    def start(self, *args: str, out: Path | None = None) -> subprocess.Popen[bytes]:
        """Start a command of ours in a session of its own."""
        with open(out or os.devnull, "wb") as stdout:
            return subprocess.Popen(
                [ST2, *args],
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )

    def partition(self, seconds: float) -> None:
        """Let nothing in or out for some time."""
        self.sync.send_signal(signal.SIGSTOP)
        self.partitioned_until = time.monotonic() + seconds

    def heal(self, *, now: float) -> None:
        """End a partition whose time is over."""
        if self.partitioned_until and now >= self.partitioned_until:
            self.sync.send_signal(signal.SIGCONT)
            self.partitioned_until = 0.0

    def close(self) -> None:
        """End our programs."""
        for each in (self.sync, self.watch):
            each.send_signal(signal.SIGCONT)
            each.terminate()
            each.wait()


@dataclass
class Death:
    """How one agent died, and after how many seconds each host said ``offline``."""

    kind: str
    agent: Agent
    at: float
    here_s: float | None = None
    there_s: float | None = None
    partitioned: bool = False
    over: bool = False
    """Whether the agent was started again, so that nobody can see it any more."""

    @property
    def seen(self) -> bool:
        """Whether both hosts have said it."""
        return self.here_s is not None and self.there_s is not None


@dataclass
class Agent:
    """One wrapped fake and its random life. ``mood`` is what it does now."""

    host: Host
    name: str
    dice: random.Random
    pause_s: float
    calm_at: float
    """From when on nothing happens to it any more, so that all that did can be seen."""
    process: subprocess.Popen[bytes] | None = None
    mood: str = "down"
    since: float = 0.0
    due: float = 0.0
    work_at: float = 0.0
    stalls: int = 0
    died: list[Death] = field(default_factory=list)

    @property
    def identity(self) -> str:
        """Its bus id."""
        return f"{self.host.name}.{self.name}"

    def declare(self) -> None:
        """Write its declaration."""
        folder = self.host.catalog / "agents" / self.host.name / self.name
        folder.mkdir(parents=True)
        body = f'host "{self.host.name}"; exec {{ argv "sleep"; }}'
        (folder / "agent.kdl").write_text(f'agent "{self.name}" {{ {body}; }}\n')

    def live(self, now: float) -> None:
        """Do what is due."""
        if self.process is not None and self.process.poll() is not None:
            self.process = None
        if self.mood == "working" and now >= self.work_at:
            self.work()
            self.work_at = now + self.dice.uniform(20, 60)
        if now < self.due:
            return
        if self.mood == "down":
            return self._start(now)
        if self.mood == "stopped" and self.process is not None:
            self.process.send_signal(signal.SIGCONT)
        elif self.mood == "quiet":
            self.work()
        elif self.mood == "orphaned":
            self.host.run("session", "adopt", self.name)
        elif self.mood == "working":
            return self._happen(now)
        return self._be("working", now, self._pause())

    def work(self) -> bool:
        """Have something succeed."""
        claim = self.claim()
        if claim is None or claim.ended:
            return False
        hold, now_ms = Hold(claim.session, claim.generation), self.host.context.clock.now_ms()
        try:
            writer = self.host.context.writer
            return writer.record_activity(self.name, hold, "running", now_ms=now_ms)
        except St2Error:
            return False

    def claim(self) -> Claim | None:
        """Its claim, if there is a sound one."""
        found = self.host.context.reader.claim(self.host.name, self.name)
        return found if isinstance(found, Claim) else None

    def owner_pid(self) -> int:
        """The pid of its owner, 0 without one."""
        if self.host.context.reader.owner_free(self.name) is not False:
            return 0
        path = self.host.catalog / self.host.context.layout.owner_lock(self.name)
        words = path.read_text().split()
        return int(words[1]) if len(words) > 1 else 0

    def _start(self, now: float) -> None:
        name = ("--identity", self.identity, "--runtime-id", self.identity)
        self.process = self.host.start("driver", "exec-session", *name, "--", "sleep", "86400")
        self.work_at = now + self.dice.uniform(5, 30)
        self._be("working", now, self._pause())

    def _pause(self) -> float:
        return min(max(self.dice.expovariate(1 / self.pause_s), 8.0), 4 * self.pause_s)

    def _be(self, mood: str, now: float, seconds: float) -> None:
        self.mood, self.since, self.due = mood, now, now + seconds

    def _happen(self, now: float) -> None:
        """Let one thing happen to an agent that works."""
        kinds = ("killed", "both", "ended", "orphaned", "stopped", "burst", "quiet")
        [kind] = self.dice.choices(kinds, (3, 3, 2, 2, 3, 3, 4))
        if self.process is None or not self.owner_pid() or now >= self.calm_at:
            return self._be("working", now, 5)
        if kind == "burst":
            for _ in range(40):
                self.work()
            return self._be("working", now, self._pause())
        if kind == "stopped":
            self.process.send_signal(signal.SIGSTOP)
            return self._be("stopped", now, self.dice.uniform(5, 30))
        if kind == "quiet":
            return self._fall_silent(now)
        if kind == "orphaned":
            os.kill(self.owner_pid(), signal.SIGKILL)
            return self._be("orphaned", now, self.dice.uniform(5, 20))
        return self._die(kind, now)

    def _fall_silent(self, now: float) -> None:
        """Have its last success lie almost as long ago as a stall takes."""
        clock, layout = self.host.context.clock, self.host.context.layout
        stamp_ms = clock.now_ms() - STALL_MS + 5_000
        path = layout.record(self.host.name, self.name, "activity")
        self.host.context.files.replace(path, render("running", stamp_ms))
        self.stalls += 1
        self._be("quiet", now, SILENCE_S)

    def _die(self, kind: str, now: float) -> None:
        assert self.process is not None, "it works, so it runs"
        if kind == "both":
            os.kill(self.owner_pid(), signal.SIGKILL)
        self.process.send_signal(signal.SIGTERM if kind == "ended" else signal.SIGKILL)
        self.died.append(Death(kind, self, time.monotonic()))
        self._be("down", now, self.dice.uniform(15, 40))

    def close(self) -> None:
        """End it for good."""
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()
