"""One turn without a terminal, of each real program: what it asks, how it lives, how it ends."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable

import pytest

from harness.launches import AS_DECLARED, EACH_PROGRAM, model_of, one_turn, prompt_of
from harness.seat import TURN_S, Seat
from support.wrapped import until

pytestmark = [
    pytest.mark.harness,
    pytest.mark.timeout(300),
    EACH_PROGRAM,
]
Take = Callable[[str], Seat]
HELD = "a first task ((hold held))"


def presence(seat: Seat) -> tuple[str, str]:
    """The word of the row, and why."""
    row = seat.row()
    return row["status"], row["presence"]["why"]


def test_it_asks_as_declared_its_row_lives_and_ends_with_it_and_its_work_is_seen(
    seat: Take, word: str
) -> None:
    taken = seat(word)
    taken.launch(one_turn(word, HELD))
    process = taken.start_agent(stdout=subprocess.PIPE, cwd=taken.cli.home)
    (asked,) = taken.asked()
    assert model_of(word, asked) == AS_DECLARED[word]
    assert prompt_of(word, asked) == HELD
    assert presence(taken) == ("available", "fresh")
    if word != "pi":  # which writes its transcript down when the first answer is there
        until(taken.activity, timeout=TURN_S)
    taken.release()
    said, _ = process.communicate(timeout=TURN_S)
    assert (process.returncode, said.decode().strip()) == (0, f"heard: {HELD}")
    claim = taken.ended()
    assert (claim["end_reason"], claim["exit"], claim["generation"]) == ("exited", "exit 0", 1)
    assert presence(taken) == ("offline", "ended")
    assert taken.activity() == ("success" if word == "claude" else "running")


def test_a_turn_that_fails_exits_as_it_does_without_us(seat: Take, word: str) -> None:
    taken = seat(word)
    taken.launch(one_turn(word, "this one ((fail 400))"))
    bare = taken.bare()
    under = taken.run_agent()
    assert (under.code, under.out) == (bare.code, bare.out)
    assert len(taken.requests()) >= 2
    claim = taken.ended()
    assert (claim["end_reason"], claim["exit"]) == ("exited", f"exit {bare.code}")


def test_killed_in_the_middle_it_has_ended_by_that_signal(seat: Take, word: str) -> None:
    taken = seat(word)
    taken.launch(one_turn(word, HELD))
    process = taken.start_agent()
    taken.asked()
    process.send_signal(signal.SIGKILL)
    assert process.wait(timeout=TURN_S) == -signal.SIGKILL
    claim = taken.ended()
    assert (claim["end_reason"], claim["exit"]) == ("exited", "signal 9")
    assert presence(taken) == ("offline", "ended")
