"""Each real program in a terminal: st2 starts it there, a person talks to it and leaves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.launches import AS_DECLARED, EACH_PROGRAM, QUIT, in_terminal, model_of, prompt_of
from harness.programs import WORDS
from harness.seat import Seat
from harness.terminal import Terminal

pytestmark = [pytest.mark.harness, pytest.mark.timeout(300)]
Take = Callable[[str], Seat]
Open = Callable[..., Terminal]
HELD = "- a first task ((hold held))"
FIRST = {**dict.fromkeys(WORDS, HELD), "pi": HELD.removeprefix("- ")}
"""It begins with a dash, and is a prompt all the same; pi takes none such."""


@EACH_PROGRAM
def test_a_person_finds_it_working_talks_to_it_and_leaves(
    seat: Take, terminal: Open, word: str
) -> None:
    taken = seat(word)
    taken.launch(in_terminal(word, FIRST[word]))
    opened = terminal(taken)
    asked = taken.asked()[0]
    assert (model_of(word, asked), prompt_of(word, asked)) == (AS_DECLARED[word], FIRST[word])
    assert taken.row()["status"] == "available"
    taken.release()
    opened.wait_for(f"heard: {FIRST[word]}")
    opened.say("a second task")
    opened.wait_for("heard: a second task")
    assert prompt_of(word, taken.requests()[-1]) == "a second task"
    opened.say(QUIT[word])
    assert opened.left() == 0
    claim = taken.ended()
    assert (claim["end_reason"], claim["exit"]) == ("exited", "exit 0")
    assert taken.row()["presence"]["why"] == "ended"
