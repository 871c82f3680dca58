"""What a collect costs: the first, one that finds nothing new, one that looks again after a boot.

The floors are measured in the same run: a plain `git fetch` of the same refs that brings nothing,
and the same files copied one by one without waiting for the disk.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import fleet
from benchmarks.measure import median, ratio, spent_ms
from benchmarks.table import Point, Row, times
from catalog.layout import Layout
from catalog.sync import bare
from catalog.sync.collect import collect
from catalog.sync.exchange import Exchange
from catalog.sync.publish import publish
from catalog.sync.remote import check
from catalog.sync.shape import REF_PREFIX
from catalog.sync.site import Site
from catalog.system.files import Files

HOSTS, UNCHANGED, AFTER_A_BOOT = 10, 20, 1_000
SIZES = {10: 3, 100: 3, 1_000: 3, 10_000: 2, 100_000: 1}
"""How many first collects are measured, by the number of agents."""


def site(root: Path, host: str, address: str, *, boot: str = "boot") -> Site:
    """A host of a catalog; with another *boot* everything that it has is looked at again."""
    files, layout = Files(str(root)), Layout(str(root), host)
    return Site(
        files=files,
        layout=layout,
        node=fleet.token(host),
        exchange=Exchange(files, layout, "bench", check(address, base="/")),
        verdict_of=lambda claim: "unknown",
        now_ms=lambda: int(time.time() * 1000),
        sleep=time.sleep,
        jitter=random.random,
        boot=boot,
    )


def rows(folder: Path, most: int) -> Iterator[Row]:
    """10 hosts, read by an eleventh, at sizes up to *most*; one size looks again after a boot."""
    for agents, rounds in SIZES.items():
        if agents > most:
            return
        base = folder / f"{agents}"
        base.mkdir()
        address = str(base / "remote.git")
        bare.prepare(check(address, base="/"))
        made = fleet.make(base, agents, hosts=HOSTS, sessions=True)
        for number in range(1, HOSTS + 1):
            publish(site(made.root, f"h{number}", address))
        yield first(base, address, made.root, agents, rounds)
        reader = site(base / "reader", "reader", address)
        (base / "reader/agents").mkdir(parents=True)
        collect(reader)
        yield unchanged(base, address, reader, agents)
        if agents == AFTER_A_BOOT:
            yield after_a_boot(base, address, agents)
        shutil.rmtree(base)


def first(folder: Path, address: str, source: Path, agents: int, rounds: int) -> Row:
    """The first collect: every record is new."""
    spent, floor = [], []
    for number in range(rounds):
        root = folder / f"new-{number}"
        (root / "agents").mkdir(parents=True)
        spent.append(spent_ms(lambda root=root: collect(site(root, "reader", address))))
        beside = folder / f"written-{number}"
        floor.append(spent_ms(lambda to=beside: written(source, to)))
        shutil.rmtree(root)
        shutil.rmtree(beside)
    return times(
        f"first collect, {agents} agents with sessions on {HOSTS} hosts",
        "the same files read, and written beside and renamed",
        ms=median(spent),
        floor_ms=median(floor),
        ratio=ratio(spent, floor),
        budget=None,
        points=(
            Point("collect, first", agents, median(spent)),
            Point("collect, first, floor", agents, median(floor)),
        ),
    )


def unchanged(folder: Path, address: str, reader: Site, agents: int) -> Row:
    """A collect that finds nothing new, beside a git that fetches nothing new."""
    work = folder / "plain.git"
    git = ["git", f"--git-dir={work}"]
    refs = f"+{REF_PREFIX}*:{REF_PREFIX}*"
    subprocess.run(["git", "init", "-q", "--bare", str(work)], check=True)
    fetch = [*git, "fetch", "-q", "--prune", "--no-tags", address, refs]
    subprocess.run(fetch, check=True)
    spent, floor = [], []
    for _ in range(UNCHANGED):
        spent.append(spent_ms(lambda: collect(reader)))
        floor.append(spent_ms(lambda: subprocess.run(fetch, check=True)))
    return times(
        f"collect that finds nothing new, {agents} agents on {HOSTS} hosts",
        "`git fetch` of the same refs",
        ms=median(spent),
        floor_ms=median(floor),
        ratio=ratio(spent, floor),
        budget=None,
        points=(
            Point("collect, nothing new", agents, median(spent)),
            Point("collect, nothing new, floor", agents, median(floor)),
        ),
    )


def after_a_boot(folder: Path, address: str, agents: int) -> Row:
    """The collect that looks at every record again, because power may have gone."""
    spent, usual = [], []
    for number in range(SIZES[agents]):
        usual.append(spent_ms(lambda: collect(site(folder / "reader", "reader", address))))
        again = site(folder / "reader", "reader", address, boot=f"boot-{number}")
        spent.append(spent_ms(lambda again=again: collect(again)))
        collect(site(folder / "reader", "reader", address))
    return times(
        f"first collect after a boot, {agents} agents, nothing new",
        "a collect that finds nothing new",
        ms=median(spent),
        floor_ms=median(usual),
        ratio=ratio(spent, usual),
        budget=None,
    )


def written(source: Path, target: Path) -> None:
    """Write every record of *source*, beside and by rename, without waiting for the disk."""
    for path in (source / "agents").glob("*/*/*"):
        if path.name.startswith("agent."):
            continue
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        with open(f"{place}.new", "wb") as file:
            file.write(path.read_bytes())
        os.rename(f"{place}.new", place)
