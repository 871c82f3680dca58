"""32 hosts that publish at once: a ref each, against one branch that all pull and push."""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from benchmarks.measure import p95
from benchmarks.table import Row
from catalog.layout import Layout
from catalog.record import render
from catalog.sync import bare
from catalog.sync.collect import collect
from catalog.sync.exchange import Exchange
from catalog.sync.publish import publish
from catalog.sync.remote import check
from catalog.sync.site import Site
from catalog.system.files import Files

PUBLISHERS, ROUNDS, GIVE_UP = 32, 3, 60
BRANCH_ROUNDS = 1
"""The other way takes a hundred times as long."""
IDENTITY = ("-c", "user.name=b", "-c", "user.email=b@example.invalid")


class Outcome:
    """What became of all publishes of one way."""

    def __init__(self) -> None:
        self.tries: list[int] = []
        self.spent_s: list[float] = []
        self.lost = 0
        self.wall_s = 0.0

    def add(self, tries: int | None, spent_s: float) -> None:
        """One publish, or one that was given up (None)."""
        if tries is None:
            self.lost += 1
            self.tries.append(GIVE_UP)
        else:
            self.tries.append(tries)
            self.spent_s.append(spent_s)


def at_once(publishers: list[Callable[[int], int | None]], rounds: int) -> Outcome:
    """Let all publish at the same moment, round by round."""
    outcome, barrier = Outcome(), Barrier(len(publishers))

    def one(index: int, round_: int) -> tuple[int | None, float]:
        barrier.wait()
        began = time.perf_counter()
        tries = publishers[index](round_)
        return tries, time.perf_counter() - began

    with ThreadPoolExecutor(len(publishers)) as threads:
        began = time.perf_counter()
        for round_ in range(rounds):
            same = [round_] * len(publishers)
            for tries, spent_s in threads.map(one, range(len(publishers)), same):
                outcome.add(tries, spent_s)
        outcome.wall_s = time.perf_counter() - began
    return outcome


def ref_each(folder: Path) -> tuple[Outcome, int]:
    """Our way, and how many of the newest records a reader missed after it."""
    remote = check(str(folder / "refs.git"), base="/")
    bare.prepare(remote)
    sites = [_site(folder, f"h{number}", remote.address) for number in range(PUBLISHERS)]

    def publisher(number: int) -> Callable[[int], int | None]:
        site = sites[number]

        def one(round_: int) -> int | None:
            path = site.layout.record(site.host, "a1", "status")
            site.files.replace(path, render("busy", 1_000 * round_ + number))
            return publish(site).tries

        return one

    outcome = at_once([publisher(number) for number in range(PUBLISHERS)], ROUNDS)
    collect(sites[0])
    missed = sum(
        (folder / f"h0/agents/h{number}/a1/status").read_bytes()
        != render("busy", 1_000 * (ROUNDS - 1) + number)
        for number in range(PUBLISHERS)
    )
    return outcome, missed


def _site(folder: Path, host: str, address: str) -> Site:
    (folder / host / "agents").mkdir(parents=True)
    files, layout = Files(str(folder / host)), Layout(str(folder / host), host)
    return Site(
        files=files,
        layout=layout,
        node=f"{int(host[1:]):016x}",
        exchange=Exchange(files, layout, host, check(address, base="/"), limit_s=600.0),
        verdict_of=lambda claim: "unknown",
        now_ms=lambda: int(time.time() * 1000),
        sleep=time.sleep,
        jitter=random.random,
        boot="boot",
    )


def shared_branch(folder: Path) -> Outcome:
    """The usual way: commit, and pull --rebase and push until it is taken."""
    remote = str(folder / "branch.git")
    _git(folder, "init", "-q", "--bare", remote)
    first = folder / "first"
    _git(folder, "clone", "-q", remote, str(first))
    _git(first, *IDENTITY, "commit", "-q", "--allow-empty", "-m", "first")
    _git(first, "push", "-q", "origin", "HEAD:refs/heads/main")
    _git(Path(remote), "symbolic-ref", "HEAD", "refs/heads/main")

    def publisher(number: int) -> Callable[[int], int | None]:
        work = folder / f"work-{number}"
        _git(folder, "clone", "-q", remote, str(work))

        def one(round_: int) -> int | None:
            path = work / f"agents/h{number}/a1/status"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(render("busy", 1_000 * round_ + number))
            _git(work, "add", "-A")
            _git(work, *IDENTITY, "commit", "-q", "-m", "presence")
            for tries in range(1, GIVE_UP + 1):
                if _git(work, "push", "-q", "origin", "HEAD:refs/heads/main"):
                    return tries
                _git(work, *IDENTITY, "pull", "-q", "--rebase", "origin", "main")
            return None

        return one

    return at_once([publisher(number) for number in range(PUBLISHERS)], BRANCH_ROUNDS)


def _git(where: Path, *args: str) -> bool:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0"}
    return subprocess.run(["git", *args], cwd=where, env=env, capture_output=True).returncode == 0


def taken_row(ours: Outcome, missed: int, theirs: Outcome | None = None) -> Row:
    """How many of all publishes arrived."""
    every = PUBLISHERS * ROUNDS
    branch = PUBLISHERS * BRANCH_ROUNDS
    return Row(
        what=f"{PUBLISHERS} publishers at once, {ROUNDS} rounds: taken",
        measured=f"{every - ours.lost} of {every}, a reader missed {missed}",
        floor=f"shared branch, {branch - theirs.lost} of {branch}" if theirs else "all of them",
        result=f"{sum(ours.tries) - every} tries again, {ours.lost} lost",
        budget="0 conflicts, 0 lost",
        met=ours.lost == 0 and missed == 0 and sum(ours.tries) == every,
    )


def rows(folder: Path) -> Iterator[Row]:
    """The two ways in one run."""
    ours, missed = ref_each(folder)
    theirs = shared_branch(folder)
    yield taken_row(ours, missed, theirs)
    mean, other = statistics.mean(ours.tries), statistics.mean(theirs.tries)
    yield Row(
        what="tries a publish, mean",
        measured=f"{mean:.2f}",
        floor=f"shared branch, {other:.2f}",
        result=f"1 to {other / mean:.1f}",
        budget="1",
        met=mean == 1,
    )
    ours_s, theirs_s = ((len(each.tries) - each.lost) / each.wall_s for each in (ours, theirs))
    yield Row(
        what="publishes a second",
        measured=f"{ours_s:.1f}",
        floor=f"shared branch, {theirs_s:.1f}",
        result=f"{ours_s / theirs_s:.1f} ×",
    )
    yield Row(
        what="start of a publish → taken, p95",
        measured=f"{p95(ours.spent_s):.2f} s",
        floor=f"shared branch, {p95(theirs.spent_s):.2f} s",
        result=f"1 to {p95(theirs.spent_s) / p95(ours.spent_s):.1f}",
    )
