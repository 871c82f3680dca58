"""Each real program in a terminal: st2 starts it there, a person talks to it and leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from harness.launches import AS_DECLARED, QUIT, in_terminal, model_of, prompt_of
from harness.programs import WORDS
from harness.seat import TURN_S, Seat
from harness.terminal import Terminal
from support.wrapped import until

pytestmark = pytest.mark.harness
Take = Callable[[str], Seat]


@pytest.fixture
def terminal() -> Iterator[Callable[[Seat], Terminal]]:
    """A function: the terminal of a seat, which is closed at the end."""
    made: list[Terminal] = []

    def opened(seat: Seat) -> Terminal:
        made.append(Terminal(seat))
        return made[-1]

    yield opened
    for each in made:
        each.end()


@pytest.mark.parametrize("word", WORDS)
def test_a_person_finds_it_working_talks_to_it_and_leaves(
    seat: Take, terminal: Callable[[Seat], Terminal], word: str
) -> None:
    taken = seat(word)
    taken.launch(in_terminal(word, "a first task ((hold held)) ((say well begun))"))
    opened = terminal(taken)
    asked = taken.asked()[0]
    assert model_of(word, asked) == AS_DECLARED[word]
    assert taken.row()["status"] == "available"
    taken.release()
    opened.wait_for("well begun")
    opened.say("a second task ((say well done))")
    opened.wait_for("well done")
    assert prompt_of(word, taken.requests()[-1]) == "a second task ((say well done))"
    opened.say(QUIT[word])
    until(lambda: opened.status(), timeout=TURN_S)
    assert opened.status() == "0"
    claim = taken.ended()
    assert (claim["end_reason"], claim["exit"]) == ("exited", "exit 0")
    assert taken.row()["presence"]["why"] == "ended"
