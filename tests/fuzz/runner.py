"""``python -m fuzz.runner BOUNDARY… [--seconds N]``: feed each boundary until its time is over.

With atheris (the extra ``fuzz``) inputs are led by the branches that they reach; without it they
are edits of the kept ones, made by hypothesis. What fails is left in ``build/fuzz/BOUNDARY/``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fuzz.boundaries import NAMES, boundary

ROOT = Path(__file__).parent.parent.parent
CORPUS = ROOT / "tests" / "corpus"
LEFT = ROOT / "build" / "fuzz"
LONGEST = 4_096
INSTRUMENTED = ["catalog", "drivers", "st2", "kdlquery", "tomllib"]
INPUT_S, MEMORY_MB = 20, 2_048
"""The most that one input may take: a hang and a leak are failures too."""


def kept(name: str) -> dict[str, bytes]:
    """Return the kept inputs of a boundary, by the names of their files."""
    return {path.name: path.read_bytes() for path in sorted((CORPUS / name).iterdir())}


def inputs(name: str) -> st.SearchStrategy[bytes]:
    """Kept inputs with some pieces of others, or of nothing known, in the place of their own."""
    known = st.sampled_from(list(kept(name).values()))
    piece = st.binary(max_size=12) | st.tuples(known, st.integers(0), st.integers(0, 40)).map(
        lambda cut: cut[0][cut[1] % (len(cut[0]) + 1) :][: cut[2]]
    )

    def edited(whole: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
        for at, gone, new in edits:
            at %= len(whole) + 1
            whole = whole[:at] + new + whole[at + gone :]
        return whole[:LONGEST]

    edit = st.tuples(st.integers(0), st.integers(0, 20), piece)
    return st.builds(edited, known, st.lists(edit, max_size=4))


def by_hypothesis(name: str, seconds: float) -> None:
    """Run rounds of random inputs; a failing one is shrunk, left and raised."""
    check, ends = boundary(name).check, time.monotonic() + seconds
    last = [b""]

    @settings(
        max_examples=500,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(inputs(name))
    def each(data: bytes) -> None:
        last[0] = data
        check(data)

    rounds = 0
    while time.monotonic() < ends:
        try:
            each()
        except BaseException:
            (LEFT / name / "crash-hypothesis").write_bytes(last[0])
            raise
        rounds += 1
    print(f"{name}: {rounds} rounds of 500 inputs, nothing found")


def by_atheris(name: str, seconds: int) -> None:
    """Run libFuzzer, which ends the process. What it finds of interest stays for the next run."""
    import atheris  # type: ignore[import-not-found]

    with atheris.instrument_imports(include=INSTRUMENTED):
        check = boundary(name).check
    found = LEFT / name / "found"
    found.mkdir(exist_ok=True)
    options = (
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST}",
        f"-timeout={INPUT_S}",
        f"-rss_limit_mb={MEMORY_MB}",
        f"-artifact_prefix={LEFT / name}/",
        "-print_final_stats=1",
        "-verbosity=1",
    )
    atheris.Setup([sys.argv[0], *options, str(found), str(CORPUS / name)], lambda data: check(data))
    atheris.Fuzz()


def run(name: str, seconds: int) -> None:
    """Fuzz one boundary in this process."""
    (LEFT / name).mkdir(parents=True, exist_ok=True)
    if find_spec("atheris") is None:
        by_hypothesis(name, seconds)
    else:
        by_atheris(name, seconds)


def main() -> int:
    """Run each boundary in a process of its own; the number of those that failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("boundaries", nargs="*", choices=[[], *NAMES], default=[])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--here", action="store_true", help="one boundary, in this process")
    asked = parser.parse_args()
    names = asked.boundaries or list(NAMES)
    if asked.here:
        run(names[0], asked.seconds)
        return 0
    failed = []
    for name in names:
        print(f"fuzzing {name} for {asked.seconds} s", flush=True)
        again = [sys.executable, "-m", "fuzz.runner", name, "--here"]
        done = subprocess.run([*again, "--seconds", str(asked.seconds)], check=False)
        failed += [name] if done.returncode else []
    print(f"failed: {', '.join(failed) or 'none'}; what failed lies in {LEFT}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
