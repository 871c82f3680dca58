"""What a forker runs is to its caller what a process is that starts anew."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from catalogs import agent, declared
from conftest import Cli, is_started_anew, surroundings
from support import forked
from support.forked import Forker
from support.forker import ROOMS

Ran = tuple[int, bytes, bytes]
Both = Callable[..., list[Ran]]
TOLD = {
    "its words": "sys.argv",
    "its folder": "os.getcwd()",
    "its variables": "sorted(os.environ.items())",
    "its umask": "os.umask(0)",
    "its groups": "(os.getpgid(0), os.getsid(0))",
    "its own descriptors": "[n for n in range(64) if is_open(n)]",
    "its signals": "[signal.getsignal(number) for number in signal.valid_signals()]",
    "its mask": "signal.pthread_sigmask(signal.SIG_BLOCK, ())",
    "where it imports from": "sys.path",
    "its name": "(__name__, __file__, sys.modules['__main__'].__dict__ is globals())",
    "its flags": "(sys.flags, sys.executable, sys.prefix)",
    "its streams": "[(s.encoding, s.errors, s.line_buffering, s.seekable()) for s in STREAMS]",
    "what it is given": "sys.stdin.read()",
    "what a command begins with": "'st2.__main__' in sys.modules",
    "who it is": "os.getpid() != os.getpgid(0)",
}
LOOKING = """import os, signal, sys
STREAMS = sys.stdin, sys.stdout, sys.stderr
def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
"""
IMPORTING = """import json, os, sys
sys.path.insert(0, sys.argv[1])
import forker
looked = []
class Watched(type(os.environ)):
    def __getitem__(self, name):
        looked.append(os.fsdecode(name))
        return super().__getitem__(name)
os.environ.__class__ = os.environb.__class__ = Watched
for package in forker.PACKAGES:
    __import__(package)
looked.clear()
os.getcwd = os.getcwdb = lambda: looked.append("the folder")
del sys.argv
forker.import_ours()
print(json.dumps((looked, [name for name in sys.modules if name.split('.')[0] in forker.ROOMS])))
"""
"""What is imported by a forker besides, where it is noted what that looks at."""
ENDS = {
    "by itself": "print('said')",
    "with a code": "print('said', end=''); sys.exit(3)",
    "with words": "sys.exit('why')",
    "at once": "os._exit(4)",
    "by a signal": "os.kill(os.getpid(), 9)",
    "by an interrupt": "signal.raise_signal(2)",
    "after what was left for the end": "import atexit; atexit.register(print, 'last')",
    "with what nobody wrote out": "file = open(1, 'w', closefd=False); file.write('left')",
    "after its threads": "import threading; threading.Timer(0.1, print, ['late']).start()",
    "with a fault in its own end": "class A:\n    def __del__(self): 1 / 0\na = A()",
    "where nobody reads": "os.close(1); print('said')",
}


@pytest.fixture(scope="module")
def forker() -> Iterator[Forker]:
    made = Forker(surroundings())
    yield made
    made.close()


@pytest.fixture
def both(forker: Forker, tmp_path: Path) -> Both:
    """A function: run a text both ways, and return what each way came to."""

    def run(text: str, *args: str | bytes, stdin: bytes = b"", more: str = "a b") -> list[Ran]:
        script = tmp_path / "bin/program"
        script.parent.mkdir(exist_ok=True)
        script.write_text(text)
        env = {**surroundings(), "HOME": str(tmp_path), "ST_AGENT": more}
        words = [os.fsdecode(each) for each in (script, *args)]
        python = str(Path(sys.executable))
        done = subprocess.run(
            [python, *words], env=env, cwd=tmp_path, input=stdin, capture_output=True, timeout=90
        )
        anew = (done.returncode, done.stdout, done.stderr)
        ready = forker.run(words, env=env, cwd=tmp_path, stdin=stdin, timeout=90)
        return [anew, ready]

    return run


@pytest.mark.parametrize("told", TOLD.values(), ids=TOLD)
def test_a_process_tells_the_same_of_itself(both: Both, told: str) -> None:
    text = f"{LOOKING}print({told})"
    anew, ready = both(text, "-x", "é", b"\xff\n", "", stdin=b"in\r\n", more="\udcff é")
    assert anew == ready and anew[0] == 0 and anew[1]


def test_no_module_of_ours_looks_at_what_a_command_is_told_when_it_is_imported(
    tmp_path: Path,
) -> None:
    script = tmp_path / "script"
    script.write_text(IMPORTING)
    words = [sys.executable, script, Path(forked.__file__).parent, "a word of its own"]
    done = subprocess.run(words, env=surroundings(), cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    looked, modules = json.loads(done.stdout)
    assert len(modules) > 100 and "st2.__main__" not in modules
    assert set(looked).isdisjoint({*forked.OURS, "the folder"})


def test_nothing_of_ours_has_an_end_of_its_own() -> None:
    """A forker leaves modules as they are when a command ends."""
    rooms = [Path(import_module(room).__path__[0]) for room in ROOMS]
    files = [path for room in rooms for path in room.rglob("*.py")]
    assert len(files) > 100
    ends = re.compile(r"\b(__del__|atexit|weakref)\b")
    assert [str(path) for path in files if ends.search(path.read_text("utf-8"))] == []


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_it_ends_the_same(both: Both, end: str) -> None:
    anew, ready = both(f"import os, signal, sys\n{end}\n")
    assert anew[:2] == ready[:2]
    assert anew[2].splitlines()[-1:] == ready[2].splitlines()[-1:]


def test_more_than_pipes_hold_goes_in_and_out_at_once(both: Both) -> None:
    text = "import sys\nfor each in sys.stdin: print(each, file=sys.stderr); print(each)\n"
    anew, ready = both(text, stdin=b"line\n" * 60_000)
    assert anew == ready and len(ready[1]) == len(ready[2]) == 360_000


def test_what_is_given_to_one_that_does_not_read_is_lost(both: Both) -> None:
    anew, ready = both("print(1)", stdin=b"x" * 1_000_000)
    assert anew == ready == (0, b"1\n", b"")


def test_the_umask_is_that_of_the_moment(both: Both) -> None:
    before = os.umask(0o027)
    try:
        anew, ready = both("import os; print(os.umask(0))")
    finally:
        os.umask(before)
    assert anew == ready == (0, b"23\n", b"")


def test_two_run_side_by_side(forker: Forker, tmp_path: Path) -> None:
    """One waits for what the other one does."""
    os.mkfifo(tmp_path / "fifo")
    ends: dict[str, Ran] = {}

    def run(name: str, text: str) -> None:
        (tmp_path / name).write_text(text)
        given = {"env": surroundings(), "cwd": tmp_path, "stdin": b"", "timeout": 90}
        ends[name] = forker.run([str(tmp_path / name)], **given)  # type: ignore[arg-type]

    texts = {"reader": "print(open('fifo').read())", "writer": "open('fifo', 'w').write('w')"}
    started = [threading.Thread(target=run, args=each) for each in texts.items()]
    for each in started:
        each.start()
    for each in started:
        each.join()
    assert ends == {"reader": (0, b"w\n", b""), "writer": (0, b"", b"")}


def test_one_that_does_not_end_is_killed_and_is_a_failure(forker: Forker, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)\n")
    with pytest.raises(subprocess.TimeoutExpired):
        forker.run([str(script)], env=surroundings(), cwd=tmp_path, stdin=b"", timeout=1)
    script.write_text("print(1)")
    done = forker.run([str(script)], env=surroundings(), cwd=tmp_path, stdin=b"", timeout=90)
    assert done == (0, b"1\n", b"")


def test_commands_answer_the_same_either_way(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ST2_TEST_STARTS", raising=False)
    agent(cli.catalog, "a1", kdl=declared(body='    claude { prompt "Go."; }\n'))
    agent(cli.catalog, "a2", kdl=declared("a2", body='    claude { bogus "Go."; }\n'))
    lines = (["validate"], ["why", "a1"], ["why", "nobody"], ["--help"], ["hosts", "--json"], ["?"])
    ready = [cli(*line) for line in lines]
    asked: list[object] = []
    monkeypatch.setattr(forked, "forker", lambda *given: asked.append(given))
    assert ready == [cli(*line) for line in lines]
    ready_for = [line for line in lines if not is_started_anew([str(cli.command), *line])]
    assert len(asked) == len(ready_for) >= 3


def test_what_agents_call_at_every_step_and_what_becomes_a_program_starts_anew(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ST2_TEST_STARTS", raising=False)
    lines = {
        "status a1": True,
        "beat a1 --session s": True,
        "driver hook claude Stop": True,
        "run a1": True,
        "run a1 --dry-run": False,
        "driver exec --identity h1.a1 --odd": True,
        "driver list": False,
        "driver expand a1": False,
        "session adopt a1": True,
        "session register a1 --session s": False,
        "validate": False,
        "agents --bogus": False,
    }
    found = {line: is_started_anew([str(cli.command), *line.split()]) for line in lines}
    assert found == lines
    assert is_started_anew(["/elsewhere/st2", "validate"])


@pytest.mark.parametrize("name", ["PATH", "LANG", "PYTHONPATH", "GIT_DIR", "TERM"])
def test_a_variable_that_others_look_at_starts_anew(cli: Cli, name: str) -> None:
    assert forked.forker(surroundings(), cli.environment()) is not None
    assert forked.forker(surroundings(), cli.environment({name: "x"})) is None
    assert forked.forker(surroundings(), cli.environment({"CATALOG": None})) is not None
