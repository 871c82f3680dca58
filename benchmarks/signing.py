"""What a signature costs: making one, and checking one, beside what git alone takes."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import median, ratio
from benchmarks.table import Row, times
from catalog.sync.signers import parse
from catalog.sync.signing import NAMESPACE, Signed, signed_by, split
from catalog.system.git import Git, settings_of
from catalog.system.signatures import Keyring

ROUNDS = 30
WHO = {f"GIT_{by}_{key}": "b" for by in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def timed(*acts: Callable[[], object]) -> list[list[float]]:
    """Times in ms of each act, taken in turns."""
    spent: list[list[float]] = [[] for _ in acts]
    for round_ in range(ROUNDS + 2):
        for at, act in enumerate(acts):
            start = time.perf_counter()
            act()
            if round_ >= 2:  # the first two warm the caches
                spent[at].append((time.perf_counter() - start) * 1000)
    return spent


def rows(folder: Path) -> Iterator[Row]:
    """A signed commit against one that is not, and our check against git's."""
    folder.mkdir()
    key, listed = folder / "key", folder / "listed"
    make = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key))
    subprocess.run(make, check=True)
    listed.write_text(f"h1 {' '.join(Path(f'{key}.pub').read_text().split()[:2])}\n")
    git = Git(str(folder / "own"))
    subprocess.run(["git", "init", "-q", "--bare", git.repository], check=True)
    git.run("mktree")
    sign = signed_by(str(key))

    def commit(*options: str) -> str:
        made = git.run("commit-tree", *options, "-m", "b", EMPTY_TREE, env=WHO, settings=sign)
        return made.out.decode().strip()

    plain, signed = timed(commit, lambda: commit("-S"))
    yield times(
        *("commit-tree, signed", "not signed"),
        ms=median(signed),
        floor_ms=median(plain),
        ratio=ratio(signed, plain),
        budget=None,
    )
    oid = commit("-S")
    found = split(git.run("cat-file", "commit", oid).out)
    if not isinstance(found, Signed):
        raise SystemExit(f"bench: {found.why}")
    lines = parse(listed.read_bytes()).lines_for("h1")

    def check() -> None:
        doubt = Keyring().doubt(
            found.payload, found.armour, lines=lines, principal="h1", namespace=NAMESPACE
        )
        if doubt:
            raise SystemExit(f"bench: {doubt}")

    asked = settings_of((f"gpg.ssh.allowedSignersFile={listed}",))
    alone = ("git", f"--git-dir={git.repository}", *asked, "verify-commit", oid)
    theirs, ours = timed(lambda: subprocess.run(alone, check=True, capture_output=True), check)
    yield times(
        *("a signature checked, for its host", "`git verify-commit`, for any"),
        ms=median(ours),
        floor_ms=median(theirs),
        ratio=ratio(ours, theirs),
        budget=1.0,
    )
