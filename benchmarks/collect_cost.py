"""What a collect costs: one that finds nothing new, and the first of 1 000 agents.

Run alone: `python -m benchmarks.collect_cost`. The floors are measured in the same run: a plain
`git fetch` of the same refs that brings nothing, and the same files written and synced one by one.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import fleet
from benchmarks.measure import median, ratio
from benchmarks.table import Row, markdown, times
from catalog.layout import REF_PREFIX, Layout
from catalog.sync import bare
from catalog.sync.collect import collect
from catalog.sync.exchange import Exchange
from catalog.sync.publish import publish
from catalog.sync.remote import check
from catalog.sync.site import Site
from catalog.system.files import Files

HOSTS, AGENTS, UNCHANGED, FIRST = 10, 1_000, 20, 3


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


def rows(folder: Path) -> Iterator[Row]:
    """10 hosts with 100 agents each, read by an eleventh."""
    address = str(folder / "remote.git")
    bare.prepare(check(address, base="/"))
    made = fleet.make(folder, AGENTS, hosts=HOSTS, sessions=True)
    for number in range(1, HOSTS + 1):
        publish(site(made.root, f"h{number}", address))
    yield first(folder, address, made.root)
    reader = site(folder / "reader", "reader", address)
    (folder / "reader/agents").mkdir(parents=True)
    collect(reader)
    yield unchanged(folder, address, reader)
    yield after_a_boot(folder, address)


def first(folder: Path, address: str, source: Path) -> Row:
    """The first collect: every record is new."""
    spent, floor = [], []
    for number in range(FIRST):
        root = folder / f"new-{number}"
        (root / "agents").mkdir(parents=True)
        spent.append(spent_ms(lambda root=root: collect(site(root, "reader", address))))
        floor.append(spent_ms(lambda n=number: synced(source, folder / f"synced-{n}")))
        shutil.rmtree(root)
    return times(
        f"first collect, {AGENTS} agents with sessions on {HOSTS} hosts",
        "the same files, each synced to the disk",
        ms=median(spent),
        floor_ms=median(floor),
        ratio=ratio(spent, floor),
        budget=None,
    )


def unchanged(folder: Path, address: str, reader: Site) -> Row:
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
        f"collect that finds nothing new, {AGENTS} agents on {HOSTS} hosts",
        "`git fetch` of the same refs",
        ms=median(spent),
        floor_ms=median(floor),
        ratio=ratio(spent, floor),
        budget=None,
    )


def after_a_boot(folder: Path, address: str) -> Row:
    """The collect that looks at every record again, because power may have gone."""
    spent, usual = [], []
    for number in range(FIRST):
        usual.append(spent_ms(lambda: collect(site(folder / "reader", "reader", address))))
        again = site(folder / "reader", "reader", address, boot=f"boot-{number}")
        spent.append(spent_ms(lambda again=again: collect(again)))
        collect(site(folder / "reader", "reader", address))
    return times(
        f"first collect after a boot, {AGENTS} agents, nothing new",
        "a collect that finds nothing new",
        ms=median(spent),
        floor_ms=median(usual),
        ratio=ratio(spent, usual),
        budget=None,
    )


def synced(source: Path, target: Path) -> None:
    """Write every record of *source* as one that waits for the disk, beside and by rename."""
    for path in (source / "agents").glob("*/*/*"):
        if path.name.startswith("agent."):
            continue
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        with open(f"{place}.new", "wb") as file:
            file.write(path.read_bytes())
            file.flush()
            os.fsync(file.fileno())
        os.rename(f"{place}.new", place)


def spent_ms(act: Callable[[], object]) -> float:
    """Wall time of one act, ms."""
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def main() -> None:
    """Measure in a temporary folder and print the table."""
    with tempfile.TemporaryDirectory(prefix="st2-bench-") as folder:
        print(markdown(list(rows(Path(folder)))))


if __name__ == "__main__":
    main()
