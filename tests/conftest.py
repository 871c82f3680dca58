"""What every test may use: the installed command in a scrubbed environment, looks at a catalog."""

from __future__ import annotations

import hashlib
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings

from st2 import fast
from support import forked

if TYPE_CHECKING:
    from support.mcp_client import Client
    from support.sshd import Sshd
    from support.wrapped import Wrapped

# Behind what is installed: where that is a wheel, only what no wheel has comes from the checkout.
sys.path.append(str(Path(__file__).parent.parent))
pytest_plugins = ("support.case_results", "support.gathering")
# A shell starts what is in its background with SIGINT ignored, and so would be what tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# So does nohup with SIGHUP. What is caught here is not ignored by what is started from here.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)
# A machine that is busy is slow; where it is CI's, hypothesis itself leaves nothing to chance.
settings.register_profile(
    "busy", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy")
# Mutants (mutants/run.py) cost a run each: few examples, always the same ones, none made smaller.
settings.register_profile(
    "mutants",
    settings.get_profile("busy"),
    max_examples=20,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
)
BIN = Path(sys.executable).parent
GIT_CONFIG = """[user]
\tname = A Tester
\temail = tester@example.invalid
[init]
\tdefaultBranch = main
[safe]
\tdirectory = *
"""


def surroundings() -> dict[str, str]:
    """What every command gets of the environment of the tests."""
    path = f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    kept = {"TMPDIR": os.environ["TMPDIR"]} if "TMPDIR" in os.environ else {}
    return {"PATH": path, "LANG": "C.UTF-8", **kept}


def is_started_anew(words: list[str]) -> bool:
    """Say whether a command is not one that click answers and that stays itself.

    What agents call at every step never sees click; a wrapper becomes a program, and which
    processes are above a command is what an adoption is about. CI has each of them start as it
    does for a user (ST2_TEST_STARTS=anew).
    """
    if os.environ.get("ST2_TEST_STARTS") == "anew":
        return True
    if words[0] != str(BIN / "st2") or fast.plan(words[1:]) is not None:
        return True
    text = f" {' '.join(words[1:])} "
    only_tells = any(each in text for each in (" driver expand ", " driver list ", " --dry-run "))
    return not only_tells and bool({"driver", "run", "adopt"} & set(words))


@dataclass(frozen=True)
class Result:
    """What a finished command left: exit code, and both streams as bytes."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """Standard output as UTF-8."""
        return self.out.decode("utf-8")

    @property
    def errors(self) -> str:
        """Standard error as UTF-8."""
        return self.err.decode("utf-8")


@dataclass
class Cli:
    """The installed `st2`, run with *env* and nothing else of the surrounding environment.

    CATALOG and ST2_HOST are set; pass `env={"ST2_HOST": None}` to run without one of them.
    """

    catalog: Path
    home: Path
    env: dict[str, str] = field(default_factory=dict)
    command: Path = BIN / "st2"

    def environment(self, changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
        """The environment of a run: `env` with *changes*, where None removes a variable."""
        merged = {**self.env, **(changes or {})}
        return {name: value for name, value in merged.items() if value is not None}

    def __call__(
        self,
        *args: str | bytes | os.PathLike[str],
        env: Mapping[str, str | None] | None = None,
        cwd: Path | None = None,
        stdin: bytes = b"",
        timeout: float = 90,
    ) -> Result:
        """Run to the end. Not to end within *timeout* seconds is a failure, not a result."""
        given, here = self.environment(env), cwd or self.home
        words = [os.fsdecode(word) for word in (self.command, *args)]
        ready = None if is_started_anew(words) else forked.forker(surroundings(), given)
        if ready is not None:
            return Result(*ready.run(words, env=given, cwd=here, stdin=stdin, timeout=timeout))
        done = subprocess.run(
            [self.command, *args],
            env=given,
            cwd=here,
            input=stdin,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def start(
        self,
        *args: str | bytes | os.PathLike[str],
        env: Mapping[str, str | None] | None = None,
        cwd: Path | None = None,
        **options: object,
    ) -> subprocess.Popen[bytes]:
        """Start and return; the caller ends it. Streams are /dev/null unless *options* say."""
        streams = {
            name: options.pop(name, subprocess.DEVNULL) for name in ("stdin", "stdout", "stderr")
        }
        return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
            [self.command, *args],
            env=self.environment(env),
            cwd=cwd or self.home,
            **streams,
            **options,
        )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A private HOME with a git identity in it."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / ".gitconfig").write_text(GIT_CONFIG)
    return folder


@pytest.fixture
def catalog_dir(tmp_path: Path) -> Path:
    """An empty catalog: a folder with `agents/` in it."""
    folder = tmp_path / "catalog"
    (folder / "agents").mkdir(parents=True)
    return folder


@pytest.fixture
def cli(catalog_dir: Path, home: Path) -> Cli:
    """The installed command on `catalog_dir`, as host h1."""
    env = {
        **surroundings(),
        "HOME": str(home),
        "CATALOG": str(catalog_dir),
        "ST2_HOST": "h1",
    }
    return Cli(catalog=catalog_dir, home=home, env=env)


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in {".st2", ".git"})
        for name in sorted(names):
            yield Path(folder, name)


def _content(path: Path) -> bytes:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return os.fsencode(os.readlink(path))
    return path.read_bytes() if stat.S_ISREG(mode) else b""


@pytest.fixture
def tree_hash(catalog_dir: Path) -> Callable[..., str]:
    """A function: hash of names, kinds and bytes of every file outside `.st2/` and `.git/`.

    `tree_hash()` is about `catalog_dir`, `tree_hash(root)` about another folder; `mtimes=True`
    adds file times.
    """

    def digest(root: Path | None = None, *, mtimes: bool = False) -> str:
        base = root or catalog_dir
        assert base.is_dir(), f"{base}: nothing to hash"
        seen = hashlib.sha256()
        for path in _files(base):
            facts = path.lstat()
            seen.update(
                f"{path.relative_to(base)}\0{stat.S_IFMT(facts.st_mode)}\0".encode(
                    "utf-8", "surrogateescape"
                )
            )
            seen.update(hashlib.sha256(_content(path)).digest())
            if mtimes:
                seen.update(str(facts.st_mtime_ns).encode())
        return seen.hexdigest()

    return digest


def _eventually(predicate: Callable[[], object], timeout: float = 90.0) -> object:
    limit = time.monotonic() + timeout
    while not (value := predicate()):
        if time.monotonic() >= limit:
            raise AssertionError(f"not true within {timeout} s: {predicate}, last value {value!r}")
        time.sleep(0.02)
    return value


@pytest.fixture
def eventually() -> Callable[..., object]:
    """A function: poll *predicate* until true, *timeout* seconds at most; returns its value."""
    return _eventually


@pytest.fixture
def wrapped(cli: Cli) -> Iterator[Wrapped]:
    """Agent w of h1 in `catalog_dir`, and an end for every harness that was started in it."""
    from support.wrapped import Wrapped

    made = Wrapped(cli)
    yield made
    made.close()


@pytest.fixture
def connect(cli: Cli) -> Iterator[Callable[..., Client]]:
    """A function: a client of a new MCP server for agent h1.a1, which is ended with the test."""
    from support.mcp_client import Client

    made: list[Client] = []

    def start(*options: str, **more: object) -> Client:
        made.append(Client(cli, *options, **more))  # type: ignore[arg-type]
        return made[-1]

    yield start
    for each in made:
        each.close()


@pytest.fixture
def sshd(tmp_path: Path) -> Iterator[Sshd]:
    """A real sshd on loopback; `sshd.env(cli.env)` is the environment of who may use it."""
    from support.sshd import Sshd

    made = Sshd(tmp_path / "sshd")
    yield made
    made.close()


@pytest.fixture(scope="session")
def doll(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A compiled program of a few system calls that can be harnesses of odd kinds."""
    from support.dolls import compile_doll

    return compile_doll(tmp_path_factory.mktemp("doll"))
