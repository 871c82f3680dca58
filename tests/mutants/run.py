"""Mutation testing with mutmut, a module at a time: each against its own tests and no others.

    python tests/mutants/run.py [FILE …]        default: every module of modules.toml

Each module has a folder of its own below build/mutants, where mutmut finds the sources, the tests
and a configuration for this one module. So a mutant costs as little as those tests do, several
modules can be run at once, and the tests of another module do not kill by chance what the module's
own let pass. Results are kept there: a function is run again when it changed, and all of them are
when a test changed. What lives is shown in alive.diff.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).parent / "modules.toml"
BUILD = ROOT / "build" / "mutants"
SEEN = ("catalog", "drivers", "st2", "tests", "generators", "spec", "examples")
"""What tests may look at: copied, so that no original is imported beside what was mutated."""
OFF = (
    *("timeout", "xdist", "benchmark", "cacheprovider", "unraisableexception", "threadexception"),
    *("logging", "doctest", "pastebin", "junitxml", "faulthandler"),
)
"""Plugins of pytest that a mutant does without: they take most of the time of a short run."""
WANTED = 90
KILLED = {1, 2, 3, 36, 24, -24, 152, 255, -9, -11}
"""How mutmut writes that a test failed or could not be loaded, hung, or ended the process."""
SHOW = """import sys
from mutmut.mutation.diff_apply import get_diff_for_mutant as diff
for name in sys.argv[2:]:
    print(name, diff(name, path=sys.argv[1]), sep="\\n")
"""
"""What `mutmut show` does, in one process for all of them."""
CONFIGURATION = """[tool.pytest.ini_options]
addopts = {options}
markers = ["harness: not run", "slow: not run"]

[tool.mutmut]
source_paths = ["catalog", "drivers"]
only_mutate = [{module}]
also_copy = {seen}
pytest_add_cli_args = ["--hypothesis-profile=mutants", "-m", "not slow and not harness"]
pytest_add_cli_args_test_selection = {tests}
use_git_change_detection = false
track_dependencies = false
timeout_constant = 6.0
timeout_multiplier = 5.0
"""


def modules() -> dict[str, list[str]]:
    """Module → its tests, as `modules.toml` has them; tests may be single ones, `FILE::NAME`."""
    rooms = tomllib.loads(TABLE.read_text("utf-8"))
    return {module: tests for room in rooms.values() for module, tests in room.items()}


def prepare(module: str, tests: list[str]) -> Path:
    """Make the folder of *module*; what is known from before stays where no test changed."""
    folder = BUILD / module.removesuffix(".py").replace("/", ".")
    folder.mkdir(parents=True, exist_ok=True)
    state = hashlib.sha256("\0".join(tests).encode())
    shared = (path for path in (ROOT / "tests").glob("*.py") if not path.name.startswith("test_"))
    for path in sorted({*shared, *(ROOT / test.partition("::")[0] for test in tests)}):
        state.update(path.read_bytes())
    mark = folder / "tests.sha256"
    if not mark.exists() or mark.read_text() != state.hexdigest():
        shutil.rmtree(folder / "mutants", ignore_errors=True)
    mark.write_text(state.hexdigest())
    _forget_who_calls(folder, (ROOT / module).read_bytes())
    for name in SEEN:
        link = folder / name
        if not link.is_symlink():
            link.symlink_to(ROOT / name)
    (folder / "pyproject.toml").write_text(
        CONFIGURATION.format(
            module=json.dumps(module),
            options=json.dumps(
                ["-p", "in_process", "--assert=plain", *(f"-pno:{each}" for each in OFF)]
            ),
            seen=json.dumps(SEEN[2:]),
            tests=json.dumps(tests),
        )
    )
    return folder


def _forget_who_calls(folder: Path, source: bytes) -> None:
    """Have mutmut see anew which test calls which function, where *source* is another one."""
    mark = folder / "source.sha256"
    seal = hashlib.sha256(source).hexdigest()
    if not mark.exists() or mark.read_text() != seal:
        (folder / "mutants" / "mutmut-stats.json").unlink(missing_ok=True)
    mark.write_text(seal)


def results(folder: Path, module: str) -> dict[str, int | None]:
    """Mutant → exit code of its tests, None where they were not run."""
    return dict(json.loads((folder / "mutants" / f"{module}.meta").read_text())["exit_code_by_key"])


def mutate(module: str, tests: list[str], children: int) -> bool:
    """Run what is left to run, print the account and what lives; True where enough was killed."""
    folder = prepare(module, tests)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "PYTHONHASHSEED": "0"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    words = [Path(sys.executable).parent / "mutmut", "run", "--max-children", str(children)]
    log = folder / "run.txt"
    with log.open("wb") as out:
        done = subprocess.run(words, cwd=folder, env=environment, stdout=out, stderr=out)
    if done.returncode:
        print(log.read_text("utf-8", "replace")[-4000:])
        print(f"{module}: mutmut ended with {done.returncode}; all of it is in {log}", flush=True)
        return False
    codes = results(folder, module)
    alive = [name for name, code in codes.items() if code not in KILLED]
    killed = len(codes) - len(alive)
    percent = 100 * killed / len(codes) if codes else 100.0
    with (folder / "alive.diff").open("w") as out:
        show = [sys.executable, "-c", SHOW, module, *alive]
        subprocess.run(show, cwd=folder, stdout=out, check=True)
    print(f"{module}: {len(codes)} mutants, {killed} killed, {percent:.1f} %", flush=True)
    return percent >= WANTED


def main() -> int:
    """Every module that was asked for; 1 where one of them lets too many live."""
    parser = argparse.ArgumentParser(description="Mutation testing, a module at a time.")
    parser.add_argument("modules", nargs="*", metavar="FILE", help="default: all of modules.toml")
    parser.add_argument("--children", type=int, default=1, help="mutants at a time (default 1)")
    given = parser.parse_args()
    table = modules()
    for unknown in [name for name in given.modules if name not in table]:
        parser.error(f"{unknown}: not in {TABLE.relative_to(ROOT)}")
    enough = [mutate(name, table[name], given.children) for name in given.modules or table]
    return 0 if all(enough) else 1


if __name__ == "__main__":
    sys.exit(main())
