"""The terminal's truth: job control, resize and modes under tmux, bare and wrapped (F11, F12)."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from support.shells import SHELLS, Terminal
from support.wrapped import Wrapped, is_running, settled, until

pytestmark = [
    pytest.mark.skipif(not shutil.which("tmux"), reason="needs tmux"),
    pytest.mark.slow,
]


@pytest.fixture
def terminals(wrapped: Wrapped) -> Iterator[list[Terminal]]:
    """Terminals that are closed at the end."""
    made: list[Terminal] = []
    yield made
    for terminal in made:
        terminal.close()


def opened(wrapped: Wrapped, terminals: list[Terminal], shell: str) -> Terminal:
    terminals.append(Terminal(wrapped, shell))
    return terminals[-1]


def line_of(wrapped: Wrapped, *argv: str, bare: bool) -> str:
    return shlex.join(argv if bare else wrapped.command(*argv))


ASLEEP = """\
import os, signal, time
def told(*_): print("got-winch", *reversed(os.get_terminal_size()), flush=True)
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGWINCH, told)
print("asleep", flush=True)
while True: time.sleep(0.05)
"""
"""One process that starts no other: a shell may be stopped between a vfork and its exec, and then
nobody is told that it is."""


def walk(wrapped: Wrapped, terminal: Terminal, *, bare: bool) -> list[str]:
    """Stop, list, continue behind and before, resize and interrupt; return what was seen."""
    seen = [terminal.say("$(stty -a | md5sum)")]
    script = wrapped.cli.home / "asleep.py"
    script.write_text(ASLEEP)
    asleep = (sys.executable, "-I", "-S", str(script))
    sleeper = line_of(wrapped, *asleep, bare=bare)
    terminal.type("clear")
    terminal.type(sleeper)
    terminal.wait_for("\nasleep")
    terminal.key("C-z")
    seen.append(terminal.say("$?"))
    seen.append(terminal.say("$(jobs | grep -ci 'stopped\\|suspended')"))
    terminal.type("bg")
    seen.append(terminal.say("$(sleep 0.2; jobs | grep -ci running)"))
    terminal.type("fg")
    terminal.wait_for_job()
    terminal.resize(100, 30)
    terminal.wait_for("got-winch 30 100")
    terminal.key("C-c")
    seen.append(terminal.say("$?"))
    seen.append(terminal.say("$(jobs | wc -l | tr -d ' ')"))
    terminal.type(line_of(wrapped, "sh", "-c", "echo quiet; exec sleep 60", bare=bare))
    terminal.wait_for("\nquiet")
    terminal.key("C-\\")
    seen.append(terminal.say("$?"))
    terminal.type(line_of(wrapped, "sh", "-c", "exit 42", bare=bare))
    seen.append(terminal.say("$?"))
    seen.append(terminal.say("$(stty -a | md5sum)"))
    terminal.resize(80, 24)
    return seen


@pytest.mark.parametrize("shell", SHELLS)
def test_job_control_is_what_it_is_without_the_wrapper(
    wrapped: Wrapped, terminals: list[Terminal], shell: str
) -> None:
    """Case F12."""
    bare = walk(wrapped, opened(wrapped, terminals, shell), bare=True)
    terminals.pop().close()
    under = walk(wrapped, opened(wrapped, terminals, shell), bare=False)
    assert under == bare
    assert bare[1:4] == [str(128 + signal.SIGTSTP), "1", "1"]
    assert bare[4:8] == ["130", "0", "131", "42"]
    claim = wrapped.ended()
    assert (claim["generation"], claim["exit"]) == (3, "exit 42")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_stopped_job_is_not_refreshed_and_beats_again_in_the_foreground(
    wrapped: Wrapped, terminals: list[Terminal], shell: str
) -> None:
    """Case F12 with case A4."""
    terminal = opened(wrapped, terminals, shell)
    terminal.type(shlex.join(wrapped.command("sleep", "60", beat_ms=200)))
    until(lambda: wrapped.word() == "available")
    terminal.key("C-z")
    assert terminal.say("$?") == "148"
    stopped = settled(wrapped.stamp_ms)
    time.sleep(0.8)
    assert wrapped.stamp_ms() == stopped
    terminal.type("fg")
    until(lambda: wrapped.stamp_ms() > stopped)
    terminal.key("C-c")
    assert wrapped.ended()["exit"] == "signal 2"


@pytest.mark.parametrize("how", ["kill-pane", "kill-server"])
def test_a_closed_terminal_ends_the_harness_by_hangup_and_the_record_with_it(
    wrapped: Wrapped, terminals: list[Terminal], how: str
) -> None:
    """Case F11."""
    terminal = opened(wrapped, terminals, "bash")
    terminal.type(shlex.join(wrapped.command("sleep", "60")))
    until(lambda: wrapped.word() == "available")
    owner = wrapped.owner_pid()
    harness = int((wrapped.cli.catalog / ".st2/h1/process/w").read_text().split()[3])
    terminal.tmux(how)
    until(lambda: not is_running(harness) and not is_running(owner))
    assert wrapped.ended()["exit"] == "signal 1"
    assert wrapped.word() == "offline"


RAW = """
import os, signal, sys, termios, tty
before = termios.tcgetattr(0)
tty.setraw(0)
sys.stdout.write("raw\\r\\n"); sys.stdout.flush()
while (key := os.read(0, 1)) != b"q":
    sys.stdout.write(f"key {key.hex()} {os.get_terminal_size().columns}\\r\\n"); sys.stdout.flush()
    if key == b"z":
        termios.tcsetattr(0, termios.TCSADRAIN, before)
        os.kill(0, signal.SIGTSTP)
        tty.setraw(0)
termios.tcsetattr(0, termios.TCSADRAIN, before)
sys.exit(5)
"""


@pytest.mark.parametrize("shell", SHELLS)
def test_a_raw_mode_program_keeps_its_keys_its_size_and_its_terminal(
    wrapped: Wrapped, terminals: list[Terminal], shell: str
) -> None:
    """Case F12: what a full-screen harness does."""
    program = wrapped.cli.home / "raw.py"
    program.write_text(RAW)
    screens = []
    for bare in (True, False):
        terminal = opened(wrapped, terminals, shell)
        modes = terminal.say("$(stty -a | md5sum)")
        terminal.type("clear")
        terminal.type(line_of(wrapped, shutil.which("python3") or "", str(program), bare=bare))
        terminal.wait_for("\nraw")
        for key in ("C-c", "C-\\", "a", "z"):
            terminal.key(key)
        assert terminal.say("$?") == "148"
        terminal.type("fg")
        terminal.wait_for_job()
        terminal.resize(90, 24)
        terminal.key("b")
        terminal.wait_for("key 62 90")
        terminal.key("q")
        assert terminal.say("$?") == "5"
        screens.append([row for row in terminal.screen().split("\n") if row.startswith("key ")])
        assert terminal.say("$(stty -a | sed s/90/80/ | md5sum)") == modes
        terminals.pop().close()
    assert (
        screens[0]
        == screens[1]
        == ["key 03 80", "key 1c 80", "key 61 80", "key 7a 80", "key 62 90"]
    )


def test_nothing_of_the_terminal_is_held_open_by_the_owner(wrapped: Wrapped) -> None:
    """``$( … )`` and pipes see their end when the harness ends, not when its owner does."""
    owner = wrapped.cli.catalog / wrapped.layout.owner_lock("w")
    stop = f"kill -STOP $(cut -d' ' -f2 {shlex.quote(str(owner))})"
    line = shlex.join(wrapped.command("sh", "-c", f"echo word; {stop}; exit 0"))
    for whole, said in ((f'x=$({line}); echo "[$x]"', "[word]\n"), (f"{line} | cat", "word\n")):
        done = subprocess.run(
            ["sh", "-c", whole],
            env=wrapped.cli.environment(),
            capture_output=True,
            text=True,
            timeout=90,
        )
        assert done.stdout == said
        assert wrapped.claim().get("ended_ms") is None
        os.kill(wrapped.owner_pid(), signal.SIGCONT)
        assert wrapped.ended()["exit"] == "exit 0"
        until(lambda: wrapped.reader.owner_free("w"))


def test_a_broken_pipe_ends_the_harness_as_it_would_bare(wrapped: Wrapped) -> None:
    line = shlex.join(wrapped.command("yes"))
    done = subprocess.run(
        ["sh", "-c", f"{line} | head -1"], env=wrapped.cli.environment(), capture_output=True
    )
    assert done.stdout == b"y\n"
    assert wrapped.ended()["exit"] == "signal 13"


@pytest.mark.parametrize(("words", "code"), [(["timeout", "0.5"], 124), (["nohup"], 3)])
def test_under_timeout_and_nohup_it_is_the_program_that_they_see(
    wrapped: Wrapped, words: list[str], code: int
) -> None:
    script = "sleep 5" if words[0] == "timeout" else "exit 3"
    command = [*words, *wrapped.command("sh", "-c", f"exec {script}" if code == 124 else script)]
    done = subprocess.run(command, env=wrapped.cli.environment(), stdin=subprocess.DEVNULL)
    assert done.returncode == code
    assert wrapped.ended()["exit"] == ("signal 15" if code == 124 else "exit 3")
