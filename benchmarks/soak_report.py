"""What came of a soak, as a page."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

from benchmarks.soak_agents import Agent, Death, Host

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
KINDS = {
    "killed": "harness killed, owner alive",
    "both": "harness and owner killed",
    "ended": "harness ended by TERM",
}


@dataclass
class Looks:
    """How many rows of agents that lived were looked at, and how many of them were wrong."""

    rows: int = 0
    false_stale: int = 0
    false_offline: int = 0
    oldest_ms: int = 0
    """The age of the oldest record behind a row of an agent that lived."""


@dataclass
class Seen:
    """What was seen of a run: ``here`` by an agent's own host, ``there`` by the other one."""

    here: Looks = field(default_factory=Looks)
    there: Looks = field(default_factory=Looks)
    deaths: list[Death] = field(default_factory=list)
    partitions: int = 0


@dataclass
class Costs:
    """Processor time and memory of what is ours."""

    owners: int
    owner_cpu_s: float
    owner_rss_kb: float
    owner_pss_kb: float
    sync_share: float
    watch_share: float
    watch_rss_kb: float

    @classmethod
    def of(cls, hosts: list[Host], agents: list[Agent], seconds: float) -> Costs:
        """Measure what runs now."""
        pids = [pid for agent in agents if (pid := agent.owner_pid())]
        syncs = [host.sync.pid for host in hosts]
        watches = [host.watch.pid for host in hosts]
        return cls(
            owners=len(pids),
            owner_cpu_s=_mean([_cpu_s(pid) for pid in pids]),
            owner_rss_kb=_mean([_memory_kb(pid, "Rss:") for pid in pids]),
            owner_pss_kb=_mean([_memory_kb(pid, "Pss:") for pid in pids]),
            sync_share=_mean([_cpu_s(pid) / seconds for pid in syncs]),
            watch_share=_mean([_cpu_s(pid) / seconds for pid in watches]),
            watch_rss_kb=_mean([_memory_kb(pid, "Rss:") for pid in watches]),
        )


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _cpu_s(pid: int) -> float:
    """Processor time of a process and of its children that have ended, in seconds."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(int(each) for each in fields[11:15]) * TICK_S


def _memory_kb(pid: int, what: str) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(float(line.split()[1]) for line in lines if line.startswith(what))


def report(
    seen: Seen, costs: Costs, hosts: list[Host], agents: list[Agent], *, head: str, short: bool
) -> str:
    """Return the page; *short* runs say what they cannot show."""
    lines = ["# Soak", "", head, *(_SHORT if short else ()), "", *_PREFACE, ""]
    lines += ["| what | own host | other host |", "|---|---|---|"]
    here, there = seen.here, seen.there
    lines.append(f"| looks at agents that lived | {here.rows} | {there.rows} |")
    lines.append(f"| false stale | {_rate(here, 'stale')} | {_rate(there, 'stale')} |")
    lines.append(f"| false offline | {_rate(here, 'offline')} | {_rate(there, 'offline')} |")
    ages = f"{here.oldest_ms / 1_000:.0f} s | {there.oldest_ms / 1_000:.0f} s"
    lines.append(f"| oldest record of an agent that lived, of 900 s | {ages} |")
    for kind, words in KINDS.items():
        dead = [death for death in seen.deaths if death.kind == kind]
        whole = [death.there_s for death in dead if not death.partitioned]
        lines.append(
            f"| {words} ({len(dead)}): time to `offline` | {_times([d.here_s for d in dead])} "
            f"| {_times(whole)} |"
        )
    cut = [death.there_s for death in seen.deaths if death.partitioned]
    lines.append(f"| deaths during a partition ({len(cut)}): time to `offline` | | {_times(cut)} |")
    lines += ["", *_notices(seen, hosts, agents), *_costs(costs)]
    return "\n".join(lines) + "\n"


_SHORT = (
    "A short run: a record that nobody renews is stale after 15 minutes, so that missed beats show",
    "here by the age of the oldest record alone.",
)
_PREFACE = (
    "Agents are wrapped `sleep`s with the ordinary beat (300 s) and activity each 20 to 60 s. Each",
    "is at random killed (with its owner or without), ended, orphaned and adopted, stopped and",
    "continued, made to burst (40 events at once) or to fall silent; its last success is then",
    "back-dated to 355 s ago. A partition stops the `sync --watch` of a host. Publish and collect",
    "intervals are 2 s. Times are as seen by a reader that looks about each 50 ms; restarts come",
    "15 to 40 s after a death, and a death that was not seen by then counts as not seen.",
)


def _rate(looks: Looks, what: str) -> str:
    wrong = looks.false_stale if what == "stale" else looks.false_offline
    return f"{wrong}" if not wrong else f"{wrong} ({100 * wrong / looks.rows:.3f} %)"


def _times(found: list[float | None]) -> str:
    times = sorted(each for each in found if each is not None)
    missed = len(found) - len(times)
    if not times:
        return "none" if not missed else f"not seen {missed}"
    p95 = quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    told = f"median {median(times):.2f} s, p95 {min(p95, times[-1]):.2f} s, max {times[-1]:.2f} s"
    return f"{told}; not seen {missed}" if missed else told


def _notices(seen: Seen, hosts: list[Host], agents: list[Agent]) -> list[str]:
    """Hold what `st2 watch` told on each host against the stalls that were made."""
    told = {"stalled": 0, "moving": 0, "ended": 0, "stale": 0}
    for host in hosts:
        for line in host.told.read_text().splitlines():
            event = json.loads(line)
            if event["host"] == host.name and event["event"] in told:
                told[event["event"]] += 1
    stalls = sum(agent.stalls for agent in agents)
    return [
        f"`st2 watch` on their own host told {told['stalled']} stalls of {stalls} that were made,",
        f"{told['moving']} times that work lands again, {told['ended']} ends of {len(seen.deaths)}",
        f"deaths, and {told['stale']} times that somebody went stale. There were {seen.partitions}",
        "partitions.",
        "",
    ]


def _costs(costs: Costs) -> list[str]:
    return [
        "| ours | cost |",
        "|---|---|",
        f"| owners alive at the end | {costs.owners} |",
        f"| processor time of an owner, its whole life | {costs.owner_cpu_s * 1_000:.0f} ms |",
        f"| memory of an owner (RSS, PSS) | {costs.owner_rss_kb / 1024:.1f} MB, "
        f"{costs.owner_pss_kb / 1024:.1f} MB |",
        f"| `st2 sync --watch`, of one processor | {100 * costs.sync_share:.1f} % |",
        f"| `st2 watch`, of one processor | {100 * costs.watch_share:.1f} % |",
        f"| memory of `st2 watch` (RSS) | {costs.watch_rss_kb / 1024:.1f} MB |",
    ]
