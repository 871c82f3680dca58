"""The soak: wrapped fakes on two hosts, killed, stopped, restarted and cut off at random.

    python -m benchmarks.soak --agents 200 --minutes 30 --write

Every number is of what two readers saw, held against what was done to the agents.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.soak_agents import Agent, Host
from benchmarks.soak_report import Costs, Seen, report
from catalog.assess import assess_agent
from catalog.gathered import gathered
from catalog.windows import STALE_MS

RESULTS = Path(__file__).parent / "results" / "soak.md"
SILENT = ("stale", "silent", "host-not-heard", "future", "skew")
SETTLED_S = 8.0
"""An agent that has been in its mood for this long has had time to beat, and to be carried."""

CALM_S = 45.0
"""For so long at its end nothing happens to anybody: what did can still be seen."""


@dataclass
class Soak:
    """One run, and what was seen of it."""

    hosts: list[Host]
    agents: list[Agent]
    dice: random.Random
    until: float
    seen: Seen = field(default_factory=Seen)

    def run(self) -> None:
        """Let time pass, and note what is seen."""
        look_at = part_at = time.monotonic() + 20
        while (now := time.monotonic()) < self.until:
            for agent in self.agents:
                agent.live(now)
                self.seen.deaths += agent.died
                agent.died.clear()
            self._see_deaths()
            if now >= look_at:
                self._look(now)
                look_at = now + 3
            if now >= part_at:
                self._cut(now)
                part_at = now + self.dice.uniform(40, 90)
            for host in self.hosts:
                host.heal(now=now)
            time.sleep(0.02)

    def _cut(self, now: float) -> None:
        host = self.dice.choice(self.hosts)
        if not host.partitioned_until and now + 40 < self.until:
            host.partition(self.dice.uniform(10, 30))
            self.seen.partitions += 1

    def _see_deaths(self) -> None:
        cut = any(host.partitioned_until for host in self.hosts)
        for death in self.seen.deaths:
            death.over |= death.agent.mood != "down"
            if death.seen or death.over:
                continue
            death.partitioned |= cut
            for host in self.hosts:
                own = host is death.agent.host
                if (death.here_s if own else death.there_s) is not None:
                    continue
                if self._is_offline(host, death.agent):
                    passed = time.monotonic() - death.at
                    if own:
                        death.here_s = passed
                    else:
                        death.there_s = passed

    def _is_offline(self, host: Host, agent: Agent) -> bool:
        context = host.context
        seen = assess_agent(
            context.reader,
            agent.host.name,
            agent.name,
            look=context.look,
            now_ms=context.clock.now_ms(),
        )
        return seen.presence.state == "offline"

    def _look(self, now: float) -> None:
        """Hold every row of an agent that lives against that."""
        lives = {
            agent.identity: agent
            for agent in self.agents
            if agent.mood in ("working", "quiet", "orphaned") and now - agent.since > SETTLED_S
        }
        cut = any(host.partitioned_until for host in self.hosts)
        for host in self.hosts:
            context = host.context
            rows = gathered(context.files, context.layout).rows(
                now_ms=context.clock.now_ms(), look=context.look
            )
            for row in rows:
                agent = lives.get(row.identity)
                if agent is None or agent.process is None:
                    continue
                own = host is agent.host
                looks = self.seen.here if own else self.seen.there
                looks.rows += 1
                looks.oldest_ms = max(looks.oldest_ms, row.assessed.reading.age_ms or 0)
                looks.false_stale += row.assessed.presence.why in SILENT
                carried = own or (not cut and now - agent.since > 4 * SETTLED_S)
                looks.false_offline += carried and row.state == "offline"


def made(
    folder: Path, count: int, dice: random.Random, seconds: float
) -> tuple[list[Host], list[Agent]]:
    """Two hosts and *count* declared agents, half on each, which start over the first seconds."""
    hosts = [Host(folder, name, folder / "remote.git") for name in ("h1", "h2")]
    agents, calm_at = [], time.monotonic() + seconds - CALM_S
    for n in range(count):
        luck = random.Random(dice.random())
        agent = Agent(hosts[n % 2], f"a{n:03}", luck, max(seconds / 6, 30), calm_at)
        agent.declare()
        agent.due = time.monotonic() + n * 0.12
        agents.append(agent)
    return hosts, agents


def main() -> None:
    """Run it and print the table; ``--write`` keeps it in benchmarks/results/."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--agents", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    dice = random.Random(asked.seed)
    folder = Path(tempfile.mkdtemp(prefix="st2-soak-"))
    seconds = asked.minutes * 60
    load = os.getloadavg()[0]
    hosts, agents = made(folder, asked.agents, dice, seconds)
    try:
        soak = Soak(hosts, agents, dice, time.monotonic() + seconds)
        soak.run()
        for host in hosts:
            host.heal(now=float("inf"))
        costs = Costs.of(hosts, agents, seconds)
        head = (
            f"{asked.agents} agents on two hosts for {asked.minutes:g} minutes, seed {asked.seed}. "
            f"Python {platform.python_version()}, {platform.system()}, {os.cpu_count()} cores, "
            f"load {load:.1f} at the start and {os.getloadavg()[0]:.1f} at the end."
        )
        text = report(soak.seen, costs, hosts, agents, head=head, short=seconds * 1_000 < STALE_MS)
    finally:
        for agent in agents:
            agent.close()
        for host in hosts:
            host.close()
        time.sleep(3)
        shutil.rmtree(folder, ignore_errors=True)
    print(text)
    if asked.write:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(text)


if __name__ == "__main__":
    main()
